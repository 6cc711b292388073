/** Undo of commands: real files, real git, real commands. */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { MemoryLedger } from "../src/history/index.js";
import { inMode } from "../src/policy/index.js";
import { allowAll, openGate } from "../src/run/index.js";
import type { Gate } from "../src/run/index.js";
import { previewUndo } from "../src/run/undo-call.js";
import { builtInTools, LocalWorkspace, NoSandbox, openKeeper, openSandbox } from "../src/tools/index.js";
import type { KeeperOptions } from "../src/tools/index.js";
import { git } from "../src/tools/git/repository.samples.js";
import { callText } from "../src/view/index.js";
import { folder } from "./agent-kit.js";
import { childProgram } from "./child-programs.js";
import { wholeTree } from "./kept-tree.js";
import { runHere } from "./run-here.js";

const isRoot = process.getuid?.() === 0;
const NOBODY = "65534:65534";
const AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];

const RUNS = Number(process.env["TOOLGATE_RUNS"] ?? 3);

async function gateOn(
  root: string,
  options: Partial<KeeperOptions> = {},
  ledger = new MemoryLedger(),
): Promise<Gate> {
  const keeper = openKeeper({ folder: await folder(), commands: "writing", ...options });
  const gate = await openGate({
    ledger,
    workspace: await LocalWorkspace.open(root, { keeper }),
    sessionId: "s",
    tools: builtInTools,
    policy: () => ({ rules: [], default: "allow" }),
    ask: allowAll,
    loopLimit: 1_000,
  });
  onTestFinished(() => gate.close());
  return gate;
}

async function run(gate: Gate, command: string): Promise<string> {
  const { toolCallId, state } = await gate.call({ name: "terminal", input: { command } });
  expect(state.status).toBe("done");
  return toolCallId;
}

let template: string | undefined;

/** A repository with most of what a workspace can have. */
async function fullWorkspace(): Promise<string> {
  const root = await folder();
  copyTemplate(root);
  return root;
}

function copyTemplate(to: string): void {
  template ??= newTemplate();
  execFileSync("cp", ["-a", `${template}/.`, to]);
}

function newTemplate(): string {
  const root = mkdtempSync(join(tmpdir(), "toolgate-template-"));
  process.once("exit", () => rmSync(root, { recursive: true, force: true }));
  const repository = (at: string, files: Record<string, string>): void => {
    mkdirSync(join(root, at, "src/deep"), { recursive: true });
    git(join(root, at), "init", "-q", "-b", "main");
    for (const sample of readdirSync(join(root, at, ".git/hooks")))
      rmSync(join(root, at, ".git/hooks", sample));
    git(join(root, at), "config", "user.name", "a");
    git(join(root, at), "config", "user.email", "a@example.com");
    for (const [name, content] of Object.entries(files)) writeFileSync(join(root, at, name), content);
    git(join(root, at), "add", "-A");
    git(join(root, at), "commit", "-qm", "one");
  };
  symlinkSync("src/b.txt", join(root, "link"));
  repository(".", {
    "a.txt": "a\n",
    "src/b.txt": "b\n",
    "src/deep/c.txt": "c\nc\n",
    "src/run.sh": "#!/bin/sh\n",
    "odd ' \" \n\\*é🎈.txt": "odd",
    "-dash": "dash",
    ".gitignore": ".env\nbuild/\n*.log\n",
  });
  chmodSync(join(root, "src/run.sh"), 0o755);
  writeFileSync(join(root, ".env"), "SECRET=1\n", { mode: 0o600 });
  writeFileSync(join(root, "x.log"), "log\n");
  mkdirSync(join(root, "build/deep"), { recursive: true });
  writeFileSync(join(root, "build/deep/out.js"), "out\n");
  mkdirSync(join(root, "empty/inner"), { recursive: true });
  writeFileSync(join(root, "new.txt"), "new\n", { mode: 0o640 });
  chmodSync(join(root, "src/deep"), 0o700);
  appendFileSync(join(root, "src/b.txt"), "changed\n");
  repository("nested", { "n.txt": "n\n" });
  return root;
}

const anyPath = fc.constantFrom(
  "a.txt",
  "src/b.txt",
  "src/deep/c.txt",
  "src/run.sh",
  "src",
  "src/deep",
  "link",
  "new.txt",
  ".env",
  "x.log",
  "build",
  "build/deep/out.js",
  "empty",
  "empty/inner",
  "nested/n.txt",
  "nested",
  "fresh",
  "fresh/er",
  "./-dash",
  "./odd*",
);
const anyText = fc.constantFrom("", "one", "two\\ntwo", "a\\n");
/** Only root looks into a folder without the rights to list and to search it. */
const anyMode =
  process.getuid?.() === 0
    ? fc.constantFrom("600", "640", "644", "755", "700", "444")
    : fc.constantFrom("755", "700", "750", "555", "500");
