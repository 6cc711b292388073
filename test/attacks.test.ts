/**
 * The attack catalogue, run: real tools through the real gate on a real tree, real commands, real servers. Each test
 * checks the decision, that nothing outside the workspace changed, and that no secret was disclosed.
 * adversarial.test.ts checks the decisions alone, also on commands; mcp.test.ts has the catalogue's servers.
 *
 * With TOOLGATE_LONG set the long ones run at their full length.
 */
import { execFile } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { ToolCall } from "../src/call/index.js";
import type { Rule } from "../src/policy/index.js";
import type { Ask } from "../src/run/index.js";
import { fetchTool, LocalWorkspace } from "../src/tools/index.js";
import type { FetchOptions } from "../src/tools/index.js";
import { aServer, sends } from "../src/tools/web/web.samples.js";
import { callText } from "../src/view/index.js";
import {
  anEmptyTree,
  aTree,
  builtTree,
  fixtures,
  gateOn,
  no,
  outsideOf,
  placed,
  removed,
  SECRETS,
  secretsIn,
  yes,
} from "./attack-kit.js";
import { isAlive } from "./is-alive.js";
import type { Outcome, Tried } from "./attack-kit.js";
import { childProgram } from "./child-programs.js";

const isLong = process.env["TOOLGATE_LONG"] !== undefined;

type Case = {
  readonly id: string;
  readonly default?: "allow" | "ask" | "deny";
  readonly rules?: readonly Rule[];
  readonly input: {
    readonly tool?: "read" | "edit" | "delete";
    readonly path?: string;
    readonly url?: string;
  };
  readonly accept?: readonly string[];
  readonly why: string;
};

const read = (name: string): readonly Case[] => JSON.parse(readFileSync(join(fixtures, name), "utf8"));
/** The catalogue's paths, which adversarial.test.ts decides on and this file acts on. */
const paths = read("decisions.json").filter(({ id }) => id.startsWith("PA-"));
/** Files that can only be run. */
const runs = new Map(read("runs.json").map((one) => [one.id, one]));

/** The ids of the cases whose tests ran. */
const tried = new Set<string>();

const anything: readonly Rule[] = [{ allow: "*", anyFlags: true }];

function caseOf(id: string): Case {
  const found = runs.get(id);
  if (!found) throw new Error(`There is no case ${id}.`);
  return found;
}

/** The calls that use the path, one for each tool. */
const callsFor = ({ tool, path }: Case["input"]): readonly (readonly [name: string, input: object])[] => {
  if (tool === "read") return [["read_file", { path }]];
  if (tool === "delete") return [["delete_path", { path, recursive: true }]];
  return [
    ["write_file", { path, content: "attacked\n" }],
    ["edit_file", { path, newText: "attacked\n" }],
  ];
};

