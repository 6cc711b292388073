/** `toolgate rules explain`, `describe` and `suggest`, with real files, a real ledger and real programs. */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { openLedger } from "../src/history/index.js";
import { aRun, record } from "../src/history/history.samples.js";
import { findBubblewrap } from "../src/tools/sandbox/sandbox.js";
import { folder } from "./agent-kit.js";
import { runHere } from "./run-here.js";
import { canMount, mountSmallDisk } from "./small-disk.js";

const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

/** Containing depends on the machine: switched off, but where a test is about it. */
async function project(files: Readonly<Record<string, string>> = {}, contained = false) {
  const cwd = realpathSync(await folder(files));
  const env = { ...process.env, TOOLGATE_CONFIG: join(cwd, ".config"), XDG_STATE_HOME: join(cwd, ".state") };
  mkdirSync(join(cwd, ".config"));
  writeFileSync(join(cwd, ".config", "config.json"), JSON.stringify({ contained }));
  return { cwd, env, run: (...words: readonly string[]) => runHere(words, { cwd, env }) };
}

describe("rules explain", () => {
  test.skipIf(findBubblewrap() === undefined)("says that a command would be contained", async () => {
    const { run } = await project({}, true);
    const { stdout } = await run("rules", "explain", "--", "npm test");
    expect(stdout).toMatch(
      /^contained\n {2}runs unasked in the sandbox if the sandbox works here; otherwise Toolgate asks\n/,
    );
    expect((await run("rules", "explain", "--json", "--", "npm test")).stdout).toContain('"contained"');
    expect((await run("rules", "explain", "--", "git push")).stdout).toMatch(/^ask\n/);
  });

  test.skipIf(findBubblewrap() === undefined)("agrees with rules test about the sandbox", async () => {
    const { run } = await project({}, true);
    for (const command of ["npm test", "git push"]) {
      const [tested, explained] = [
        await run("rules", "test", "--", command),
        await run("rules", "explain", "--", command),
      ];
      expect(tested.stdout.split("\n", 1)).toEqual(explained.stdout.split("\n", 1));
    }
    expect((await run("rules", "test", "--json", "--", "npm test")).stdout).toContain(
      '"decision":"contained"',
    );
  });

  test("shows words, effects, rules and the way to run it unasked, in a process of its own", async () => {
    const { cwd, env } = await project();
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [program, "rules", "explain", "--", "cd src && go test -v ./... | tail -5"],
      { cwd, env, encoding: "utf8" },
    );
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(
      `ask
part 1: cd src
  cd   program, described
  src  path, read
  effects:
    reads ${cwd}/src
    only reads
  rules:
    none needed
part 2: go test -v ./...
  go     program, described
  test   subcommand, described
  -v     option
  ./...  data
  effects:
    fetches from a host that no word names
    runs code of the folder
  rules:
    no rule covers it
part 3: tail -5
  tail  program, described
  -5    option
  effects:
    only reads
  rules:
    allow read
runs unasked with:
  toolgate rules add '{"allow":"execute","command":"go test *","width":"subcommand"}'
`,
    );
  });

  test("gives the same as JSON, and hides no control character", async () => {
    const { run } = await project();
    const { stdout } = await run("rules", "explain", "--json", "--", "rm .env");
    expect(JSON.parse(stdout)).toMatchObject({ decision: "ask", wouldAllow: null, parts: [{ rules: [] }] });
    expect((await run("rules", "explain", "--", "echo", "a\u001B[31mb")).stdout).not.toContain("\u001B");
  });
});

describe("rules add", () => {
  test("says that a program is unknown, and what the rule then covers", async () => {
    const { run } = await project();
    const unknown = await run("rules", "add", '{"allow":"execute","command":"mytool *"}');
    expect(unknown.stderr).toMatch(/does not know mytool\..*plain words.*toolgate rules describe mytool/s);
    for (const rule of [
      '{"allow":"execute","command":"npm run lint *"}',
      '{"allow":"execute","command":"mytool build"}',
      '{"deny":"execute","command":"mytool *"}',
    ])
      expect((await run("rules", "add", rule)).stderr).toBe("");
  });
});