const quiet = ">/dev/null 2>&1";
const act = fc.oneof(
  fc.record({ path: anyPath, text: anyText }).map((it) => `printf '${it.text}' > ${it.path}`),
  fc.record({ path: anyPath, text: anyText }).map((it) => `printf '${it.text}' >> ${it.path}`),
  anyPath.map((it) => `rm -rf -- ${it}`),
  anyPath.map((it) => `rmdir ${it}`),
  anyPath.map((it) => `mkdir -p ${it}/made`),
  fc.record({ path: anyPath, to: anyPath }).map((it) => `mv -f ${it.path} ${it.to}`),
  fc.record({ path: anyPath, to: anyPath }).map((it) => `cp -a ${it.path} ${it.to}`),
  fc.record({ path: anyPath, mode: anyMode }).map((it) => `chmod ${it.mode} ${it.path}`),
  fc.record({ path: anyPath, to: anyPath }).map((it) => `ln -s ${it.to} ${it.path}`),
  fc.record({ path: anyPath, to: anyPath }).map((it) => `ln -f ${it.path} ${it.to}`),
  fc.constantFrom(
    "git add -A",
    "git commit -qam more",
    "git stash",
    "git stash -u",
    "git stash; git stash pop",
    "git checkout -q -b other",
    "git checkout -q -- .",
    "git branch side/one; git pack-refs --all",
    "git tag t",
    "git rm -rq --cached .",
    "git reset -q --hard",
    "git clean -fdxq",
    "git config user.name other",
    "git gc -q --prune=now",
    "git mv a.txt moved.txt",
    "git worktree add -q tree",
    "git status",
    "git -C nested commit -q --allow-empty -m two",
    "git init -q fresh",
    "git init -q src",
    "rm -rf .git/objects",
    "rm -rf .git",
    "rm .gitignore",
    "echo '*' > .gitignore",
    "printf 'x' > $(printf 'bad\\377')",
  ),
);

/** Leaves a pack whose list gives another content to the object of `a.txt`: git looks into packs first. */
const FORGE = `
const { createHash } = require("node:crypto");
const { execFileSync: run } = require("node:child_process");
const { readFileSync, writeFileSync, rmSync } = require("node:fs");
const git = (args, input) => run("git", args, { input }).toString().trim();
const meant = Buffer.from(git(["rev-parse", "HEAD:a.txt"]), "hex");
const other = git(["hash-object", "-w", "--stdin"], "forged");
const path = ".git/objects/pack/pack-" + git(["pack-objects", "-q", ".git/objects/pack/pack"], other + "\\n");
const list = readFileSync(path + ".idx");
for (let first = 0; first < 256; first += 1) list.writeUInt32BE(first < meant[0] ? 0 : 1, 8 + 4 * first);
meant.copy(list, 8 + 1024);
createHash("sha1").update(list.subarray(0, -20)).digest().copy(list, list.length - 20);
rmSync(path + ".idx");
writeFileSync(path + ".idx", list);
writeFileSync("a.txt", "changed");
`;

test.each([
  "true",
  "mv .git/objects/pack .git/p; mkdir -p a/pack; mv .git/p/* a/pack; mkdir .git/objects/pack; echo $PWD/a >.git/objects/info/alternates",
])("is not misled by a pack that lies about the objects in it, after %s", async (further) => {
  const root = await fullWorkspace();
  const before = wholeTree(root);
  const gate = await gateOn(root);
  const call = await run(gate, `node -e '${FORGE}' && ${further}`);
  const committed = () => execFileSync("git", ["cat-file", "-p", "HEAD:a.txt"], { cwd: root }).toString();
  expect(committed()).toBe("forged");
  await gate.undo(call);
  expect(committed()).toBe("a\n");
  expect(wholeTree(root)).toEqual(before);
});

test("restores links whose targets are no text", async () => {
  const root = await folder();
  const target = Buffer.from([0x61, 0xff, 0xc3, 0xa9]);
  symlinkSync(target, join(root, "link"));
  const gate = await gateOn(root);
  await gate.undo(await run(gate, "rm link; ln -s a link"));
  expect(readlinkSync(join(root, "link"), { encoding: "buffer" })).toEqual(target);
});

test("says which paths of a command an undo would remove", async () => {
  const root = await fullWorkspace();
  const ledger = new MemoryLedger();
  const gate = await gateOn(root, {}, ledger);
  const call = await run(
    gate,
    "mkdir fresh; echo x > fresh/x; echo y >> a.txt; rm link; mv new.txt moved.txt",
  );
  const session = { book: gate.book, ledger, sessionId: "s" };
  const { paths, removes } = await previewUndo(session, await LocalWorkspace.open(root), call);
  const gone = Object.fromEntries(removes.map(({ path, isFolder }) => [path, isFolder]));
  expect(gone).toEqual({
    [join(root, "fresh")]: true,
    [join(root, "fresh/x")]: false,
    [join(root, "moved.txt")]: false,
  });
  expect(paths.filter((path) => !(path in gone)).toSorted()).toEqual(
    ["a.txt", "link", "new.txt"].map((name) => join(root, name)),
  );
});

/** A name that is no valid text cannot be put back, and is named as such. */
function withoutBadName(tree: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(tree).filter(([name]) => name !== "bad\u00ff"));
}