describe("a path", () => {
  const titled = (one: Case) => [one.why, one] as const;

  test.each(paths.filter(({ id }) => id !== "PA-002").map(titled))(
    "decides safely: %s",
    async (_why, one) => {
      tried.add(one.id);
      const { outcomes, secrets, outside } = await actedOn(one);
      // A call that fails before anyone decides on it has done nothing either.
      const accepted = one.accept?.includes("allow") === true ? one.accept : [...(one.accept ?? []), "error"];
      for (const outcome of outcomes) expect(accepted).toContain(outcome);
      expect(secrets).toEqual([]);
      expect(outside.after).toBe(outside.before);
    },
  );

  // Not held yet: a path that is absolute and has ".." in it is taken for a link.
  test.each(paths.filter(({ id }) => id === "PA-002").map(titled))(
    "is allowed where it should be asked about: %s",
    async (_why, one) => {
      tried.add(one.id);
      expect((await actedOn(one)).outcomes).toEqual(["allow"]);
    },
  );

  async function actedOn(one: Case) {
    const root = aTree();
    // Toolgate's own files, which a case only names.
    const own = join(root, "outside/toolgate");
    mkdirSync(own);
    for (const name of ["rules.json", "ledger.sqlite"]) writeFileSync(join(own, name), "{}");
    const input = { ...one.input, path: ownPath(one.input.path ?? "", own) };
    const before = outsideOf(root);
    const { attempt } = await gateOn(root, { ...one, own: [own] });
    const ends: Tried[] = [];
    for (const [name, given] of callsFor(input)) ends.push(await attempt(name, given));
    return {
      outcomes: ends.map(({ outcome }) => outcome),
      secrets: ends.flatMap(({ call }) => secretsIn(call)),
      outside: { before, after: outsideOf(root) },
    };
  }

  test("changes nothing outside when its folder becomes a link between the approval and the write", async () => {
    tried.add("PA-025");
    const root = aTree();
    const before = outsideOf(root);
    const swap = () => {
      renameSync(join(root, "ws/src"), join(root, "ws/src-was"));
      symlinkSync(join(root, "outside"), join(root, "ws/src"));
    };
    const back = () => {
      rmSync(join(root, "ws/src"));
      renameSync(join(root, "ws/src-was"), join(root, "ws/src"));
    };
    let questions = 0;
    // Yes to the first question and a swap with it; the second one is for what the first was not.
    const ask: Ask = (question, signal) => {
      questions += 1;
      if (questions === 1) swap();
      return (questions === 1 ? yes : no)(question, signal);
    };
    const { attempt } = await gateOn(root, { ask });
    const { call, asked } = await attempt("write_file", { path: "/ws/src/a.ts", content: "attacked\n" });
    back();
    expect(call.state.status).toBe("refused");
    expect(asked[1]).toMatchObject({
      reason: "its action has changed since the decision",
      about: [
        `write: ${root}/outside/a.ts (written as ${root}/ws/src/a.ts)`,
        `${root}/outside/a.ts is outside of the workspace`,
      ],
    });
    expect(outsideOf(root)).toBe(before);
  });

  test("changes nothing outside when its folder becomes a link at any moment after the approval", async () => {
    tried.add("PA-025");
    const root = aTree();
    const before = outsideOf(root);
    const rules: Rule[] = [
      { allow: "edit", path: "/ws/src/**" },
      { allow: "read", path: "/ws/**" },
    ];
    const { attempt } = await gateOn(root, { rules });
    const flipping = flip(join(root, "ws/src"), join(root, "outside"));
    for (let times = 0; times < (isLong ? 1000 : 30); times += 1) {
      // Whatever becomes of the calls.
      const ends = await Promise.allSettled([
        attempt("write_file", { path: "/ws/src/a.ts", content: `attacked ${times}\n` }),
        attempt("read_file", { path: "/ws/src/secret" }),
      ]);
      for (const end of ends) if (end.status === "fulfilled") expect(secretsIn(end.value.call)).toEqual([]);
    }
    expect(await flipping.stop()).toBeGreaterThan(0);
    expect(outsideOf(root)).toBe(before);
  });

  test("is not overwritten when its content changed after the diff was shown", async () => {
    tried.add("PA-026");
    const root = aTree();
    const file = join(root, "ws/src/a.ts");
    let questions = 0;
    const ask: Ask = (question, signal) => {
      questions += 1;
      if (questions === 1) writeFileSync(file, "someone's work\n");
      return (questions === 1 ? yes : no)(question, signal);
    };
    const { attempt } = await gateOn(root, { ask });
    const { call } = await attempt("write_file", { path: "/ws/src/a.ts", content: "attacked\n" });
    expect(call.state.status).toBe("refused");
    // A repeated question is shown again.
    expect(call.content).toMatchObject([{ type: "diff", oldText: "someone's work\n" }]);
    expect(readFileSync(file, "utf8")).toBe("someone's work\n");
  });

  test("follows no symlink in a recursive delete", async () => {
    tried.add("PA-063");
    const root = aTree();
    const before = outsideOf(root);
    const { attempt } = await gateOn(root, caseOf("PA-063"));
    for (const path of ["/ws/tmp/dirlink", "/ws/tmp/tree"]) {
      const { outcome } = await attempt("delete_path", { path, recursive: true });
      expect(outcome).toBe("allow");
      expect(existsSync(placed(root, path))).toBe(false);
    }
    expect(outsideOf(root)).toBe(before);
  });

  test("is resolved once from a working directory that is a symlink", async () => {
    tried.add("PA-066");
    const root = aTree();
    expect((await LocalWorkspace.open(join(root, "ws_link"))).root).toBe(join(root, "ws"));
    const { attempt } = await gateOn(root, {
      workspace: "/ws_link",
      rules: [{ allow: "read", path: "/ws/**" }],
    });
    expect((await attempt("read_file", { path: "src/a.ts" })).outcome).toBe("allow");
  });

  test("asks about an allowed command in a working directory outside the workspace", async () => {
    tried.add("PA-067");
    const root = aTree();
    const { attempt } = await gateOn(root, caseOf("PA-067"));
    expect((await attempt("terminal", { command: "ls" })).outcome).toBe("allow");
    for (const cwd of ["/outside", "/ws/outlink", "/ws/src/outdir", "/ws/src/outdir/..", "../outside"]) {
      const { outcome, call } = await attempt("terminal", { command: "ls", cwd });
      expect(outcome, cwd).toBe("ask");
      expect(call.state.status).toBe("refused");
    }
  });

  test.each([
    [-1, 0],
    [0, 1],
    [1, -5],
    [1.5, 1],
    [1e308, 1],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ])("is not read with line %d and limit %d", async (line, limit) => {
    tried.add("PA-068");
    const { attempt } = await gateOn(aTree(), { rules: [{ allow: "read" }] });
    const { outcome, call } = await attempt("read_file", { path: "/ws/src/a.ts", line, limit });
    expect(outcome).toBe("error");
    expect(call.rawOutput).toBeUndefined();
  });

  test("costs little time and memory when it is a sparse file of 10 GiB", async () => {
    tried.add("PA-069");
    const { attempt } = await gateOn(aTree(), { rules: [{ allow: "*" }] });
    const before = process.memoryUsage.rss();
    for (const [name, input] of [
      ["read_file", { path: "/ws/sparse10G" }],
      ["read_file", { path: "/ws/sparse10G", line: 1_000_000 }],
      ["edit_file", { path: "/ws/sparse10G", oldText: "a", newText: "b" }],
      ["write_file", { path: "/ws/sparse10G", content: "" }],
      ["move_path", { from: "/ws/sparse10G", to: "/ws/sparse" }],
      ["delete_path", { path: "/ws/sparse" }],
    ] as const) {
      const started = process.cpuUsage();
      await attempt(name, input);
      const { user, system } = process.cpuUsage(started);
      expect((user + system) / 1000, name).toBeLessThan(5_000);
    }
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024);
  });

  test.each([
    ["a pipe", "fifo", "read_file"],
    ["links that go in a circle", "loop1", "read_file"],
    ["bytes that are no UTF-8", "latin1.txt", "read_file"],
    ["a folder on the way that is a file", "README.md/x", "read_file"],
    ["a NUL", "src\0/a.ts", "read_file"],
    ["half a character", "src/\uD800", "read_file"],
    ["a pipe to write", "fifo", "write_file"],
  ])("%s fails at once and in words", async (_, path, name) => {
    const { attempt } = await gateOn(aTree(), { rules: [{ allow: "*" }] });
    const { outcome, call } = await attempt(name, { path, content: "" });
    expect(outcome).toBe("error");
    expect(JSON.stringify(call.state)).toMatch(/Nothing was|was not changed|Nothing has/);
  });
});