const HELP = `echo "Usage: mytool [options] <file>

  -o, --output <file>  write here
  --exec <command>     run this
  --level N            how hard"`;

describe("rules describe", () => {
  test("drafts from --help, writes only with --write, and the draft is then in force", async () => {
    const { cwd, env } = await project();
    const bin = join(cwd, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "mytool"), `#!/bin/sh\n${HELP}\n(env; tty; ls -A) > ${join(cwd, "ran")}\n`);
    chmodSync(join(bin, "mytool"), 0o755);
    const withTool = { ...env, PATH: `${bin}:${process.env["PATH"] ?? ""}`, SECRET_KEY: "s3cret" };
    const run = (...words: readonly string[]) => runHere(words, { cwd, env: withTool });
    const file = join(cwd, ".config", "programs", "mytool.json");

    const shown = await run("rules", "describe", "mytool");
    expect(shown.status).toBe(0);
    expect(JSON.parse(shown.stdout)).toMatchObject({
      programs: { mytool: { takes: "-o= --output= --exec= --level=", edits: "-o --output" } },
    });
    expect(shown.stderr).toContain("running mytool --help, which is running mytool");
    expect(shown.stderr).toContain("Nothing was written. To keep it: toolgate rules describe --write mytool");
    expect(existsSync(file)).toBe(false);
    const ran = readFileSync(join(cwd, "ran"), "utf8");
    expect(ran).toContain("not a tty");
    expect(ran).not.toMatch(/SECRET_KEY|TOOLGATE_CONFIG/);

    expect((await run("rules", "describe", "--write", "mytool")).status).toBe(0);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(JSON.parse(shown.stdout));
    expect((await run("rules", "describe", "--write", "mytool")).status).toBe(1);

    await run("rules", "add", '{"allow":"execute","command":"mytool *"}');
    const decision = async (command: string) =>
      (await run("rules", "test", "--", command)).stdout.split("\n", 1)[0];
    expect(await decision("mytool -o out/a.txt --level 3 a.txt")).toBe("allow");
    expect(await decision("mytool --exec id a.txt")).toBe("ask");
    expect(await decision("mytool --other a.txt")).toBe("ask");
  });

  test("writes nothing for a program that is missing, silent or not a name", async () => {
    const { run, cwd } = await project();
    expect(await run("rules", "describe", "no-such-program-here")).toMatchObject({ status: 1, stdout: "" });
    writeFileSync(join(cwd, "silent"), "#!/bin/sh\n");
    chmodSync(join(cwd, "silent"), 0o755);
    expect(await run("rules", "describe", "--write", "./silent")).toMatchObject({ status: 1, stdout: "" });
    expect((await run("rules", "describe", "a;b")).stderr).toContain("Nothing was run.");
    expect(existsSync(join(cwd, ".config", "programs"))).toBe(false);
  });
});

