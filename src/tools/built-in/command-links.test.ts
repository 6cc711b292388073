import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LocalWorkspace } from "../local-workspace.js";
import { aWorkspace } from "../tools.samples.js";
import { commandLinks } from "./command-links.js";
import { foundBelow } from "./folder-walks.js";
import { globNames } from "./glob-names.js";

type FilesOfTest = Readonly<Record<string, string>>;

/**
 * A workspace /ws beside /else, with links given as "from": "to". `accesses` lists the paths that a command in it
 * touches.
 */
async function place(files: FilesOfTest, links: FilesOfTest = {}) {
  const { workspace, root, outside } = await aWorkspace(files);
  await mkdir(join(outside, "else"));
  await writeFile(join(outside, "else/file.txt"), "");
  for (const [from, to] of Object.entries(links)) await symlink(to, join(root, from));
  const accesses = async (command: string) =>
    (await commandLinks(command.replaceAll("$OUT", outside), root, workspace)).map(
      ({ access, path, named }) =>
        `${access} ${path}${named === undefined ? "" : ` by ${named}`}`.replaceAll(outside, ""),
    );
  return { accesses, root, outside };
}

const ANYWHERE = "search / by";

test("reports the links that a pattern matches", async () => {
  const links = { outfile: "../else/file.txt", "src/in": "../plain.txt", ".hidden": "../else/file.txt" };
  const { accesses } = await place({ "plain.txt": "", "src/a.ts": "" }, links);
  const out = "read /else/file.txt by /ws/outfile";
  const within = "read /ws/plain.txt by /ws/src/in";
  const hidden = "read /else/file.txt by /ws/.hidden";
  expect(await accesses("cat ./out*")).toEqual([out]);
  expect(await accesses("cat src/../out*")).toEqual([out]);
  expect(await accesses("cat ./*file")).toEqual([out]);
  expect(await accesses("cat ./o?tfile ./[m-p]utfile")).toEqual([out]);
  expect(await accesses("head ./*")).toEqual([out]);
  expect(await accesses("cat ./*/i*")).toEqual([within]);
  expect(await accesses("cd src && cat ./*")).toEqual([within]);
  expect(await accesses("cat ./.h*")).toEqual([hidden]);
  expect(await accesses("cat ./out*/deeper ./x* ./*.txt src/*.ts 'a/[b'")).toEqual([]);
});

test("expands a pattern without a folder, and takes a name like a flag for anything", async () => {
  const links = { outfile: "../else/file.txt" };
  const { accesses } = await place({ "a.ts": "", "sub/-e1e id": "", "sub/b": "" }, links);
  expect(await accesses("cat out*")).toEqual(["read /else/file.txt by /ws/outfile"]);
  expect(await accesses("cat *")).toEqual(["read /else/file.txt by /ws/outfile"]);
  expect(await accesses("cat 'out*'")).toEqual([]);
  expect(await accesses("cd sub && sed -n p *")).toEqual([`${ANYWHERE} /ws/sub/-e1e id`]);
  expect(await accesses("cd sub && sed -n p ./*")).toEqual([]);
});

test("reports what a command does to the links that a pattern matches", async () => {
  const { accesses } = await place({ "plain.txt": "" }, { link: "../else/file.txt", folder: "../else" });
  expect(await accesses("echo x | tee ./lin*")).toEqual([
    "read /else/file.txt by /ws/link",
    "write /else/file.txt by /ws/link",
  ]);
  expect(await accesses("rm ./fold*/file.txt")).toEqual([
    "read /else/file.txt by /ws/folder/file.txt",
    "delete /else/file.txt by /ws/folder/file.txt",
  ]);
});

test.each([
  ["echo x > notes.md", "write /ws/notes.md by /ws/CLAUDE.md"],
  ["sed -i s/a/b/ scripts/hook.sh", "write /ws/scripts/hook.sh by /ws/.husky/pre-commit"],
  ["cp a.ts hub/workflows/ci.yml", "write /ws/hub/workflows/ci.yml by /ws/.github/workflows/ci.yml"],
])("names a file by the protected link that leads to it: %s", async (command, expected) => {
  const files = { "notes.md": "", "scripts/hook.sh": "", "a.ts": "", ".husky/x": "", "hub/workflows/a": "" };
  const links = { "CLAUDE.md": "notes.md", ".husky/pre-commit": "../scripts/hook.sh", ".github": "hub" };
  const { accesses } = await place(files, links);
  expect(await accesses(command)).toContain(expected);
  expect(await accesses("cat notes.md")).toEqual([]);
});