/** Ways to the secret outside that the catalogue does not list. None may be taken unasked. */
describe("a way out of the workspace", () => {
  const everything: Rule[] = [
    { allow: "read" },
    { allow: "search" },
    { allow: "edit" },
    { allow: "move" },
    { allow: "delete" },
    ...["cat", "cd", "cp", "echo", "grep", "head", "ls", "mv", "tee", "touch"].map((program) => ({
      allow: "execute",
      command: `${program} *`,
    })),
  ];

  // Nothing may change in it, so one is enough for all.
  let root = "";
  beforeAll(() => {
    root = builtTree();
    symlinkSync("../outside", join(root, "ws/up"));
    symlinkSync("up/../outside/secret", join(root, "ws/zigzag"));
    symlinkSync("zigzag", join(root, "ws/zigzag2"));
    symlinkSync("src/../outlink/dir/../secret", join(root, "ws/zag"));
    symlinkSync("/proc/self/root", join(root, "ws/slash"));
    symlinkSync(join(root, "outside/secret"), join(root, "ws/two\nlines"));
  });
  afterAll(() => removed(root));

  test.each([
    ["read_file", { path: "up/secret" }],
    ["read_file", { path: "up/../outside/secret" }],
    ["read_file", { path: "src/outdir/../secret" }],
    ["read_file", { path: "zigzag2" }],
    ["read_file", { path: "zag" }],
    ["read_file", { path: "two\nlines" }],
    ["read_file", { path: "slash/outside/secret" }],
    ["read_file", { path: "slash/../outside/secret" }],
    ["read_file", { path: "/proc/self/root/outside/secret" }],
    ["read_file", { path: "../ws/../outside/./secret" }],
    ["read_file", { path: "missing/../../outside/secret" }],
    ["list_directory", { path: "up" }],
    ["list_directory", { path: "src/outdir/.." }],
    ["find_path", { pattern: "*", path: "up" }],
    ["grep", { pattern: "out", path: "up" }],
    ["grep", { pattern: "out", path: "outfile" }],
    ["write_file", { path: "up/new", content: "x" }],
    ["write_file", { path: "missing/../src/outdir/new", content: "x" }],
    ["edit_file", { path: "chain1", oldText: "out", newText: "in" }],
    ["move_path", { from: "README.md", to: "src/outdir/new" }],
    ["move_path", { from: "outlink/secret", to: "taken" }],
    ["delete_path", { path: "outlink/.", recursive: true }],
    ["delete_path", { path: "tmp/dirlink/../dir", recursive: true }],
    ["delete_path", { path: "up/dir/keep" }],
    ["terminal", { command: "cat zigzag2" }],
    ["terminal", { command: "cat 'two\nlines'" }],
    ["terminal", { command: "cat \"out\"'fi'le" }],
    ["terminal", { command: "cat < chain1" }],
    ["terminal", { command: "cd up && cat secret" }],
    ["terminal", { command: "cd up/dir && cat ../secret" }],
    ["terminal", { command: "cd -P src/outdir/.. && cat secret" }],
    ["terminal", { command: "cd -eP src/outdir/.. && cat secret" }],
    ["terminal", { command: "cd -P src/outdir && cd .. && cat secret" }],
    ["terminal", { command: "cat up/../outside/secret" }],
    ["terminal", { command: "cat secret", cwd: "up" }],
    ["terminal", { command: "head -n1 README.md outfile" }],
    ["terminal", { command: "grep -f outfile README.md" }],
    ["terminal", { command: "grep --file=outfile README.md" }],
    ["terminal", { command: "cat out*" }],
    ["terminal", { command: "cat */secret" }],
    ["terminal", { command: "cat out{file,link/secret}" }],
    ["terminal", { command: "echo x > outfile" }],
    ["terminal", { command: "echo x >> src/dangling" }],
    ["terminal", { command: "echo x | tee up/new" }],
    ["terminal", { command: "touch src/outdir/new" }],
    ["terminal", { command: "cp README.md src/dangling" }],
    ["terminal", { command: "mv README.md up/new" }],
    ["terminal", { command: "ls", env: { PATH: "." } }],
    ["terminal", { command: "ls", env: { LD_PRELOAD: "./x.so" } }],
    ["terminal", { command: "ls", env: { NODE_OPTIONS: "--require ./x" } }],
    ["terminal", { command: "ls", env: { GIT_DIR: "x", GIT_SSH_COMMAND: "x" } }],
    ["terminal", { command: "ls", env: { ENV: "x", BASH_ENV: "x", IFS: "x" } }],
    ["terminal", { command: "PATH=. ls" }],
  ])("%s %j is not taken unasked", async (name, input) => {
    const before = outsideOf(root);
    const { attempt } = await gateOn(root, { rules: everything });
    const { call, outcome } = await attempt(name, input);
    expect(["ask", "deny"] satisfies Outcome[]).toContain(outcome);
    expect(secretsIn(call)).toEqual([]);
    expect(outsideOf(root)).toBe(before);
  });

  test("a hard link to a file outside is not written through", async () => {
    const before = outsideOf(root);
    const { attempt } = await gateOn(root, { rules: everything });
    expect((await attempt("write_file", { path: "/ws/src/hard", content: "x" })).outcome).toBe("allow");
    linkSync(join(root, "outside/secret"), join(root, "ws/src/hard2"));
    const input = { path: "/ws/src/hard2", oldText: "outside", newText: "x" };
    expect((await attempt("edit_file", input)).outcome).toBe("allow");
    expect((await attempt("delete_path", { path: "/ws/src/hard2" })).outcome).toBe("allow");
    expect(outsideOf(root)).toBe(before);
  });

  test("a name with a line in it is refused in one line", async () => {
    const { attempt } = await gateOn(root, { rules: everything });
    const { outcome, call } = await attempt("read_file", { path: "two\nlines" });
    expect(outcome).toBe("deny");
    expect(callText(call)).not.toMatch(/^lines/m);
  });
});

