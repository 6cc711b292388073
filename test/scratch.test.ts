/** Edits by commands and temporary files, as a person meets them: the program, a library's gate, another agent. */
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { MemoryLedger } from "../src/history/index.js";
import { inMode } from "../src/policy/index.js";
import type { Mode } from "../src/policy/index.js";
import { openGate } from "../src/run/index.js";
import { builtInTools } from "../src/tools/index.js";
import { folder } from "./agent-kit.js";
import { atHome } from "./cli-kit.js";

/** A temporary folder of the test's own, with the names in the base folder of its sessions. */
function temporaryIn(home: string) {
  const temporary = join(realpathSync(home), "tmp");
  mkdirSync(temporary);
  const base = join(temporary, `toolgate-${process.getuid?.() ?? 0}`);
  const left = (): readonly string[] => (existsSync(base) ? readdirSync(base) : []);
  return { temporary, base, left };
}

test("edits by commands and files in the scratch folder run unasked in accept-edits, all else is refused", async () => {
  const at = await atHome();
  const { temporary, base, left } = temporaryIn(at.home);
  const commands = [
    "mkdir -p docs && cat > docs/a.md <<'EOF'\nhello\nEOF",
    "cp docs/a.md docs/b.md && sed -i 's/hello/bye/' docs/b.md && mv docs/b.md docs/c.md",
    'echo kept > "$TMPDIR/kept" && cat $TMPDIR/kept > docs/from-scratch.md && echo $TMPDIR',
    "cd docs && touch d.md && chmod +x d.md",
    "cat > x.sh <<'EOF'\ntouch RAN\nEOF\nsh x.sh",
    "echo evil > AGENTS.md",
    `echo evil > ${at.home}/outside`,
  ];
  const script = at.script(
    commands.map((command) => ({ calls: [{ tool: "terminal", input: { command } }] })),
  );
  const env = { TMPDIR: temporary };
  const { stdout } = await at.run(
    ["run", "--no-contain", "--script", script, "--mode", "accept-edits", "go"],
    { env },
  );
  const text = (name: string): string => readFileSync(join(at.project, name), "utf8");
  expect(text("docs/a.md") + text("docs/c.md") + text("docs/from-scratch.md")).toBe("hello\nbye\nkept\n");
  expect(readdirSync(join(at.project, "docs"))).toEqual(["a.md", "c.md", "d.md", "from-scratch.md"]);
  for (const name of ["RAN", "x.sh", "AGENTS.md", "../outside"])
    expect(existsSync(join(at.project, name)), name).toBe(false);
  expect(stdout).toContain(base);
  // The session can be resumed, so its files stay; they go with it.
  expect(left()).toHaveLength(1);
  await at.run(["history", "delete", "--older-than", "0"], { env });
  expect(left()).toEqual([]);
});

async function gateIn(mode: Mode) {
  const root = await folder({ "a.csv": "1\n2\n" });
  const { temporary, left } = temporaryIn(await folder());
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const gate = await openGate({
    workspace: root,
    tools: builtInTools,
    ledger: new MemoryLedger(),
    policy: () => inMode(mode, []),
  });
  onTestFinished(() => gate.close());
  const call = async (name: string, input: object) => {
    const { state, rawOutput } = await gate.call({ name, input });
    return { status: state.status, output: JSON.stringify(rawOutput ?? null) };
  };
  return { gate, root, left, call, run: (command: string) => call("terminal", { command }) };
}

test("a library's session reads, writes and deletes in its scratch folder with every tool, unasked", async () => {
  const { gate, root, call, run, left } = await gateIn("ask");
  const { output } = await run('cp a.csv "$TMPDIR/a.csv" && echo $TMPDIR');
  const scratch = /\/[^"\\]*toolgate-[^"\\]*/.exec(output)?.[0] ?? "none";
  expect(await call("read_file", { path: `${scratch}/a.csv` })).toMatchObject({ status: "done" });
  expect(await call("write_file", { path: `${scratch}/b`, content: "x" })).toMatchObject({ status: "done" });
  expect(await run(`ln -s ${root} ${scratch}/way`)).toMatchObject({ status: "refused" });
  expect(await run("rm $TMPDIR/a.csv $TMPDIR/b")).toMatchObject({ status: "done" });
  expect(await run("rm -rf $TMPDIR")).toMatchObject({ status: "refused" });
  expect(await run("cp $TMPDIR/x a.csv")).toMatchObject({ status: "refused" });
  await gate.close();
  expect(left()).toEqual([]);
});

test("a file that the session made in the shared temporary folder is its own, and no other", async () => {
  const { run } = await gateIn("accept-edits");
  const name = `/tmp/toolgate-test-${process.pid}-${Date.now()}`;
  const made = await run(`cat a.csv > ${name} && wc -l ${name}`);
  // On a system where others could put a link there first, the command asks.
  if (made.status === "done") {
    expect(made.output).toContain("2 ");
    expect(await run(`tail -1 ${name}`)).toMatchObject({ status: "done" });
    expect(await run(`rm ${name}; ln -s /etc/hostname ${name}`)).toMatchObject({ status: "refused" });
    expect(await run(`rm ${name}`)).toMatchObject({ status: "done" });
  }
  expect(existsSync(name)).toBe(false);
  expect(await run("ls /tmp")).toMatchObject({ status: "refused" });
});

test("a command that another agent has us run gets the session's scratch folder", async () => {
  const at = await atHome();
  const { temporary, base } = temporaryIn(at.home);
  const params = {
    command: "/bin/sh",
    args: ["-c", 'echo "$TMPDIR" > where; test -d "$TMPDIR" && touch there'],
  };
  // The end of the agent ends its commands.
  const steps = [{ ask: "terminal/create", params }, { untilFile: "there" }];
  const byHand = fileURLToPath(new URL("children/acp-agent-by-hand.mjs", import.meta.url));
  const agent = `'${process.execPath}' '${byHand}' 'runs the given steps'`;
  const words = ["run", "--agent", agent, "--mode", "allow-all", JSON.stringify(steps)];
  await at.run(words, { env: { TMPDIR: temporary } });
  expect(existsSync(join(at.project, "there"))).toBe(true);
  expect(readFileSync(join(at.project, "where"), "utf8")).toContain(`${base}/`);
});