test(
  "is byte for byte as before when any command is undone",
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(act, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        async (acts, isSecond) => {
          const root = await fullWorkspace();
          const gate = await gateOn(root);
          // Also with an index that has seen the workspace before.
          if (isSecond) await run(gate, "printf 'z' > earlier.txt; git status");
          const before = wholeTree(root);
          // From a file: the rules need not read it.
          const script = join(await folder(), "acts");
          writeFileSync(script, `umask 022\n${acts.map((one) => `{ ${one}; } ${quiet}`).join("\n")}\ntrue\n`);
          const toolCallId = await run(gate, `bash ${script}`);
          writeFileSync(join(root, "of somebody else"), "mine");
          const after = wholeTree(root);
          delete after["of somebody else"];
          const isSame = JSON.stringify(withoutBadName(after)) === JSON.stringify(before);
          const undone = await gate.undo(toolCallId).catch((error: unknown) => error);
          if (isSame && undone instanceof Error)
            expect(undone.message).toMatch(/stored|kept|nothing to restore/);
          else expect(undone).toMatchObject({ paths: expect.anything() });
          const { "of somebody else": mine, ...now } = wholeTree(root);
          expect(mine).toBeDefined();
          expect(withoutBadName(now)).toEqual(before);
          execFileSync("git", ["fsck", "--connectivity-only"], { cwd: root, stdio: "pipe" });
          await gate.close();
          await rm(root, { recursive: true });
        },
      ),
      { numRuns: RUNS },
    );
  },
  Math.max(120_000, RUNS * 5_000),
);

test("puts deleted, edited, renamed and ignored files back in a folder that is no repository", async () => {
  const root = await folder({ "a.txt": "a\n", "b.txt": "b\n", ".gitignore": ".env\n", ".env": "KEY=1\n" });
  mkdirSync(join(root, "empty"));
  const gate = await gateOn(root);
  const before = wholeTree(root);
  const toolCallId = await run(
    gate,
    "rm a.txt .env; echo more >> b.txt; mv b.txt c.txt; rmdir empty; ln -s c.txt d",
  );
  const { paths, left } = await gate.undo(toolCallId);
  expect(paths.map((path) => path.slice(root.length + 1)).toSorted()).toEqual([
    ".env",
    "a.txt",
    "b.txt",
    "c.txt",
    "d",
    "empty",
  ]);
  expect(left).toBeUndefined();
  expect(wholeTree(root)).toEqual(before);
  await expect(gate.undo(toolCallId)).rejects.toThrow("it was undone already");
});

test("removes and restores empty folders that lie beside new files", async () => {
  const root = await fullWorkspace();
  const gate = await gateOn(root);
  const before = wholeTree(root);
  const making = await run(gate, "mkdir -p empty/made fresh/one/two; cp a.txt empty; cp a.txt fresh");
  const made = wholeTree(root);
  const removing = await run(gate, "rm -r empty fresh");
  await gate.undo(removing);
  expect(wholeTree(root)).toEqual(made);
  await gate.undo(making);
  expect(wholeTree(root)).toEqual(before);
});

test.each([
  ["removed with it", "rm -r shared"],
  ["removed from it", "rm -r shared/plain shared/empty"],
  ["removed after the bit was given", "chmod g+s src; rm -r src/usual"],
  ["of an ignored folder", "rm -r build"],
])("gives no folder the set-group-id bit of the folder above: %s", async (_, command) => {
  const root = await fullWorkspace();
  for (const path of ["shared/plain/deep", "shared/empty", "src/usual"])
    mkdirSync(join(root, path), { recursive: true });
  for (const path of ["shared/plain/a", "shared/plain/deep/b", "src/usual/c"])
    writeFileSync(join(root, path), "1\n");
  for (const path of ["shared", "build"]) chmodSync(join(root, path), 0o2755);
  const gate = await gateOn(root);
  const before = wholeTree(root);
  await gate.undo(await run(gate, command));
  expect(wholeTree(root)).toEqual(before);
});

test("refuses with the path, and touches nothing, when a file has changed since", async () => {
  const root = await folder({ "a.txt": "a\n", "b.txt": "b\n" });
  const gate = await gateOn(root);
  const toolCallId = await run(gate, "echo 1 >> a.txt; rm b.txt");
  appendFileSync(join(root, "a.txt"), "mine\n");
  const now = wholeTree(root);
  await expect(gate.undo(toolCallId)).rejects.toThrow("a.txt has changed since. No file was touched.");
  expect(wholeTree(root)).toEqual(now);
});

test("puts back folders that a command replaced by links to others with the same names", async () => {
  const [outside, root] = [await folder({ "a.txt": "theirs\n" }), await folder({ "c.txt": "c\n" })];
  for (const path of [join(outside, "deep"), join(root, "sub/deep")]) {
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, "b.txt"), path);
  }
  const before = wholeTree(root);
  const [gate, others] = [await gateOn(root), wholeTree(outside)];
  const toolCallId = await run(
    gate,
    `rm -r sub c.txt; ln -s ${outside} sub; ln -s ${outside}/a.txt c.txt; echo x > new`,
  );
  await gate.undo(toolCallId);
  expect(wholeTree(root)).toEqual(before);
  expect(wholeTree(outside)).toEqual(others);
});

test("puts back folders that a command replaced by files or by links in a circle", async () => {
  const root = await fullWorkspace();
  const before = wholeTree(root);
  const gate = await gateOn(root);
  const toolCallId = await run(
    gate,
    "rm -r src/deep empty nested build; printf x > src/deep; touch empty; ln -s nested nested; ln -s build build",
  );
  await gate.undo(toolCallId);
  expect(wholeTree(root)).toEqual(before);
});