/* Ways around the rules that once worked. */
describe("an attack that once worked", () => {
  const denied: Rule[] = [{ deny: "read", path: "/ws/secrets/" }];
  const reading: Rule[] = [{ allow: "read" }, { allow: "search" }];

  test.each([
    ["/ws/.env", "/ws/x.txt", "/ws/x.txt"],
    ["/ws/secrets", "/ws/x", "/ws/x/key.pem"],
  ])("stays denied when the file is renamed: %s", async (from, to, then) => {
    tried.add("PA-052");
    const { attempt } = await gateOn(aTree(), caseOf("PA-052"));
    const moved = await attempt("move_path", { from, to });
    expect(["ask", "deny"] satisfies Outcome[]).toContain(moved.outcome);
    expect(secretsIn((await attempt("read_file", { path: then })).call)).toEqual([]);
  });

  /** Who moves a file takes it away from where it was. */
  test.each([{ deny: "delete" }, { deny: "edit" }])("applies %j to a move", async (rule) => {
    const rules: Rule[] = [{ ...rule, path: "/ws/src/" }];
    const { attempt } = await gateOn(aTree(), { default: "allow", rules });
    const { outcome } = await attempt("move_path", { from: "/ws/src/a.ts", to: "/ws/a.ts" });
    expect(["ask", "deny"] satisfies Outcome[]).toContain(outcome);
  });

  test("fails an edit with a message when its passage is gone after the yes, and gate.call returns", async () => {
    const root = aTree();
    const ask: Ask = (question, signal) => {
      writeFileSync(join(root, "ws/src/a.ts"), "someone's work\n");
      return yes(question, signal);
    };
    const { attempt } = await gateOn(root, { ask });
    const { call } = await attempt("edit_file", { path: "/ws/src/a.ts", oldText: "a", newText: "b" });
    expect(call.state.status).toBe("failed");
  });

  /** Everything may be done but reading the secrets, and here is another way to them. */
  test.each([
    "cat /proc/self/cwd/secrets/key.pem",
    "cat /dev/fd/../cwd/secrets/key.pem",
    "cat /ws_link/secrets/key.pem",
    "grep -r denied",
    "git grep --no-index denied",
  ])("does not let %s read a file that a rule denies", async (command) => {
    const root = aTree();
    rmSync(join(root, "ws/sparse10G"));
    const { attempt } = await gateOn(root, { default: "allow", rules: denied });
    expect(secretsIn((await attempt("terminal", { command })).call)).toEqual([]);
  });

  /** The workspace may be read, and a link that came with it leads out. */
  test.each([
    "cat ./out*",
    "cat src/../out*",
    "head -n 1 ./*",
    "grep -h outside- ./*",
    "grep -R outside- .",
    "diff -rN tmp docs",
    "sort --files0-from=list",
  ])("does not let %s read outside the workspace by a rule on reading it", async (command) => {
    const root = aTree();
    for (const name of ["sparse10G", "fifo", "src/hard"]) rmSync(join(root, "ws", name));
    symlinkSync(join(root, "outside/secret"), join(root, "ws/tmp/link"));
    writeFileSync(join(root, "ws/list"), `${root}/outside/secret\0`);
    const { attempt } = await gateOn(root, { rules: reading });
    expect(secretsIn((await attempt("terminal", { command })).call)).not.toContain(SECRETS[0]);
  });

  /** An environment file is asked about when it is named; here it is come upon. */
  test.each([
    ["grep", { pattern: "KEY", hidden: true }],
    ["grep", { pattern: "KEY", hidden: true, glob: ".env" }],
    ["terminal", { command: "grep -r KEY sub" }],
  ])("does not let %s %j show protected content by a rule on searching", async (name, input) => {
    const { attempt } = await gateOn(aTree(), { rules: reading });
    expect(secretsIn((await attempt(name, input)).call)).toEqual([]);
  });

  test("names the folder of a command in its question", async () => {
    const root = aTree();
    const { attempt } = await gateOn(root);
    const { asked } = await attempt("terminal", { command: "rm -rf build", cwd: "/ws/src" });
    expect(JSON.stringify(asked)).toContain(`${root}/ws/src`);
  });

  test("shows the value of a variable in the question", async () => {
    const { attempt } = await gateOn(aTree());
    const { asked } = await attempt("terminal", { command: "ls", env: { PATH: "/evil/bin" } });
    expect(JSON.stringify(asked)).toContain("/evil/bin");
  });

  test("says in the question that a file is protected, also when no rule covers it", async () => {
    const { attempt } = await gateOn(aTree());
    const { asked } = await attempt("write_file", { path: "/ws/.git/config", content: "" });
    expect(JSON.stringify(asked)).toMatch(/git/i);
    expect(asked[0]?.reason).toBeDefined();
  });
});