test("names a protected file that a pattern matches", async () => {
  const { accesses } = await place({ id_rsa: "", Jenkinsfile: "", "a.txt": "" });
  expect(await accesses("cat ./id_*")).toEqual(["read /ws/id_rsa"]);
  expect(await accesses("echo x | tee ./Jenkins*")).toEqual(["write /ws/Jenkinsfile"]);
  expect(await accesses("cat ./Jenkins* ./a*")).toEqual([]);
});

test("treats a pattern with too many matches as one that may lead anywhere", async () => {
  const { accesses, root } = await place({});
  execFileSync("sh", ["-c", "mkdir many && cd many && seq 2001 | xargs touch"], { cwd: root });
  expect(await accesses("cat many/*")).toEqual([`${ANYWHERE} /ws/many/*`]);
  expect(await accesses("cat many/20*")).toEqual([]);
});

test("reads a pattern of many stars in bounded time", async () => {
  const { accesses } = await place({ ["a".repeat(200)]: "" });
  expect(await accesses(`cat ./${"*a".repeat(100)}*b`)).toEqual([]);
});

test("reports a link outside that leads into the workspace, but not the system's own links", async () => {
  const { accesses, root, outside } = await place({ "secrets/key": "" });
  await symlink(root, join(outside, "back"));
  const key = "read /ws/secrets/key by /back/secrets/key";
  expect(await accesses("cat $OUT/back/secrets/key")).toEqual([key]);
  expect(await accesses("cat $OUT/bac?/secrets/key")).toEqual([key]);
  expect(await accesses("cat ../back/secrets/key")).toEqual([key]);
  expect(await accesses("ls /bin /proc/self/exe /dev/stdin $OUT/else")).toEqual([]);
});

test.each([
  "grep -r KEY sub",
  "grep -rn KEY ./sub",
  "grep --recursive KEY .",
  "grep -d recurse KEY sub",
  "grep -r KEY --include='*e*v' .",
  "grep -r KEY",
  "grep -r -A 3 sub",
  "cd sub && grep -r KEY",
  "sudo grep -r KEY sub",
  "grep -r KEY ./s*",
  "rg --hidden KEY",
  "rg -uu KEY sub",
  "rg -g '.e*' KEY",
  "rg -tsh KEY",
  "rg --type-add x:.env -tx KEY",
  "ag --hidden KEY",
  "git grep --no-index KEY",
  "git -C sub grep --no-index KEY",
  "git diff --no-index sub other",
  "diff -r sub other",
  "diff sub other",
])("names a protected file that the command would show unnamed: %s", async (command) => {
  const { accesses } = await place({ "sub/.env": "", "sub/a.ts": "", "other/a.ts": "" });
  expect(await accesses(command)).toEqual(["read /ws/sub/.env"]);
});

test("names a protected file that rg shows because it is not hidden, or because an ignore file brings it back", async () => {
  const { accesses } = await place({ id_rsa: "", ".env": "", "sub/a.ts": "" });
  expect(await accesses("rg KEY")).toEqual(["read /ws/id_rsa"]);
  const other = await place({ ".env": "", ".env.example": "", ".ignore": "!.env\n" });
  expect(await other.accesses("rg KEY")).toEqual(["read /ws/.env"]);
  const plain = await place({ ".env": "", ".gitignore": ".env*\n!.env.example\n" });
  expect(await plain.accesses("rg KEY")).toEqual([]);
});

test.each([
  "grep KEY sub/a.ts",
  "grep -r KEY other",
  "cd other && grep -r KEY",
  "rg KEY",
  "rg KEY sub",
  "git grep KEY",
  "ls -R",
  "find . -name a.ts",
  "wc -l sub/a.ts",
  "grep -r KEY node_modules",
  "grep -rn KEY . --include=*.ts",
  "grep -rn --include '*.ts' KEY .",
])("names nothing when the file is not shown: %s", async (command) => {
  const files = { "sub/.env": "", "sub/a.ts": "", "other/a.ts": "", "other/node_modules/x/.env": "" };
  const { accesses } = await place(files);
  expect(await accesses(command)).toEqual([]);
});