describe("rules suggest", () => {
  const FILES = {
    "package.json": '{"scripts":{"test":"vitest","lint":"eslint .","deploy":"x","prepublishOnly":"y"}}',
    Makefile: "check: build\n\ttrue\ninstall:\n\ttrue\nX := 1\n",
    "go.mod": "module x\n",
    ".github/workflows/ci.yml":
      "jobs:\n  a:\n    steps:\n      - run: npm ci\n      - run: |\n          cargo test --all\n          curl https://x.example | sh\n      - run: npm run ${{ matrix.x }}\n",
  };

  async function recorded() {
    const files = { "go.mod": "module x\n", "package.json": FILES["package.json"], Makefile: FILES.Makefile };
    const made = await project(files);
    mkdirSync(join(made.cwd, ".github", "workflows"), { recursive: true });
    writeFileSync(join(made.cwd, ".github", "workflows", "ci.yml"), FILES[".github/workflows/ci.yml"]);
    const at = Date.now() - 60_000;
    const by = { by: "person", who: "ann" } as const;
    const calls = ["go test ./...", "go test ./... | tail -3", "npm publish"].flatMap((command, index) =>
      aRun(`c${index}`, { at: at + index * 100, rawInput: { command }, decision: by }),
    );
    // Nobody was asked about these; other agents hand a command to a shell, or name its folder by their own word.
    const also = [
      { command: ["bash", "-lc", "go test -race ./..."] },
      { command: "go test -v .", workdir: "sub" },
      { command: "go test -short ./..." },
      { command: "go test -failfast ./..." },
    ].flatMap((rawInput, index) => aRun(`d${index}`, { at: at + 900, rawInput }));
    mkdirSync(join(made.cwd, ".state", "toolgate"), { recursive: true });
    const ledger = await openLedger(join(made.cwd, ".state", "toolgate", "ledger.sqlite"));
    await record(ledger, "s1", [{ type: "info-changed", at, info: { cwd: made.cwd } }, ...calls, ...also]);
    await ledger.close();
    return made;
  }

  test("lists rules of the project and the record with their effect, and adds only the taken one", async () => {
    const { run } = await recorded();
    const { stdout } = await run("rules", "suggest", "--json");
    const { suggestions, commands } = JSON.parse(stdout);
    expect(commands).toBe(7);
    expect(suggestions[0]).toMatchObject({
      rule: { allow: "execute", command: "go test *", width: "subcommand" },
      from: ["go.mod"],
      saved: 2,
      allowed: 2,
      saves: ["go test ./...", "go test ./... | tail -3"],
      alsoLets: ["go test -race ./...", "go test -v .", "go test -short ./...", "go test -failfast ./..."],
    });
    const all = suggestions.map(({ rule }: { rule: { command: string } }) => rule.command).toSorted();
    expect(all).toEqual(
      [
        "cargo test *",
        "go build *",
        "go test *",
        "go vet *",
        "make check *",
        "npm run lint *",
        "npm test *",
      ].toSorted(),
    );

    const listed = await run("rules", "suggest");
    expect(listed.stdout).toContain("allowed 2 times, never refused; would have saved 2 questions");
    expect(listed.stdout).toContain("    go test -race ./...\n");
    expect(listed.stdout).toContain("    and 1 other command: --json has all of them\n");
    expect((await run("rules", "list")).stdout).not.toContain("go test");

    const taken = await run("rules", "suggest", "--take", suggestions[0].id);
    expect(taken.stdout).toMatch(
      /"go test \*".* applies from now on.*Revoke it with: toolgate rules revoke/s,
    );
    expect((await run("rules", "test", "--", "go test -v ./...")).stdout).toMatch(/^allow\n/);
    const after = JSON.parse((await run("rules", "suggest", "--json")).stdout);
    expect(JSON.stringify(after)).not.toContain('"go test');
  });

  test("adds nothing for an id that no suggestion has", async () => {
    const { run } = await project({ "go.mod": "module x\n" });
    expect(await run("rules", "suggest", "--take", "nope")).toMatchObject({ status: 1, stdout: "" });
    expect((await run("rules", "list")).stdout).not.toContain("go ");
  });
});

test.skipIf(!canMount)("rules add names the file that a full disk has no room for", async () => {
  const disk = mountSmallDisk();
  if (!disk) throw new Error("A disk could be mounted before, and not now.");
  onTestFinished(disk.remove);
  disk.fill();
  const cwd = await folder();
  const env = { ...process.env, TOOLGATE_CONFIG: disk.path };
  const { stderr, status } = await runHere(["rules", "add", '{"allow":"read"}'], { cwd, env });
  expect(stderr).toBe(
    `toolgate: ${join(disk.path, "grants.json.lock")} cannot be written: the disk is full. Nothing was done; make room and try again.\n`,
  );
  expect(status).toBe(1);
});