describe("a command", () => {
  const outputOf = ({ rawOutput }: ToolCall) => rawOutput as { output: string; truncated?: number };

  test("cuts its output between characters", async () => {
    tried.add("TE-015");
    const { attempt } = await gateOn(anEmptyTree(), { rules: anything, ask: yes });
    for (const start of ["", "x", "xx", "xxx"]) {
      const command = `printf ${start || "''"}; i=0; while [ $i -lt 12 ]; do cat big; i=$((i+1)); done; printf '€end'`;
      const { call } = await attempt("terminal", { command: `yes 'é€😀' | head -n 2000 > big; ${command}` });
      const { output, truncated } = outputOf(call);
      expect(truncated).toBeGreaterThan(0);
      expect(output).not.toMatch(/\uFFFD|\p{Surrogate}/u);
      expect(output).toContain("€end");
      expect(output.startsWith(`${start}é€😀`)).toBe(true);
    }
  });

  test.each([-1, 0, Number.MAX_SAFE_INTEGER, "5"])("is not run with a timeout of %j", async (timeout) => {
    tried.add("TE-017");
    const root = anEmptyTree();
    const { attempt } = await gateOn(root, { rules: anything, ask: yes });
    const { outcome } = await attempt("terminal", { command: "touch ran", timeout });
    expect(outcome).toBe("error");
    expect(existsSync(join(root, "ws/ran"))).toBe(false);
  });

  test("bounds a very wide line", async () => {
    tried.add("TE-019");
    const { attempt } = await gateOn(anEmptyTree(), { rules: anything, ask: yes });
    const { call } = await attempt("terminal", { command: "head -c 100000000 /dev/zero | tr '\\0' x" });
    const { output, truncated = 0 } = outputOf(call);
    expect(truncated).toBeGreaterThan(99_000_000);
    expect(output.length).toBeLessThan(200_000);
    expect(callText(call).length).toBeLessThan(10_000);
  });

  test("joins a character that comes in pieces", async () => {
    tried.add("TE-020");
    const { attempt } = await gateOn(anEmptyTree(), { rules: anything, ask: yes });
    const command = "printf '\\342'; sleep 0.2; printf '\\202\\254'";
    expect(outputOf((await attempt("terminal", { command })).call).output).toBe("€");
  });

  test.each<[string, string, number, string?]>([
    [
      "the whole process group is ended",
      "sh -c 'sleep 1000 & echo $! >> pids; echo $$ >> pids; exec sleep 1000'",
      2,
      "TE-022",
    ],
    [
      "a process that ignores SIGTERM is ended",
      `sh -c "trap '' TERM HUP INT; echo \\$\\$ >> pids; sleep 1000; sleep 1000"`,
      1,
      "TE-023",
    ],
    [
      "a process in a session of its own is ended too",
      "setsid sh -c 'echo $$ >> pids; exec sleep 1000'; true",
      1,
    ],
    [
      "a process that left its parents is ended too",
      "(setsid sh -c 'echo $$ >> pids; exec sleep 1000' &) ; (sh -c 'echo $$ >> pids; exec sleep 1000' &) ; sleep 1000",
      2,
    ],
  ])("%s", async (_, command, count, id) => {
    if (id !== undefined) tried.add(id);
    const root = anEmptyTree();
    const { attempt } = await gateOn(root, { rules: anything, ask: yes });
    const stop = new AbortController();
    const ended = attempt("terminal", { command }, stop.signal);
    const pids = await vi.waitFor(() => {
      const found = readFileSync(join(root, "ws/pids"), "utf8").trim().split("\n").map(Number);
      expect(found).toHaveLength(count);
      return found;
    }, 120_000);
    onTestFinished(() => pids.filter(isAlive).forEach((pid) => process.kill(pid, "SIGKILL")));
    const asked = performance.now();
    stop.abort();
    expect((await ended).call.state.status).toBe("cancelled");
    await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), 120_000);
    expect(performance.now() - asked).toBeLessThan(60_000);
  });

  test("is decided on as the shell reads it, string or words", async () => {
    tried.add("TE-029");
    const root = anEmptyTree();
    const { attempt } = await gateOn(root, { rules: [{ allow: "execute", command: "ls *" }] });
    for (const command of ["ls; touch PWNED", "ls\ntouch PWNED", "ls `touch PWNED`", "ls & touch PWNED"])
      expect((await attempt("terminal", { command })).outcome, command).toBe("ask");
    const workspace = await LocalWorkspace.open(join(root, "ws"));
    const run = workspace.runCommand(["ls; touch PWNED"], {
      signal: new AbortController().signal,
      onOutput: () => undefined,
    });
    await expect(run).rejects.toThrow(/could not be started.*Nothing was run/s);
    expect(existsSync(join(root, "ws/PWNED"))).toBe(false);
  });

  test("fails without running anything when its arguments are too long", async () => {
    tried.add("TE-030");
    const root = anEmptyTree();
    const { attempt } = await gateOn(root, { rules: anything, ask: yes });
    const { call } = await attempt("terminal", { command: `echo ${"argument".repeat(20_000)} > out` });
    expect(call.state).toMatchObject({ status: "failed" });
    expect(JSON.stringify(call.state)).toContain("Nothing was run");
    const workspace = await LocalWorkspace.open(join(root, "ws"));
    const words = ["echo", ...Array.from({ length: 200 }, () => "an argument".repeat(1_100))];
    const options = { signal: new AbortController().signal, onOutput: () => undefined };
    await expect(workspace.runCommand(words, options)).rejects.toThrow(
      /could not be started.*Nothing was run/s,
    );
    expect((await attempt("terminal", { command: "echo still here" })).call.rawOutput).toMatchObject({
      output: "still here\n",
    });
  });

  test.each(["cat", "cat -", "head -n1 /dev/stdin", "sh", "read line; echo got $?"])(
    "does not wait for input: %s",
    async (command) => {
      tried.add("TE-032");
      const { attempt } = await gateOn(anEmptyTree(), { rules: anything, ask: yes });
      const { call } = await attempt("terminal", { command, timeout: 20 });
      expect(call.state.status).toBe("done");
    },
  );
});