test.each([
  "grep -r KEY .",
  "egrep -r KEY .",
  "fgrep -r KEY",
  "git grep --no-index KEY",
  "grep -r KEY own",
  "cat own/*",
])("names Toolgate's own files when the command would show them unnamed: %s", async (command) => {
  const { root } = await aWorkspace({ "own/token": "", "a.ts": "" });
  const workspace = await LocalWorkspace.open(root, { own: [`${root}/own`] });
  expect(await commandLinks(command, root, workspace)).toContainEqual({
    path: `${root}/own/token`,
    access: "read",
  });
});

test.each([
  ["rm -rf sub", "delete /ws/sub/AGENTS.md"],
  ["env rm -r ./sub/", "delete /ws/sub/AGENTS.md"],
  ["rm -r s*/", "delete /ws/sub/AGENTS.md"],
  ["mv sub other", "write /ws/other/AGENTS.md"],
  ["cp -r sub/. .", "write /ws/AGENTS.md"],
  ["cp -a sub other", "write /ws/other/AGENTS.md"],
  ["rsync -a sub/ .", "write /ws/AGENTS.md"],
  ["cp sub/AGENTS.md .", "write /ws/AGENTS.md"],
  ["cp ./sub/* .", "write /ws/AGENTS.md"],
  ["cp -t . sub/AGENTS.md", "write /ws/AGENTS.md"],
  ["cp --target-directory=. sub/AGENTS.md", "write /ws/AGENTS.md"],
  ["cd other && cp ../sub/AGENTS.md .", "write /ws/other/AGENTS.md"],
  ["ln -s sub/AGENTS.md", "write /ws/AGENTS.md"],
  ["ln -s /tmp/AGENTS.md .", "write /ws/AGENTS.md"],
  ["install sub/AGENTS.md .", "write /ws/AGENTS.md"],
])("names a protected file that is moved or copied along: %s", async (command, expected) => {
  const { accesses } = await place({ "sub/AGENTS.md": "", "sub/a.ts": "", "other/a.ts": "" });
  expect(await accesses(command)).toContain(expected);
});

test.each([
  ["mv gh .github", "write /ws/.github/workflows"],
  ["mv -T gh .github", "write /ws/.github/workflows"],
  ["git mv gh .github", "write /ws/.github/workflows"],
  ["cp -r gh/. .github/", "write /ws/.github/workflows"],
  ["cp -r gh .github", "write /ws/.github/workflows"],
  ["rsync -a gh/ .github/", "write /ws/.github/workflows"],
  ["ln -s gh .github", "write /ws/.github/workflows"],
  ["ln -s other .github", "move /ws/.github"],
  ["mv other .cargo", "move /ws/.cargo"],
  ["cp -r venv/. .", "write /ws/AGENTS.md"],
  ["cp -R gh/. .github -S x", "write /ws/.github/workflows"],
  ["cp -r gh/workflows .github --sparse auto", "move /ws/.github"],
  ["mv gh/workflows .github -S y", "move /ws/.github"],
  ["rsync --archive gh/ .github/ --exclude foo", "write /ws/.github/workflows"],
  ["cd gh && cp --parents workflows/ci.yml ../.github", "write /ws/.github/workflows/ci.yml"],
])("names a target that is protected at its new place: %s", async (command, expected) => {
  const { accesses } = await place({ "gh/workflows/ci.yml": "", "other/a.ts": "", "venv/AGENTS.md": "" });
  expect(await accesses(command)).toContain(expected);
});

test.each(["rm -rf other", "cp -r other copy", "mv other copy", "cp sub/a.ts other", "rm -rf node_modules"])(
  "names nothing when no target is protected: %s",
  async (command) => {
    const files = { "sub/AGENTS.md": "", "sub/a.ts": "", "other/a.ts": "", "node_modules/x/AGENTS.md": "" };
    const { accesses } = await place(files);
    expect(await accesses(command)).toEqual([]);
  },
);

