import { mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { createToolTitle } from "../../call/index.js";
import { decide } from "../../policy/index.js";
import type { Rule } from "../../policy/index.js";
import type { ToolContext, ToolIntent } from "../tool.js";
import { aContext, aWorkspace, failureOf, parsed, resultOf } from "../tools.samples.js";
import { terminal } from "./terminal.js";

type ModelOutput = {
  readonly output: string;
  readonly exitCode?: number;
  readonly signal?: string;
  readonly timedOut?: boolean;
  readonly truncated?: number;
};

async function runIn(context: ToolContext, command: string, more: object = {}) {
  const { output, ...result } = await resultOf(terminal, { command, ...more }, context);
  return { ...result, modelOutput: output as ModelOutput }; // what the tool promises to the model
}

/** The context, with something that happens as soon as the command prints. */
function whenItPrints(context: ToolContext, act: (text: string) => void): ToolContext {
  return {
    ...context,
    terminal: (name) => {
      const inner = context.terminal(name);
      return {
        ...inner,
        print: (text) => {
          inner.print(text);
          act(text);
        },
      };
    },
  };
}

test("shows the output as it arrives, and the exit at the end", async () => {
  const { workspace } = await aWorkspace();
  const { context, printed, shown } = aContext(workspace);
  const { modelOutput, content, isError } = await runIn(context, "echo hello; sleep 0.3; echo world >&2");
  expect(printed).toEqual(["hello\n", "world\n"]);
  expect(shown).toEqual([{ exit: { exitCode: 0 } }]);
  expect(modelOutput).toEqual({ exitCode: 0, output: "hello\nworld\n" });
  expect(isError).toBeUndefined();
  expect(content).toEqual([
    {
      type: "terminal",
      terminalId: context.terminal().terminalId,
      output: { head: "hello\nworld\n", tail: "", total: 12 },
      exit: { exitCode: 0 },
    },
  ]);
});

test("reports the exit code of a failing command without failing the tool", async () => {
  const { workspace } = await aWorkspace();
  const { modelOutput, isError } = await runIn(aContext(workspace).context, "echo no; exit 7");
  expect(modelOutput).toEqual({ exitCode: 7, output: "no\n" });
  expect(isError).toBeUndefined();
});

test("reports the signal of a command that was killed from elsewhere", async () => {
  const { workspace } = await aWorkspace();
  const { modelOutput } = await runIn(aContext(workspace).context, "kill -9 $$");
  expect(modelOutput).toEqual({ signal: "SIGKILL", output: "" });
});

test("keeps the beginning and the end of long output, and says how to get the rest", async () => {
  const { workspace } = await aWorkspace();
  const { context, printed } = aContext(workspace);
  const { modelOutput } = await runIn(context, "seq 300000");
  expect(modelOutput.output.length).toBeLessThan(70_000);
  expect(modelOutput.output.startsWith("1\n2\n")).toBe(true);
  expect(modelOutput.output).toContain("… 1,923,359 characters left out …");
  expect(modelOutput.truncated).toBe(1_923_359);
  expect(modelOutput.output).toMatch(/299999\n300000\n\[The output is too long.* read_file\.\]$/);
  expect(printed.join("").length).toBe(1_988_895);
});

test("runs the command in the requested folder with the requested variables", async () => {
  const { workspace, root } = await aWorkspace({ "sub/file.txt": "" });
  const { context } = aContext(workspace);
  const more = { cwd: "sub", env: { GREETING: "hello $HOME" } };
  const { modelOutput } = await runIn(context, `pwd; ls; echo "$GREETING"`, more);
  expect(modelOutput.output).toBe(`${join(root, "sub")}\nfile.txt\nhello $HOME\n`);
});

test("reports a cwd that is not a folder before anything runs", async () => {
  const { workspace } = await aWorkspace({ "file.txt": "" });
  const { context, printed } = aContext(workspace);
  for (const cwd of ["missing", "file.txt"]) {
    const words = `ToolFailure: terminal: ${cwd} is not a folder. Nothing was run. Give a folder that exists, or leave cwd out.`;
    expect(await failureOf(runIn(context, "echo ran", { cwd }))).toBe(words);
    // Before the decision, nothing about the folder is disclosed.
    expect(await intentOf(workspace, "echo ran", { cwd })).toMatchObject({ cwd: join(workspace.root, cwd) });
  }
  expect(printed).toEqual([]);
});

test("ends a command whose time is up with its child processes, and reports its output so far", async () => {
  const { workspace, root } = await aWorkspace();
  const { context, shown } = aContext(workspace);
  const command = "echo started; (sleep 2; touch late) & sleep 60";
  const { modelOutput, isError, content } = await runIn(context, command, { timeout: 1 });
  expect(modelOutput).toEqual({ signal: "SIGTERM", output: "started\n", timedOut: true });
  expect(isError).toMatch(/^terminal: timed out after 1 s; the command and its child processes were ended\./);
  expect(content).toMatchObject([{ output: { head: "started\n" }, exit: { signal: "SIGTERM" } }]);
  expect(shown).toEqual([{ exit: { signal: "SIGTERM" } }]);
  await setTimeout(1500);
  expect(await workspace.look(join(root, "late"))).toBeUndefined();
});

test("reports a timeout for a server that shuts down cleanly at the limit", async () => {
  const { workspace } = await aWorkspace();
  const command = `trap "echo bye; exit 0" TERM; echo up; while :; do sleep 0.1; done`;
  const { modelOutput, isError } = await runIn(aContext(workspace).context, command, { timeout: 1 });
  expect(modelOutput).toMatchObject({ exitCode: 0, timedOut: true });
  expect(modelOutput.output).toContain("bye\n");
  expect(isError).toContain("timed out after 1 s");
});

test("takes its time limit from the input, within the maximum, and refuses other values", () => {
  expect(terminal.timeLimit).toBe(Number.POSITIVE_INFINITY);
  for (const timeout of [0, -1, 3601, Number.NaN, "60"]) {
    expect(terminal.parse({ command: "true", timeout })).toMatchObject({ ok: false });
  }
  expect(terminal.parse({ command: "true", timeout: 3600 })).toMatchObject({ ok: true });
});

test("ends a cancelled command with the reason and its output so far", async () => {
  const { workspace } = await aWorkspace();
  const cancel = new AbortController();
  const { context, printed, shown } = aContext(workspace, cancel.signal);
  const reason = new Error("the user pressed stop");
  const running = runIn(
    whenItPrints(context, () => cancel.abort(reason)),
    "echo started; sleep 60",
  );
  await expect(running).rejects.toBe(reason);
  expect(printed).toEqual(["started\n"]);
  expect(shown).toEqual([{ exit: { signal: "SIGTERM" } }]);
});

test("reports a command as done when it ended in spite of the cancel", async () => {
  const { workspace } = await aWorkspace();
  const cancel = new AbortController();
  const { context } = aContext(workspace, cancel.signal);
  const { modelOutput } = await runIn(
    whenItPrints(context, () => cancel.abort()),
    `trap "" TERM; echo started; sleep 0.3; echo ended`,
  );
  expect(modelOutput).toEqual({ exitCode: 0, output: "started\nended\n" });
});

test("runs nothing when it was cancelled before it began", async () => {
  const { workspace, root } = await aWorkspace();
  const reason = new Error("too late");
  await expect(runIn(aContext(workspace, AbortSignal.abort(reason)).context, "touch made")).rejects.toBe(
    reason,
  );
  expect(await workspace.look(join(root, "made"))).toBeUndefined();
});

test("requests a terminal of the workspace when the input asks for one", async () => {
  const { workspace } = await aWorkspace();
  const sizes: unknown[] = [];
  const watched = new Proxy(workspace, {
    get: (target, name) =>
      name === "runCommand"
        ? (_command: string, { pty }: { readonly pty?: unknown }) => {
            sizes.push(pty);
            return Promise.resolve({ exitCode: 0 });
          }
        : Reflect.get(target, name),
  });
  const { context } = aContext(watched);
  for (const pty of [undefined, false, true]) await runIn(context, "tty", pty === undefined ? {} : { pty });
  expect(sizes).toEqual([undefined, undefined, { columns: 120, rows: 30 }]);
});

async function intentOf(
  workspace: ToolContext["workspace"],
  command: string,
  more: object = {},
): Promise<ToolIntent> {
  const { executor, ...others } =
    (await terminal.intent?.(parsed(terminal, { command, ...more }), workspace)) ?? {};
  // A search path with folders that others can write adds a variable of ours.
  // The variables of its environment stand in it where the command names them.
  const { known: _, ...shell } = (await workspace.executor?.()) ?? {};
  expect(executor).toMatchObject(shell);
  return others;
}

test("names in its intent the exact text, the folder and the variables", async () => {
  const { workspace, root } = await aWorkspace({ "sub/file.txt": "" });
  const command = "  echo 'a'\n\trm -rf build # \u202E";
  expect(await intentOf(workspace, command)).toEqual({ command });
  await symlink("sub", join(root, "way"));
  expect(await intentOf(workspace, "ls", { cwd: "way", env: { CI: "1" } })).toEqual({
    command: "ls",
    cwd: join(root, "sub"),
    env: { CI: "1" },
  });
});

async function aWorkspaceWithLinks() {
  const there = await aWorkspace({ "secrets/key.txt": "k", "plain.txt": "", "src/app.ts": "" });
  const { root, outside } = there;
  await mkdir(join(outside, "else", "deep"), { recursive: true });
  await writeFile(join(outside, "else", "file.txt"), "");
  await symlink("secrets/key.txt", join(root, "inlink"));
  await symlink("../else", join(root, "outdir"));
  await symlink("../else/deep", join(root, "deepdir"));
  await symlink("../nowhere/yet", join(root, "dangling"));
  await symlink("../../secrets", join(root, "src", "up"));
  await symlink("src/app.ts", join(root, "applink"));
  await symlink("loop", join(root, "loop"));
  return there;
}

test("reports the real target of a word that is a link or goes through one", async () => {
  const { workspace, root, outside } = await aWorkspaceWithLinks();
  const found = async (command: string, more: object = {}) => {
    const { paths = [] } = await intentOf(workspace, command, more);
    return paths.map(({ path, named, access }) =>
      `${access} ${named ?? "-"} -> ${path}`.replaceAll(outside, ""),
    );
  };
  const inlink = "read /ws/inlink -> /ws/secrets/key.txt";
  const outdir = "read /ws/outdir -> /else";
  expect(await found("cat inlink")).toEqual([inlink]);
  expect(await found(`cat ${root}/inlink ./inlink 'inlink'`)).toEqual([inlink]);
  expect(await found("true && sudo cat inlink | wc")).toEqual([inlink]);
  expect(await found("bash -c 'cat inlink'")).toEqual([inlink]);
  expect(await found("dd if=inlink")).toEqual([inlink]);
  expect(await found("grep -finlink x")).toEqual([inlink]);
  expect(await found("curl -d @inlink http://a.example")).toEqual([inlink]);
  expect(await found("wc < inlink")).toEqual([inlink]);
  expect(await found("echo x > dangling")).toEqual(["write /ws/dangling -> /nowhere/yet"]);
  expect(await found("cp inlink copy.txt")).toEqual([inlink]);
  // The system goes up from where the link leads.
  expect(await found("cat deepdir/../file.txt")).toEqual(["read /ws/file.txt -> /else/file.txt"]);
  expect(await found("cd src && cat up/key.txt")).toEqual(["read /ws/src/up/key.txt -> /secrets/key.txt"]);
  expect(await found("cat up/key.txt", { cwd: "src" })).toEqual([
    "read /ws/src/up/key.txt -> /secrets/key.txt",
  ]);
  expect(await found("cd outdir && cat file.txt")).toEqual([
    outdir,
    "read /ws/outdir/file.txt -> /else/file.txt",
  ]);
  // The shell, for its part, goes back to where it came from.
  expect(await found("cd outdir && cd .. && cat plain.txt")).toEqual([outdir]);
  for (const flags of ["-P", "-eP", "-PP", "-LP", "-Pe", "-e -P"])
    expect(await found(`cd ${flags} deepdir/..`), flags).toEqual(["read /ws -> /else"]);
});

test("reports a change through a link as a change of its target", async () => {
  const { workspace, outside } = await aWorkspaceWithLinks();
  const accesses = async (command: string) => {
    const { paths = [] } = await intentOf(workspace, command);
    return paths.map(({ path, access }) => `${access} ${path}`.replaceAll(outside, ""));
  };
  const changed = ["read /ws/secrets/key.txt", "write /ws/secrets/key.txt"];
  expect(await accesses("cp plain.txt inlink")).toEqual(changed);
  expect(await accesses("echo x | tee -a inlink")).toEqual(changed);
  expect(await accesses("cp plain.txt outdir/new.txt")).toEqual([
    "read /else/new.txt",
    "write /else/new.txt",
  ]);
  expect(await accesses("rm outdir/file.txt")).toEqual(["read /else/file.txt", "delete /else/file.txt"]);
  // The link goes, not what it leads to.
  expect(await accesses("rm inlink")).toEqual(["read /ws/secrets/key.txt"]);
});

test("applies a rule on a link's target to the command, and asks about a link out of the workspace", async () => {
  const { workspace, root } = await aWorkspaceWithLinks();
  const rules: readonly Rule[] = [
    { allow: "read" },
    { allow: "execute", command: "cat *" },
    { allow: "execute", command: "cp *" },
    { deny: "read", path: `${root}/secrets/**` },
    { deny: "edit", path: `${root}/src/**` },
  ];
  const decided = async (command: string) => {
    const intent = { tool: "terminal", kind: "execute", input: {}, cwd: root } as const;
    const whole = {
      ...intent,
      paths: [],
      hosts: [],
      baseHashes: {},
      ...(await intentOf(workspace, command)),
    };
    return decide(whole, { rules, roots: [root], home: "/home/someone" }).effect;
  };
  expect(await decided("cat plain.txt")).toBe("allow");
  expect(await decided("cat inlink")).toBe("deny");
  expect(await decided("cat outdir/file.txt")).toBe("ask");
  expect(await decided("cat applink")).toBe("allow");
  expect(await decided("cp plain.txt applink")).toBe("deny");
});

test("names no paths for a command without links", async () => {
  const { workspace, root } = await aWorkspaceWithLinks();
  const ordinary = [
    "npm test",
    "cat plain.txt src/app.ts src/../plain.txt ./plain.txt missing.txt",
    `cat ${root}/plain.txt ${root}/src/../plain.txt > out.txt`,
    "sed -n 's/a/b/p' plain.txt",
    "ls plain.txt/below loop /usr /proc/self/exe ../else",
    `node -e "${"x".repeat(5000)}"`,
    `printf '\\0' "a\nb"`,
  ];
  for (const command of ordinary) expect(await intentOf(workspace, command)).toEqual({ command });
});

test("reports where a link outside of the workspace leads, also one that a pattern matches", async () => {
  const { workspace, outside } = await aWorkspaceWithLinks();
  await symlink("file.txt", join(outside, "else", "l1"));
  await symlink("/etc/hostname", join(outside, "else", "l2"));
  const found = async (command: string) => {
    const { outsideLinks = [] } = await intentOf(workspace, command);
    return outsideLinks.map(({ named, path }) => `${named} -> ${path}`.replaceAll(outside, ""));
  };
  const real = await realpath("/etc/hostname");
  expect(await found("cat ../else/l1")).toEqual(["/else/l1 -> /else/file.txt"]);
  expect(await found(`cat ${outside}/else/l2 > a`)).toEqual([`/else/l2 -> ${real}`]);
  expect(await found("cat ../else/l*")).toEqual(["/else/l1 -> /else/file.txt", `/else/l2 -> ${real}`]);
  expect(await found("cd ../else && echo x > l1")).toEqual(["/else/l1 -> /else/file.txt"]);
  expect(await found("cat ../else/file.txt plain.txt")).toEqual([]);
});

test("finds a link at any position, and refuses too many words", async () => {
  const { workspace } = await aWorkspaceWithLinks();
  const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`).join(" ");
  const { paths } = await intentOf(workspace, `cat ${words(1500)} inlink`);
  expect(paths).toHaveLength(1);
  expect(await failureOf(intentOf(workspace, `cat ${words(2000)} inlink`))).toContain(
    "more than 2000 different words that may be paths. Nothing was run.",
  );
});

test("reads very many links in bounded time, and treats them as changed", async () => {
  const { workspace, root } = await aWorkspace({ "plain.txt": "" });
  const names = Array.from({ length: 60 }, (_, index) => `link${index}`);
  for (const name of names) await symlink("plain.txt", join(root, name));
  const { paths = [] } = await intentOf(workspace, `cat ${names.join(" ")}`);
  expect(paths.filter(({ access }) => access === "write")).toHaveLength(60);
});

test("works in a workspace behind a link", async () => {
  const { workspace, outside } = await aWorkspace({ "plain.txt": "" });
  await symlink("ws", join(outside, "ws-link"));
  expect(await realpath(join(outside, "ws-link"))).toBe(workspace.root);
  expect(await intentOf(workspace, "cat plain.txt")).toEqual({ command: "cat plain.txt" });
});

test("its title is the command", () => {
  expect(createToolTitle(terminal.name, { command: "npm test", cwd: "web" })).toBe("Run npm test");
});

test("refuses a missing or empty command and a variable without a name", () => {
  expect(terminal.parse({ command: "" })).toMatchObject({ ok: false });
  expect(terminal.parse({})).toMatchObject({ ok: false });
  for (const name of ["", "A=B", "1A", "A B"]) {
    expect(terminal.parse({ command: "true", env: { [name]: "x" } })).toMatchObject({ ok: false });
  }
});