describe("a heavy load", () => {
  const child = childProgram("heavy.mjs");
  /** In a process of its own: its memory is nobody else's. */
  const heavy = async (...words: readonly string[]): Promise<unknown> =>
    JSON.parse((await promisify(execFile)(process.execPath, [child, ...words])).stdout);

  test("keeps the start and the end of a huge output in bounded memory", async () => {
    tried.add("RE-001");
    const size = isLong ? 1024 ** 3 : 128 * 1024 ** 2;
    const cost = await heavy("output", String(size));
    expect(cost).toMatchObject({ status: "done", exitCode: 0, start: "FIRST\n", end: true });
    const { grown, truncated, length, stored } = cost as Record<string, number>;
    expect(grown).toBeLessThanOrEqual(64);
    expect(truncated).toBeGreaterThan(0.9 * size);
    expect(length).toBeLessThan(200_000);
    // Once a mebi-unit was shown, there is a small update per second.
    expect(stored).toBeLessThan(4_000_000);
  });

  test("holds idle sessions in less than half a megabyte each", async () => {
    tried.add("RE-003");
    const sessions = isLong ? 1000 : 200;
    const { rss, slowest, count } = (await heavy("sessions", String(sessions))) as Record<string, number>;
    expect(count).toBe(sessions);
    // A fifth of the sessions may take a fifth of the memory, beside what the program itself takes.
    expect(rss).toBeLessThanOrEqual(112 + 0.4 * sessions);
    // The promise is a tenth of a second.
    expect(slowest).toBeLessThan(2_000);
  });

  test.each(["(a+)+$", "(a|a)*c", "(?:a?){50}a{50}", "(((a*)*)*)*b"])(
    "ends a search for %s in bounded time",
    async (pattern) => {
      tried.add("RE-008");
      const root = anEmptyTree();
      writeFileSync(join(root, "ws/long.txt"), `${"a".repeat(50)}b\n${"a".repeat(100_000)}b\n`);
      const { attempt } = await gateOn(root, { rules: [{ allow: "search" }] });
      const started = performance.now();
      const { outcome } = await attempt("grep", { pattern });
      expect(outcome).toBe("allow");
      expect(performance.now() - started).toBeLessThan(60_000);
    },
  );

  test("searches a large tree with links in circles in bounded time", async () => {
    tried.add("RE-009");
    const root = anEmptyTree();
    const [folders, perFolder] = [isLong ? 1000 : 40, 100];
    for (let folder = 0; folder < folders; folder += 1) {
      const path = join(root, folder % 2 === 0 ? "ws/many" : "ws/node_modules", String(folder));
      mkdirSync(path, { recursive: true });
      for (let file = 0; file < perFolder; file += 1)
        writeFileSync(join(path, `${file}.txt`), `needle ${file}\n`);
      symlinkSync("..", join(path, "circle"));
    }
    const { attempt } = await gateOn(root, { rules: [{ allow: "search" }, { allow: "read" }] });
    const started = performance.now();
    const found = await attempt("find_path", { pattern: "many/**/7.txt" });
    const lines = await attempt("grep", { pattern: "needle 7$" });
    expect(performance.now() - started).toBeLessThan(60_000);
    for (const { call, outcome } of [found, lines]) {
      expect(outcome).toBe("allow");
      expect(String(call.rawOutput)).not.toContain("circle");
    }
    expect(String(found.call.rawOutput).split("\n").length).toBeGreaterThan(15);
  });

  test("leaves neither files nor processes open after many commands", async () => {
    tried.add("RE-010");
    const { attempt } = await gateOn(anEmptyTree(), { rules: anything, ask: yes });
    const cycles = async (count: number) => {
      for (let done = 0; done < count; done += 10)
        await Promise.all(Array.from({ length: 10 }, () => attempt("terminal", { command: "true" })));
    };
    await cycles(20);
    const before = { files: openFiles(), children: childrenOf(process.pid) };
    await cycles(isLong ? 10_000 : 50);
    await vi.waitFor(() => {
      expect(openFiles()).toBeLessThanOrEqual(before.files);
      expect(childrenOf(process.pid)).toBeLessThanOrEqual(before.children);
    }, 120_000);
  });
});