test("walks a folder through a link too, and again for a command that shows more", async () => {
  const { accesses } = await place({ "sub/.env": "" }, { way: "sub" });
  expect(await accesses("grep -r KEY way")).toEqual(["read /ws/sub by /ws/way", "read /ws/sub/.env"]);
  expect(await accesses("cd way && grep -r KEY")).toContain("read /ws/sub/.env");
  expect(await accesses("grep -r x --include=*.ts sub; grep -r x sub")).toEqual(["read /ws/sub/.env"]);
});

test("reports the links out of a folder that a command follows, but not those that stay in it", async () => {
  const links = { "sub/out": "../../else", "sub/own": "a.ts" };
  const { accesses } = await place({ "sub/a.ts": "", "other/a.ts": "" }, links);
  const out = "read /else by /ws/sub/out";
  for (const command of [
    "grep -R x sub",
    "grep -R x",
    "rg -L x",
    "diff -r sub other",
    "diff sub other",
    "zip -r a.zip sub",
    "tar chf a.tar sub",
    "tar -ch sub",
    "cp -rL sub x",
    "rsync -rL sub x",
  ])
    expect(await accesses(command), command).toContain(out);
  for (const command of [
    "grep -r x sub",
    "rg x",
    "zip -ry a.zip sub",
    "grep -R x other",
    "tar cf a.tar sub",
    "rsync -a sub x",
  ])
    expect(await accesses(command), command).toEqual([]);
});

test("reports links that are copied or moved when another command may use them", async () => {
  const { accesses } = await place({ "sub/a.ts": "" }, { "sub/out": "../../else/file.txt" });
  const out = "read /else/file.txt by /ws/sub/out";
  expect(await accesses("cp -r sub x && cat x/out")).toContain(out);
  expect(await accesses("mv sub x; cat x/out")).toContain(out);
  expect(await accesses("cp -r sub x")).toEqual([]);
});

test("treats too many folders as ones that may lead anywhere", async () => {
  const { accesses, root } = await place({});
  const names = Array.from({ length: 101 }, (_, index) => `d${index}`);
  for (const name of names) await mkdir(join(root, name));
  expect(await accesses(`grep -r x ${names.join(" ")}`)).toEqual([`${ANYWHERE} /ws/d99`]);
  expect(await accesses(`grep -r x ${names.slice(2).join(" ")}`)).toEqual([]);
});

test("ends a walk at the maximum number of names", async () => {
  const { workspace, root } = await aWorkspace({ "a/1": "", "a/2": "", "b/.env": "" });
  const walked = (names: number) => foundBelow(root, { shows: true, budget: { names } }, workspace);
  expect(await walked(5)).toEqual({ files: [`${root}/b/.env`], links: [] });
  expect(await walked(4)).toBeUndefined();
});

test("finds every name that a shell finds for a pattern", async () => {
  const names = ["a", "ab", "a.b", ".a", ".a.b", "a b", "[a]", "b/a", "b/ab", "b/.a", "é", "éa"];
  const { workspace, root } = await aWorkspace(Object.fromEntries(names.map((name) => [name, ""])));
  const piece = fc.constantFrom("a", "b", ".", "*", "?", "[ab]", "[!a]", "[", "]", "/", "é", "**");
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 5 }), async (pieces) => {
      const pattern = `./${pieces.join("")}`;
      const printed = execFileSync(
        "sh",
        ["-c", `for f in ${pattern}; do [ -e "$f" ] && echo "$f"; done; true`],
        {
          cwd: root,
          encoding: "utf8",
        },
      );
      const shell = printed.split("\n").filter((line) => line !== "");
      const found = await globNames(`${root}/${pattern}`, workspace);
      const real = new Set(found?.map((path) => resolve(path)));
      for (const path of shell) expect(real, pattern).toContain(resolve(root, path));
    }),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 20) },
  );
});