test("opens folders again that a command of an ordinary user closed, and names them", async () => {
  const base = await folder();
  const [root, kept] = [join(base, "work"), join(base, "kept")];
  for (const path of [root, kept]) mkdirSync(path);
  copyTemplate(root);
  const before = wholeTree(root);
  const words = [
    process.execPath,
    childProgram("undone-command.mjs"),
    root,
    kept,
    "rm a.txt; chmod 600 src empty; chmod 0 nested .git/refs .git/objects .git",
  ];
  const [program = "", ...args] = isRoot ? [...AS_NOBODY, ...words] : words;
  if (isRoot) execFileSync("chown", ["-R", NOBODY, base]);
  const env = { PATH: process.env["PATH"], HOME: base, XDG_STATE_HOME: base, XDG_CONFIG_HOME: base };
  const left: readonly string[] = JSON.parse(
    execFileSync(program, args, { env, encoding: "utf8", cwd: root }),
  );
  expect(left.toSorted()).toEqual(["empty/", "nested/", "src/"].map((name) => join(root, name)));
  if (isRoot) execFileSync("chown", ["-R", "0:0", base]);
  expect(wholeTree(root)).toEqual(before);
});

test.each([
  ["a loose object is overwritten", 'chmod u+w "$loose" && echo x > "$loose"'],
  [
    "a loose object is overwritten and gets its time back",
    'touch -r "$loose" t; chmod u+w "$loose"; printf y | dd of="$loose" conv=notrunc 2>&1; chmod a-w "$loose"; touch -r t "$loose"; rm t',
  ],
  [
    "a file has the name of an object that is yet to come",
    'echo x > "$(dirname "$loose")/12345678901234567890123456789012345678"',
  ],
  ["a loose object is replaced", 'cp a.txt t; mv -f t "$loose"'],
  ["a loose object becomes a link", 'ln -sf ../../../a.txt "$loose"'],
  ["a loose object becomes a folder", 'rm -f "$loose"; mkdir "$loose"'],
  ["a loose object becomes a pipe", 'rm -f "$loose"; mkfifo "$loose"'],
  ["a loose object can be written", 'chmod 666 "$loose"'],
  ["a pack is overwritten", 'chmod u+w "$pack" && echo x > "$pack"'],
  [
    "the index of a pack is overwritten in part",
    'idx="${pack%.pack}.idx"; chmod u+w "$idx"; printf xxxxxxxxxxxxxxxx | dd of="$idx" bs=1 seek=1100 conv=notrunc',
  ],
  ["a folder of objects becomes a file", 'd=$(dirname "$loose"); rm -rf "$d"; echo x > "$d"'],
  ["a folder of objects becomes a link", 'd=$(dirname "$loose"); mv "$d" moved; ln -s "$PWD/moved" "$d"'],
  ["a folder of objects is closed", 'echo x > a.txt; chmod 0 "$(dirname "$loose")"'],
  [
    "a folder of objects is emptied and gets its time back",
    'd=$(dirname "$loose"); touch -r "$d" t; rm -f "$loose"; touch -r t "$d"; rm t',
  ],
  [
    "folders of git get other rights",
    "chmod 777 . .git .git/refs .git/logs; chmod 0 .git/refs/heads .git/objects/pack",
  ],
  ["the repository becomes a link", "mv .git moved; ln -s moved .git"],
  ["the objects become a link", "mv .git/objects moved; ln -s ../moved .git/objects"],
  ["objects are borrowed from a folder", 'mkdir other; echo "$PWD/other" > .git/objects/info/alternates'],
  ["the graph of commits is another", "echo x > .git/objects/info/commit-graph"],
  [
    "the index of all packs is another",
    "chmod u+w .git/objects/pack/multi-pack-index; echo x > .git/objects/pack/multi-pack-index",
  ],
])("puts the history back when %s", async (_, acts) => {
  const root = await fullWorkspace();
  git(root, "gc", "-q");
  git(root, "multi-pack-index", "write");
  git(root, "commit-graph", "write", "--reachable");
  writeFileSync(join(root, "a.txt"), "second\n");
  git(root, "commit", "-qam", "two");
  const [loose] = execFileSync("find", [".git/objects", "-path", "*/[0-9a-f][0-9a-f]/*"], {
    cwd: root,
    encoding: "utf8",
  }).split("\n");
  const [before, whole] = [objectFiles(root), wholeTree(root)];
  const gate = await gateOn(root);
  const script = join(await folder(), "acts");
  writeFileSync(script, `loose=${loose} pack=$(ls .git/objects/pack/*.pack)\n${acts}\n`);
  await gate.undo(await run(gate, `bash ${script}; true`));
  expect(objectFiles(root)).toEqual(before);
  expect(wholeTree(root)).toEqual(whole);
  expect(execFileSync("git", ["fsck", "--full"], { cwd: root, stdio: "pipe", encoding: "utf8" })).toBe("");
});