describe("a URL", () => {
  /** A fetch tool to which no name is known, and that remembers which it was asked for. */
  function lookedUp(options: FetchOptions = {}) {
    const names: string[] = [];
    const tool = fetchTool({
      lookup: (host) => {
        names.push(host);
        return Promise.reject(Object.assign(new Error("unknown"), { code: "ENOTFOUND" }));
      },
      ...options,
    });
    return { names, tool };
  }

  const titled = (...ids: readonly string[]) => ids.map((id) => [caseOf(id).why, id] as const);

  test.each(titled("HT-050", "HT-051", "HT-052", "HT-054", "HT-055", "HT-056"))(
    "is asked about, refused or fails: %s",
    async (_why, id) => {
      tried.add(id);
      const one = caseOf(id);
      const { names, tool } = lookedUp();
      const { attempt } = await gateOn(anEmptyTree(), { ...one, tools: [tool] });
      const { outcome } = await attempt("fetch", { url: one.input.url });
      // A URL that cannot be fetched at all fails before anyone is asked.
      expect([...(one.accept ?? []), "error"]).toContain(outcome);
      expect(names).toEqual([]);
    },
  );

  test.each(titled("HT-046", "HT-048"))("is fetched unasked: %s", async (_why, id) => {
    tried.add(id);
    const { names, tool } = lookedUp();
    const { attempt } = await gateOn(anEmptyTree(), { ...caseOf(id), tools: [tool] });
    const { asked } = await attempt("fetch", { url: caseOf(id).input.url });
    expect({ asked, names }).toEqual({ asked: [], names: ["allowed.example"] });
  });

  test("a host with letters of another alphabet is shown as what it is", async () => {
    const { attempt } = await gateOn(anEmptyTree(), caseOf("HT-055"));
    const { asked } = await attempt("fetch", { url: caseOf("HT-055").input.url });
    expect(asked[0]?.title).toBe("Fetch xn--llowed-2nf.example");
  });

  // The person would say yes: no question may be asked.
  test.each(titled("HT-058", "HT-060", "HT-061", "HT-062", "HT-064", "HT-066", "HT-067", "HT-070"))(
    "is refused without a connection: %s",
    async (_why, id) => {
      tried.add(id);
      const one = caseOf(id);
      const server = await aServer(sends("inside"));
      const { attempt } = await gateOn(anEmptyTree(), { ...one, ask: yes });
      const url = (one.input.url ?? "").replace("PORT", String(server.port));
      const { outcome } = await attempt("fetch", { url });
      expect(["deny", "error"] satisfies Outcome[]).toContain(outcome);
      expect(server.connections()).toBe(0);
    },
  );

  test.each([
    "http://0:PORT/",
    "http://0.0.0.0:PORT/",
    "http://0177.0.0.1:PORT/",
    "http://0x7f.1:PORT/",
    "http://127.0.1:PORT/",
    "http://127.255.255.254:PORT/",
    "http://LOCALHOST:PORT/",
    "http://a.localhost:PORT/",
    "http://localhost.localdomain:PORT/",
    "http://①②⑦.⓪.⓪.①:PORT/",
    "http://127。0。0。1:PORT/",
    "http://[::]:PORT/",
    "http://[::ffff:7f00:1]:PORT/",
    "http://[::127.0.0.1]:PORT/",
    "http://[64:ff9b::7f00:1]:PORT/",
    "http://[2002:7f00:1::]:PORT/",
    "http://[0:0:0:0:0:0:0:1]:PORT/",
    "http://[fe80::1]:PORT/",
    "http://[fd00:ec2::254]/latest/meta-data/",
    "http://[::ffff:169.254.169.254]/",
    "http://2852039166/latest/meta-data/",
    "http://0xA9FEA9FE/",
    "http://metadata.google.internal/",
    "http://100.100.100.200/latest/meta-data/",
    "http://192.168.0.1/",
    "http://10.0.0.1/",
    "http://172.31.255.255/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://\t127.0.0.1:PORT/",
    "http:127.0.0.1:PORT",
    "http:\\\\127.0.0.1:PORT\\",
    "gopher://127.0.0.1:PORT/",
    "data:text/plain,x",
  ])("does not fetch %s, also after a yes", async (written) => {
    const server = await aServer(sends("inside"));
    const { attempt } = await gateOn(anEmptyTree(), { rules: [{ allow: "fetch" }], ask: yes });
    const { outcome } = await attempt("fetch", { url: written.replace("PORT", String(server.port)) });
    expect(["deny", "error"] satisfies Outcome[]).toContain(outcome);
    expect(server.connections()).toBe(0);
  });

  /** allowed.example is a server of ours. */
  const known = (more: FetchOptions = {}) =>
    fetchTool({
      lookup: () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]),
      reach: (_, address) => address === "127.0.0.1",
      ...more,
    });
  const ruleFor = (port: number): Rule[] => [{ allow: "fetch", host: `http://*.allowed.example:${port}` }];

  test("connects to the address that was checked when the name changes", async () => {
    tried.add("HT-074");
    const { port, connections } = await aServer((_, response) =>
      response.writeHead(302, { location: "/again", connection: "close" }).end(),
    );
    const elsewhere = await otherServer(port);
    const answers = ["127.0.0.1", "127.0.0.2"];
    let asked = 0;
    const lookup = () => Promise.resolve([{ address: answers[asked++] ?? "127.0.0.2", family: 4 }]);
    const { attempt } = await gateOn(anEmptyTree(), { rules: ruleFor(port), tools: [known({ lookup })] });
    const { outcome, call } = await attempt("fetch", { url: `http://rebind.allowed.example:${port}/` });
    expect(outcome).toBe("error");
    expect(JSON.stringify(call.state)).toContain("is not on the public internet (127.0.0.2, loopback)");
    expect([asked, connections(), elsewhere()]).toEqual([2, 1, 0]);
  });

  test("a name with one address inside among public ones is not connected to at all", async () => {
    const { port, connections } = await aServer(sends("inside"));
    const lookup = () =>
      Promise.resolve([
        { address: "93.184.215.14", family: 4 },
        { address: "127.0.0.1", family: 4 },
      ]);
    const { attempt } = await gateOn(anEmptyTree(), { rules: ruleFor(port), tools: [fetchTool({ lookup })] });
    expect((await attempt("fetch", { url: `http://two.allowed.example:${port}/` })).outcome).toBe("error");
    expect(connections()).toBe(0);
  });

  test.each([
    ["an endless body", {}, (write: (chunk: Buffer) => void) => write(Buffer.alloc(65_536, "x"))],
    [
      "a body that is small until it is unpacked",
      { "content-encoding": "gzip" },
      (write: (chunk: Buffer) => void) => write(BOMB),
    ],
  ])("bounds a response: %s", async (_, headers, feed) => {
    tried.add("HT-075");
    let isGone = false;
    const { port } = await aServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/plain", ...headers });
      response.on("close", () => (isGone = true));
      const more = () => {
        while (!response.destroyed && !response.writableNeedDrain) feed((chunk) => response.write(chunk));
      };
      response.on("drain", more);
      more();
    });
    const { attempt } = await gateOn(anEmptyTree(), { rules: ruleFor(port), tools: [known()] });
    const { outcome, call } = await attempt("fetch", { url: `http://x.allowed.example:${port}/big` });
    expect(outcome).toBe("allow");
    expect(String(call.rawOutput)).toContain("The page is longer than 10485760 bytes");
    await vi.waitFor(() => expect(isGone).toBe(true), 120_000);
  });

  test("bounds a response of a byte now and then", async () => {
    tried.add("HT-075");
    const { port } = await aServer((_, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      const timer = setInterval(() => response.write("x"), 20);
      response.on("close", () => clearInterval(timer));
    });
    const { attempt } = await gateOn(anEmptyTree(), {
      rules: ruleFor(port),
      tools: [known({ timeLimit: 300 })],
    });
    const { call } = await attempt("fetch", { url: `http://x.allowed.example:${port}/slow` });
    expect(String(call.rawOutput)).toContain("The page was not complete after 0.3 s");
  });

  test("ends a loop of redirects", async () => {
    tried.add("HT-076");
    const { port, requests } = await aServer((_, response) =>
      response.writeHead(302, { location: "/loop" }).end(),
    );
    const { attempt } = await gateOn(anEmptyTree(), { rules: ruleFor(port), tools: [known()] });
    const { outcome, call } = await attempt("fetch", { url: `http://x.allowed.example:${port}/loop` });
    expect(outcome).toBe("error");
    expect(JSON.stringify(call.state)).toContain("more than 10 times");
    expect(requests.length).toBeLessThanOrEqual(11);
  });
});