test("reports what a pattern without a folder matches, and asks where a name may be a flag", async () => {
  const links = { out: "../else/file.txt" };
  const { accesses, root } = await place({ "a.ts": "", id_rsa: "", "src/-x.ts": "" }, links);
  expect(await accesses("cat *.ts")).toEqual([]);
  expect(await accesses("cat o*")).toEqual(["read /else/file.txt by /ws/out"]);
  expect(await accesses("cat id*")).toEqual(["read /ws/id_rsa"]);
  expect(await accesses("cat src/*.ts")).toEqual([]);
  expect(await accesses("cd src && cat *.ts")).toEqual([`${ANYWHERE} /ws/src/-x.ts`]);
  await writeFile(join(root, "-r.ts"), "");
  expect(await accesses("grep x *.ts")).toEqual([`${ANYWHERE} /ws/-r.ts`]);
  expect(await accesses('for f in *.ts; do cat "$f"; done')).toEqual([`${ANYWHERE} /ws/-r.ts`]);
});

test("asks where a name that a loop splits has a blank in it", async () => {
  const { accesses } = await place({ "src/a.ts": "", "lib/a b.ts": "" });
  expect(await accesses("for f in src/*.ts; do wc -l $f; done")).toEqual([]);
  expect(await accesses("for f in lib/*.ts; do wc -l $f; done")).toEqual([`${ANYWHERE} /ws/lib/a b.ts`]);
  expect(await accesses('for f in lib/*.ts; do wc -l "$f"; done')).toEqual([]);
  expect(await accesses('for f in lib/*.ts; do wc -l $f; cat "$f"; done')).toEqual([
    `${ANYWHERE} /ws/lib/a b.ts`,
  ]);
});

test("reports the protected files and the links that find and xargs may come upon", async () => {
  const files = { "src/a.ts": "", "src/deep/.env": "", "lib/a b.ts": "", "doc/a.md": "", "bin/-x": "" };
  const { accesses } = await place(files, { "doc/out": "../../else/file.txt" });
  const secret = "read /ws/src/deep/.env";
  const out = "read /else/file.txt by /ws/doc/out";
  expect(await accesses("find src -type f | xargs cat")).toEqual([secret]);
  expect(await accesses("find src -name '*v' | xargs cat")).toEqual([secret]);
  expect(await accesses("find src -name '*.ts' -o -type f | xargs cat")).toEqual([secret]);
  expect(await accesses("find src -name '*.ts' -o -name '*v' | xargs cat")).toEqual([secret]);
  expect(await accesses("find src -not -name '*.ts' | xargs cat")).toEqual([secret]);
  expect(await accesses("find src -exec cat {} +")).toEqual([secret]);
  expect(await accesses("find src -name '*.ts' | xargs cat")).toEqual([]);
  expect(await accesses("find src -name '*.ts' -exec cat {} +")).toEqual([]);
  expect(await accesses("grep -rl x src | head -3 | xargs wc -l")).toContain(secret);
  expect(await accesses("find doc | xargs cat")).toEqual([out]);
  expect(await accesses("find doc -exec head -3 {} \\;")).toEqual([out]);
  expect(await accesses("find doc -type f | xargs cat")).toEqual([]);
  expect(await accesses("find lib -type f | xargs cat")).toEqual([`${ANYWHERE} /ws/lib`]);
  expect(await accesses("find lib -type f -print0 | xargs -0 cat")).toEqual([]);
  expect(await accesses("find lib -type f -exec cat {} +")).toEqual([]);
  expect(await accesses("find bin -type f | xargs cat")).toEqual([`${ANYWHERE} /ws/bin`]);
});

test("follows the variables of a command to the disk", async () => {
  const { accesses } = await place({ "a.ts": "" }, { out: "../else/file.txt" });
  const out = "read /else/file.txt by /ws/out";
  expect(await accesses("S=out; cat $S")).toEqual([out]);
  expect(await accesses('for f in a.ts out; do cat "$f"; done')).toEqual([out]);
  expect(await accesses("cat $PWD/out")).toEqual([out]);
  expect(await accesses("cat {a.ts,out}")).toEqual([out]);
  expect(await accesses('x=$(ls); D="$(pwd)"; cat "$D/out"')).toEqual([out]);
});

test("resolves a link with a trailing slash to the target that the command deletes", async () => {
  const { accesses } = await place({ "src/a.ts": "" }, { dist: "src" });
  expect(await accesses("rm -rf dist")).not.toContain("delete /ws/src by /ws/dist");
  expect(await accesses("rm -rf dist/")).toContain("delete /ws/src by /ws/dist");
});