test("keeps no secret to which a command laid a link among the packs", async () => {
  const root = await fullWorkspace();
  const secret = join(await folder({ secret: "PRIVATE" }), "secret");
  const gate = await gateOn(root);
  const pack = ".git/objects/pack/pack-0123456789.pack";
  await run(gate, `ln -s ${secret} ${pack}`);
  const before = wholeTree(root);
  await gate.undo(await run(gate, `rm ${pack}; echo x > a.txt`));
  expect(existsSync(join(root, pack))).toBe(false);
  expect(wholeTree(root)).toEqual(before);
});

/** Each object file and folder of them with its permission bits and content. */
test("undoes a command that made more than can be read in time", async () => {
  const root = await folder();
  mkdirSync(join(root, "src"));
  writeFileSync(join(root, "src/a"), "a");
  writeFileSync(join(root, "b"), "b");
  const before = wholeTree(root);
  const gate = await gateOn(root, { limits: { maxBytes: 1_000_000 } });
  const call = await run(
    gate,
    "rm -r src; for i in b c; do truncate -s 60M $i; done; for i in $(seq 300); do truncate -s 60M large-$i; done",
  );
  writeFileSync(join(root, "large-7"), "mine");
  await expect(gate.undo(call)).rejects.toThrow("large-7 has changed since");
  rmSync(join(root, "large-7"));
  expect(await gate.undo(call)).not.toHaveProperty("left");
  expect(wholeTree(root)).toEqual(before);
});

const objectFiles = (root: string): string =>
  execFileSync(
    "sh",
    ["-c", "find . -printf '%p %M ' -type f -exec sha1sum {} \\; -o -printf '%p %M %l\n' | sort"],
    {
      cwd: join(root, ".git/objects"),
      encoding: "utf8",
    },
  );

test("undoes a commit after somebody has looked at the repository", async () => {
  const root = await fullWorkspace();
  const gate = await gateOn(root);
  const before = wholeTree(root);
  const toolCallId = await run(gate, "git add -A && git commit -qm more && git checkout -q -b other");
  git(root, "status");
  await gate.undo(toolCallId);
  expect(wholeTree(root)).toEqual(before);
});

test("puts back a file that was replaced by one of the same length, time and second", async () => {
  const root = await folder({ "a.txt": "one\n", "b.txt": "two\n" });
  const gate = await gateOn(root);
  // The keep and the command should fall into one second. On a busy machine they do not each time.
  for (let round = 0; round < 3; round += 1) {
    await setTimeout(1_005 - (Date.now() % 1_000));
    for (const name of ["a.txt", "b.txt"]) utimesSync(join(root, name), 1_000_000_000, 1_000_000_000);
    await gate.undo(await run(gate, "cp -a a.txt b.txt"));
    expect(readFileSync(join(root, "b.txt"), "utf8")).toBe("two\n");
  }
});

test("puts back a file that was replaced in a folder that became a repository", async () => {
  const root = await fullWorkspace();
  const gate = await gateOn(root);
  const before = wholeTree(root);
  await gate.undo(await run(gate, "mv -f new.txt src/run.sh; git init -q src"));
  expect(wholeTree(root)).toEqual(before);
});

test("undoes a command that removed every entry of the index", async () => {
  const root = await fullWorkspace();
  const gate = await gateOn(root);
  const before = wholeTree(root);
  await gate.undo(await run(gate, "git rm -rq --cached ."));
  expect(wholeTree(root)).toEqual(before);
});

test("leaves large ignored folders alone, and names them", async () => {
  const root = await folder({ ".gitignore": "big/\nother/\n", "a.txt": "a\n" });
  mkdirSync(join(root, "big"));
  for (let number = 0; number < 300; number += 1) writeFileSync(join(root, "big", String(number)), "x");
  const gate = await gateOn(root);
  const removing = await run(gate, "echo b > a.txt; rm -r big; mkdir other; touch other/{1..300}");
  const { left } = await gate.undo(removing);
  expect(left).toEqual([
    { path: join(root, "big"), reason: "git ignores it, and it is too large to be kept" },
  ]);
  expect(Object.keys(wholeTree(root)).toSorted()).toEqual(["", ".gitignore", "a.txt"]);
  // Without the pattern the folder is new to git, and was there before the command all the same.
  mkdirSync(join(root, "big"));
  for (let number = 0; number < 300; number += 1) writeFileSync(join(root, "big", String(number)), "x");
  const before = wholeTree(root);
  const revealing = await run(gate, "rm .gitignore");
  await gate.undo(revealing);
  expect(wholeTree(root)).toEqual(before);
});

test("removes no folder that was there when a command hides it by a pattern", async () => {
  const root = await fullWorkspace();
  mkdirSync(join(root, "around"));
  git(join(root, "around"), "init", "-q", "inner");
  mkdirSync(join(root, "data"));
  writeFileSync(join(root, "data/large"), "");
  truncateSync(join(root, "data/large"), 65 * 1024 * 1024);
  const before = wholeTree(root);
  const gate = await gateOn(root);
  const { left = [] } = await gate.undo(await run(gate, "echo '*' > .gitignore; echo x > a.txt"));
  expect(wholeTree(root)).toEqual(before);
  expect(left.map(({ path }) => path)).toContain(join(root, "data"));
});