test("tries every case of these families", () => {
  const all = [...paths.map(({ id }) => id), ...runs.keys()];
  expect([...tried].toSorted()).toEqual(all.toSorted());
});

/** Toolgate's own files, which a case only names. */
function ownPath(path: string, own: string): string {
  if (path === "<product policy file, existing>") return join(own, "rules.json");
  return path === "<product history DB>" ? join(own, "ledger.sqlite") : path;
}

/** Another process that makes a folder now itself, now a link to elsewhere, as quickly as it can. */
function flip(folder: string, elsewhere: string) {
  // A tool may make the folder again in any gap: then that one is the folder.
  const script = `
    const { renameSync, symlinkSync, unlinkSync } = require("node:fs");
    const [folder, elsewhere] = process.argv.slice(1);
    const quietly = (act) => { try { act(); } catch {} };
    let times = 0, over = false;
    process.stdin.on("data", () => (over = true));
    const turn = () => {
      const aside = folder + "-" + (times += 1);
      quietly(() => renameSync(folder, aside));
      quietly(() => symlinkSync(elsewhere, folder));
      quietly(() => unlinkSync(folder));
      quietly(() => renameSync(aside, folder));
      if (over) process.stdout.write(String(times), () => process.exit());
      else setImmediate(turn);
    };
    turn();`;
  const flipping = promisify(execFile)(process.execPath, ["-e", script, folder, elsewhere]);
  onTestFinished(() => void flipping.child.kill("SIGKILL"));
  return {
    /** How often it did so. */
    stop: async (): Promise<number> => {
      flipping.child.stdin?.write("stop");
      return Number((await flipping).stdout);
    },
  };
}

/** A server at another address of this machine; how many have connected to it. */
async function otherServer(port: number): Promise<() => number> {
  let connections = 0;
  const server = createServer((_, response) => response.end("inside"));
  server.on("connection", () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.2", resolve));
  onTestFinished(() => void server.close());
  return () => connections;
}

const BOMB = gzipSync(Buffer.alloc(50 * 1024 * 1024));

/** A process that has ended and that nobody has collected is no longer alive. */
const openFiles = (): number => readdirSync("/proc/self/fd").length;

function childrenOf(parent: number): number {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return new RegExp(`\\) \\S ${parent} `).test(readFileSync(`/proc/${pid}/stat`, "utf8"));
      } catch {
        return false;
      }
    }).length;
}