test("restores the rights of folders that hold only repositories", async () => {
  const root = await fullWorkspace();
  mkdirSync(join(root, "around"));
  git(join(root, "around"), "init", "-q", "inner");
  const before = wholeTree(root);
  const gate = await gateOn(root);
  await gate.undo(await run(gate, "chmod 700 around around/inner/.git/refs"));
  expect(wholeTree(root)).toEqual(before);
});

test("never writes to the user's repository, and runs no program that it names", async () => {
  const root = await fullWorkspace();
  const outside = await folder();
  writeFileSync(join(root, ".gitattributes"), "* filter=evil\n*.txt text eol=crlf\n");
  for (const [name, value] of [
    ["filter.evil.clean", `touch ${outside}/filter; cat`],
    ["core.fsmonitor", `touch ${outside}/monitor`],
    ["core.hooksPath", outside],
    ["core.autocrlf", "true"],
  ] as const)
    git(root, "config", name, value);
  writeFileSync(join(outside, "post-index-change"), `#!/bin/sh\ntouch ${outside}/hook\n`, { mode: 0o755 });
  writeFileSync(join(root, "crlf.txt"), "one\r\ntwo\r\n");
  const times = () =>
    execFileSync("find", [".git", "-printf", "%p %T@ %s\n"], { cwd: root, encoding: "utf8" });
  const [before, stamps] = [wholeTree(root), times()];
  const gate = await gateOn(root);
  const toolCallId = await run(gate, "rm crlf.txt a.txt");
  expect(times()).toBe(stamps);
  await gate.undo(toolCallId);
  expect(wholeTree(root)).toEqual(before);
  expect(readdirSync(outside)).toEqual(["post-index-change"]);
});

test("keeps what a filter of the user's has changed on its way into the repository", async () => {
  const root = await folder({ "a.txt": "one\r\ntwo\r\n", ".gitattributes": "*.txt text eol=crlf\n" });
  git(root, "init", "-q");
  git(root, "add", "-A");
  const gate = await gateOn(root);
  const before = wholeTree(root);
  await gate.undo(await run(gate, "rm a.txt"));
  expect(wholeTree(root)).toEqual(before);
});

test("works in a part of a repository and in a further worktree", async () => {
  const around = await fullWorkspace();
  for (const root of [join(around, "src"), join(await folder(), "tree")]) {
    if (!root.startsWith(around)) git(around, "worktree", "add", "-q", root);
    const gate = await gateOn(root);
    const [before, outer] = [wholeTree(root), wholeTree(around)];
    await gate.undo(
      await run(
        gate,
        "echo x > new; rm -rf deep; git add -A . && git -c user.name=a -c user.email=a@b commit -qm x",
      ),
    );
    expect(wholeTree(root)).toEqual(before);
    expect(wholeTree(around)).toEqual(outer);
  }
});

test("asks nothing more about allowed commands that cannot be undone, and their cards say why", async () => {
  const root = await folder({ "a.txt": "a\n", "b.txt": "b\n" });
  let asked = 0;
  const keeper = openKeeper({ folder: await folder(), limits: { maxFiles: 1 } });
  const gate = await openGate({
    ledger: new MemoryLedger(),
    workspace: await LocalWorkspace.open(root, { keeper }),
    tools: builtInTools,
    rules: [{ allow: "execute", command: "touch *" }],
    ask: async (question, signal) => {
      asked += 1;
      return allowAll(question, signal);
    },
  });
  onTestFinished(() => gate.close());
  // By a rule, and by a person.
  for (const command of ["touch c.txt", "cp a.txt d.txt"]) {
    const call = await gate.call({ name: "terminal", input: { command } });
    expect(call.state.status).toBe("done");
    expect(callText(call)).toContain("cannot be undone: there are more than 1 files");
    await expect(gate.undo(call.toolCallId)).rejects.toThrow("was not kept: there are more than 1 files");
  }
  expect(asked).toBe(1);
  expect(readdirSync(root).toSorted()).toEqual(["a.txt", "b.txt", "c.txt", "d.txt"]);
});

test("tries no second time soon when a folder could not be kept for an allowed command", async () => {
  const root = await folder({ "a.txt": "a\n", "b.txt": "b\n" });
  const keptIn = await folder();
  const keeper = openKeeper({ folder: keptIn, limits: { maxFiles: 1 } });
  const reason = "there are more than 1 files";
  expect(await keeper.keep([root], { isOptional: true })).toEqual({ type: "not-kept", reason });
  rmSync(keptIn, { recursive: true });
  expect(await keeper.keep([root], { isOptional: true })).toEqual({ type: "not-kept", reason });
  expect(existsSync(keptIn)).toBe(false);
  // A contained command is asked about instead, so it is tried.
  expect(await keeper.keep([root])).toEqual({ type: "not-kept", reason });
  expect(existsSync(keptIn)).toBe(true);
});

test("undoes allowed commands that ran side by side together", async () => {
  const root = await folder({ "a.txt": "" });
  const gate = await gateOn(root);
  const before = wholeTree(root);
  // Each goes on when all have started.
  const calls = ["1", "2", "3"].map((text) =>
    gate.call({
      name: "terminal",
      input: {
        command: `touch s${text}; while [ ! -e s1 ] || [ ! -e s2 ] || [ ! -e s3 ]; do sleep 0.01; done; echo ${text} >> a.txt`,
      },
    }),
  );
  const ids = (await Promise.all(calls)).map(({ toolCallId }) => toolCallId);
  const tried = await Promise.allSettled(ids.map((toolCallId) => gate.undo(toolCallId)));
  expect(tried.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(wholeTree(root)).toEqual(before);
  expect(ids.map((toolCallId) => gate.book.call(toolCallId)?.times.undone !== undefined)).toEqual([
    true,
    true,
    true,
  ]);
  // The next one is kept for itself.
  await gate.undo(await run(gate, "echo 4 >> a.txt"));
  expect(wholeTree(root)).toEqual(before);
});

test("says with which call a command is undone that ran beside it", async () => {
  const root = await folder({ "a.txt": "" });
  const gate = await gateOn(root);
  const command = "touch first; while [ ! -e second ]; do sleep 0.01; done";
  const first = gate.call({ name: "terminal", input: { command } });
  await expect.poll(() => readdirSync(root)).toContain("first");
  const last = gate.call({ name: "terminal", input: { command: "touch second; sleep 0.3" } });
  const [one, other] = [(await first).toolCallId, (await last).toolCallId];
  await expect(gate.undo(one)).rejects.toThrow(`both are undone with ${other}`);
  await gate.undo(other);
  expect(readdirSync(root)).toEqual(["a.txt"]);
});

test("says that a command perhaps changed nothing when there is nothing to undo", async () => {
  const gate = await gateOn(await folder({ "a.txt": "" }));
  const idle = await run(gate, "touch -c nothing-there; true");
  await expect(gate.undo(idle)).rejects.toThrow(
    "no earlier content of its files is stored: it changed no file, or",
  );
});

test("keeps nothing before a command that only reads", async () => {
  const root = await folder({ "a.txt": "" });
  const keptIn = await folder();
  const gate = await gateOn(root, { folder: keptIn });
  const read = await run(gate, "cat a.txt");
  await expect(gate.undo(read)).rejects.toThrow("no earlier content of its files is stored");
  expect(readdirSync(keptIn)).toEqual([]);
});

test("undoes no command of another client during which files were edited", async () => {
  const root = await folder({ "a.txt": "a\n" });
  const gate = await gateOn(root);
  const [terminal, write] = ["terminal", "write_file"].map((name) =>
    builtInTools.find((tool) => tool.name === name),
  );
  if (!terminal || !write) throw new Error("no such tool");
  const command = "touch started; while [ ! -e edited ]; do sleep 0.01; done; rm a.txt";
  const long = gate.call({ name: "terminal", input: { command }, tool: terminal });
  await expect.poll(() => readdirSync(root)).toContain("started");
  await gate.call({ name: "write_file", input: { path: "edited", content: "mine" }, tool: write });
  const { toolCallId } = await long;
  await expect(gate.undo(toolCallId)).rejects.toThrow("files were edited while it ran");
});

test("undoes no command of another client during which a file was deleted", async () => {
  const root = await folder({ "a.txt": "a\n", "b.txt": "b\n" });
  const gate = await gateOn(root);
  const [terminal, remove] = ["terminal", "delete_path"].map((name) =>
    builtInTools.find((tool) => tool.name === name),
  );
  if (!terminal || !remove) throw new Error("no such tool");
  const command = "touch started; while [ -e b.txt ]; do sleep 0.01; done; rm a.txt";
  const long = gate.call({ name: "terminal", input: { command }, tool: terminal });
  await expect.poll(() => readdirSync(root)).toContain("started");
  await gate.call({ name: "delete_path", input: { path: "b.txt" }, tool: remove });
  const { toolCallId } = await long;
  await expect(gate.undo(toolCallId)).rejects.toThrow("files were edited while it ran");
});

test("undoes neither of two commands that ran at the same time in two sessions", async () => {
  const root = await folder({ "a.txt": "a\n" });
  const keptIn = await folder();
  const [one, other] = [await gateOn(root, { folder: keptIn }), await gateOn(root, { folder: keptIn })];
  const long = run(one, "touch started; while [ ! -e second ]; do sleep 0.01; done; touch one");
  await expect.poll(() => readdirSync(root)).toContain("started");
  const second = await run(other, "touch second");
  for (const [gate, toolCallId] of [
    [one, await long],
    [other, second],
  ] as const)
    await expect(gate.undo(toolCallId)).rejects.toThrow(
      "another command ran in this folder at the same time",
    );
  // The next one is alone again.
  await other.undo(await run(other, "rm a.txt"));
  expect(readdirSync(root)).toContain("a.txt");
});

test("toolgate run keeps a command's files, and toolgate undo puts them back", async () => {
  const home = await folder();
  const project = join(home, "project");
  mkdirSync(project);
  copyTemplate(project);
  const command = "rm -r src; echo more >> a.txt; git commit -qam all";
  writeScript(home, [
    { calls: [{ tool: "terminal", input: { command } }] },
    { say: "Done." },
    { say: "Again." },
  ]);
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: join(home, "config"), XDG_STATE_HOME: home };
  const toolgate = (...words: string[]) => runHere(words, { cwd: project, env });
  const before = wholeTree(project);
  const flags = ["--script", join(home, "script.json"), "--mode", "allow-all"];
  expect(await toolgate("run", ...flags, "go")).toMatchObject({ status: 0 });
  expect(Object.keys(wholeTree(project))).not.toContain("src/b.txt");
  const undone = await toolgate("undo", "call_1");
  expect(undone).toMatchObject({ status: 0, stderr: "" });
  expect(undone.stdout).toContain(join(project, "src/b.txt"));
  expect(wholeTree(project)).toEqual(before);
  expect(existsSync(join(home, "toolgate/kept"))).toBe(true);
  const { stdout } = await toolgate("history", "list", "--json");
  const [{ sessionId }] = JSON.parse(stdout).sessions ?? JSON.parse(stdout);
  expect(await toolgate("history", "delete", sessionId)).toMatchObject({ status: 0 });
  expect(readdirSync(join(home, "toolgate/kept"))).toEqual([]);
});

function writeScript(home: string, steps: readonly object[]): void {
  writeFileSync(join(home, "script.json"), JSON.stringify({ steps }));
}

test("toolgate undo puts back a turn with edits and commands, and names commands that were not kept", async () => {
  const home = await folder();
  const project = join(home, "project");
  mkdirSync(project);
  for (const name of ["a.txt", "b.txt"]) writeFileSync(join(project, name), `${name}\n`);
  const edit = (path: string) => ({ calls: [{ tool: "write_file", input: { path, content: "edited\n" } }] });
  const command = (words: string) => ({ calls: [{ tool: "terminal", input: { command: words } }] });
  writeScript(home, [edit("a.txt"), command("cp a.txt c.txt; rm b.txt"), { say: "Done." }]);
  const settings = join(home, "config/toolgate");
  mkdirSync(settings, { recursive: true });
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: join(home, "config"), XDG_STATE_HOME: home };
  const toolgate = (...words: string[]) => runHere(words, { cwd: project, env });
  const flags = ["--script", join(home, "script.json"), "--mode", "allow-all"];
  const before = wholeTree(project);
  expect(await toolgate("run", ...flags, "go")).toMatchObject({ status: 0 });
  const undone = await toolgate("undo");
  expect(undone).toMatchObject({ status: 0, stderr: "" });
  expect(wholeTree(project)).toEqual(before);
  // A workspace beyond the limits: the edit comes back all the same.
  writeFileSync(join(settings, "config.json"), JSON.stringify({ undoLimits: { files: 1 } }));
  writeScript(home, [edit("a.txt"), command("touch d.txt"), { say: "Done." }]);
  const ran = await toolgate("run", ...flags, "go");
  expect(ran.stdout).toContain("cannot be undone: there are more than 1 files");
  const second = await toolgate("undo");
  expect(second.status).toBe(1);
  expect(second.stdout).toContain("was not kept: there are more than 1 files");
  expect(readFileSync(join(project, "a.txt"), "utf8")).toBe("a.txt\n");
  expect(readdirSync(project).toSorted()).toEqual(["a.txt", "b.txt", "d.txt"]);
});

const sandbox = await openSandbox().catch((error: unknown) => {
  if (error instanceof NoSandbox) return undefined;
  throw error;
});

test.skipIf(!sandbox)(
  "puts back what a contained command did, and asks about one that it could not",
  async () => {
    const root = await fullWorkspace();
    writeFileSync(join(root, "wipe.sh"), WIPE);
    const asked: string[] = [];
    const contained = async (limits: KeeperOptions["limits"] = {}): Promise<Gate> => {
      const keeper = openKeeper({ folder: await folder(), limits });
      const gate = await openGate({
        ledger: new MemoryLedger(),
        workspace: await LocalWorkspace.open(root, { keeper, ...(sandbox && { containing: sandbox }) }),
        tools: builtInTools,
        policy: () => inMode("ask", []),
        ask: (question) => {
          asked.push(question.reason ?? "");
          return Promise.resolve({ outcome: { type: "selected", optionId: "reject_once" }, by: "person" });
        },
      });
      onTestFinished(() => gate.close());
      return gate;
    };
    const before = wholeTree(root);
    const gate = await contained();
    const toolCallId = await run(gate, "sh wipe.sh");
    expect(gate.book.call(toolCallId)).toMatchObject({
      decision: { by: "sandbox" },
      rawOutput: { exitCode: 0 },
    });
    expect(Object.keys(wholeTree(root)).filter((path) => path.startsWith("src/"))).toEqual([]);
    await gate.undo(toolCallId);
    expect(wholeTree(root)).toEqual(before);
    expect(asked).toEqual([]);
    const small = await contained({ maxFiles: 1 });
    const { state } = await small.call({ name: "terminal", input: { command: "sh wipe.sh" } });
    expect(state.status).toBe("refused");
    expect(asked).toEqual([
      "it cannot be undone: there are more than 1 files. With a yes it runs outside of the sandbox",
    ]);
    expect(wholeTree(root)).toEqual(before);
  },
);

/** Much of what a program can do to a workspace in a sandbox. */
const WIPE = `
git commit -q --allow-empty -m lost
rm -rf src a.txt new.txt .git/refs .git/objects empty
chmod 400 x.log
echo x > nested/n.txt
`;
