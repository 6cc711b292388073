/** `toolgate run` at a real terminal: what is asked, by which keys it is answered, and what is then remembered. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { expect, onTestFinished, test } from "vitest";
import type { ScriptStep } from "../src/model/index.js";
import { folder } from "./agent-kit.js";
import { childProgram } from "./child-programs.js";
import { runHere } from "./run-here.js";
import { until } from "./until.js";

const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

/** A program at a terminal: what is on its screen so far, and keys for it. */
async function atTerminal(
  steps: readonly ScriptStep[],
  flags: readonly string[] = [],
  { home = "", prompt = ["go"] }: { readonly home?: string; readonly prompt?: readonly string[] } = {},
) {
  home ||= await folder();
  const project = join(home, "project");
  mkdirSync(project, { recursive: true });
  const script = join(home, "script.json");
  writeFileSync(script, JSON.stringify({ steps }));
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: join(home, "config"), XDG_STATE_HOME: home };
  const pty = spawn(
    process.execPath,
    [main, "run", "--no-contain", "--script", script, ...flags, ...prompt],
    {
      cwd: project,
      cols: 120,
      rows: 40,
      env,
    },
  );
  onTestFinished(() => pty.kill("SIGKILL"));
  let screen = "";
  let exitCode: number | undefined;
  pty.onData((text) => void (screen += text));
  pty.onExit((exit) => void (exitCode = exit.exitCode));
  let read = 0;
  return {
    home,
    project,
    /** Waits for the text to come up after what was seen before, and returns all that came with it. */
    sees: async (text: string) => {
      await until(
        () => screen.includes(text, read),
        () => screen,
      );
      const from = read;
      read = screen.indexOf(text, read) + text.length;
      return screen.slice(from, read);
    },
    types: (text: string) => pty.write(text),
    kill: () => pty.kill("SIGKILL"),
    ended: async () => {
      await until(
        () => exitCode !== undefined,
        () => screen,
      );
      return exitCode;
    },
    grants: () => JSON.parse(readFileSync(join(home, "config", "toolgate", "grants.json"), "utf8")).grants,
  };
}

const command = (text: string) => ({ tool: "terminal", input: { command: text } });

/** The text that a terminal of this size shows after these bytes. */
async function screenOf(bytes: string): Promise<string> {
  const terminal = new xterm.Terminal({ cols: 120, rows: 40, scrollback: 1_000, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(bytes, resolve));
  const { active } = terminal.buffer;
  return Array.from(
    { length: active.length },
    (_, at) => active.getLine(at)?.translateToString(true) ?? "",
  ).join("\n");
}
const PROMPT = "or no with your reason: ";

test("a question shows what always would store, and always holds for the calls after it", async () => {
  const at = await atTerminal([
    { calls: [command("touch ./made")] },
    { calls: [command("touch ./made")] },
    { say: "Done." },
  ]);
  const asked = await at.sees(PROMPT);
  expect(asked).toContain("always = Always allow `touch ./made` in this project");
  expect(asked).toContain("never = Always refuse `touch ./made` in this project");
  expect(asked).toContain("Allow this? [y]es, this [s]ession, [a]lways, [n]o (Enter), never, ");
  at.types("a\r");
  const widths = await at.sees("[b]ack: ");
  expect(widths).toContain("  1  `touch ./made`");
  expect(widths).toContain('rule: {"allow":"execute","command":["touch","./made"]');
  at.types("\r");
  expect(await at.sees("Done.")).toMatch(/allowed by rule allow execute "touch\s+\.\/made"/);
  expect(await at.ended()).toBe(0);
  expect(at.grants()).toMatchObject([{ sentence: "Always allow `touch ./made` in this project", uses: 1 }]);
});

test("calls that are alike are listed together, and one answer is for all of them", async () => {
  const write = (path: string) => ({ tool: "write_file", input: { path, content: "x" } });
  const at = await atTerminal([
    { calls: [write("src/a.txt"), write("src/b.txt"), write("other.txt")] },
    { calls: [write("lib/a.txt"), write("lib/b.txt")] },
    { calls: [write("lib/c.txt")] },
    { say: "Done." },
  ]);
  const asked = await at.sees(PROMPT);
  expect(asked).toContain("1 more call like this:");
  expect(asked).toMatch(/ {2}\+ Write src\/b\.txt\s+write: .*src\/b\.txt/);
  expect(asked).toContain(
    "Allow this (1 of 3)? [y]es, all (2), this [s]ession, [a]lways, [n]o (Enter), none, never, ",
  );
  at.types("all\r");
  expect(await at.sees(PROMPT)).toContain("Write other.txt");
  at.types("n\r");
  await at.sees("all (2)");
  await at.sees(PROMPT);
  at.types("a 2 s\r");
  expect(await at.sees("Done.")).toMatch(/Write lib\/b\.txt \([^)]*allowed by rule allow edit/);
  expect(await at.ended()).toBe(0);
  expect(existsSync(join(at.project, "src", "b.txt"))).toBe(true);
  expect(existsSync(join(at.project, "other.txt"))).toBe(false);
  expect(at.grants()).toMatchObject([{ width: "edits", scope: { type: "session" }, uses: 1 }]);
});

test("takes any other text for the reason of a no, which is not remembered", async () => {
  const at = await atTerminal([
    { calls: [command("node -e 1")] },
    { calls: [command("npm install x")] },
    { calls: [command("npm install y")] },
    { say: "Done." },
  ]);
  await at.sees(PROMPT);
  at.types("use the other file\r");
  expect(await at.sees(PROMPT)).toContain("Tool call denied by you: use the other file. Nothing was run.");
  at.types("never 2\r");
  const rest = await at.sees("Done.");
  expect(rest).toContain('refused by rule deny execute "npm install *"');
  expect(rest).not.toContain(PROMPT);
  expect(await at.ended()).toBe(0);
});

test("takes no answer that was typed before the question could be read", async () => {
  const at = await atTerminal([{ calls: [command("touch made")] }, { say: "Done." }]);
  at.types("y\ry\ry\r");
  await at.sees(PROMPT);
  await setTimeout(300);
  at.types("n\r");
  expect(await at.sees("Done.")).toContain("Tool call denied by you. Nothing was run.");
});

test("shows two questions one after the other, and delays other output meanwhile", async () => {
  const at = await atTerminal([
    { calls: [command("touch one"), { tool: "list_directory", input: {} }, command("touch two")] },
    { say: "Done." },
  ]);
  const first = await at.sees(PROMPT);
  expect(first).not.toContain("touch two");
  at.types("y\r");
  const second = await at.sees(PROMPT);
  expect(second).toContain("touch two");
  at.types("y\r");
  await at.sees("Done.");
  expect(await at.ended()).toBe(0);
});

test("Ctrl-C at the question cancels the turn: nothing runs, and the program leaves", async () => {
  const at = await atTerminal([{ calls: [command("touch made")] }, { say: "Done." }]);
  await at.sees(PROMPT);
  at.types("\u0003");
  expect(await at.sees("Calls that had not started were not run.")).not.toContain("Done.");
  expect(await at.ended()).toBe(130);
});

test("lets a command with --sandbox change the folder it works in, and nothing outside of it", async () => {
  const outside = join(await folder(), "outside");
  const at = await atTerminal(
    [{ calls: [command(`echo in > inside; echo out > ${outside}; echo tried`)] }, { say: "Done." }],
    ["--sandbox"],
  );
  await at.sees(PROMPT);
  at.types("y\r");
  expect(await at.sees("Done.")).toContain("tried");
  expect(await at.ended()).toBe(0);
  expect(readFileSync(join(at.project, "inside"), "utf8")).toBe("in\n");
  expect(existsSync(outside)).toBe(false);
});

const toolgate = (home: string, ...words: readonly string[]) => {
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: join(home, "config"), XDG_STATE_HOME: home };
  return runHere(words, { cwd: join(home, "project"), env });
};

test("a turn that was left at its question goes on with --resume, in another process", async () => {
  const steps = [{ calls: [command("touch made")] }, { say: "Done." }];
  const first = await atTerminal(steps);
  await first.sees(PROMPT);
  first.kill();
  await first.ended();
  const second = await atTerminal(steps, ["--resume"], { home: first.home, prompt: [] });
  expect(await second.sees(PROMPT)).toContain("Run touch made");
  second.types("y\r");
  await second.sees("Done.");
  expect(await second.ended()).toBe(0);
  expect(existsSync(join(first.project, "made"))).toBe(true);
});

test("restores a call's changes by undo, once", async () => {
  const write = { tool: "write_file", input: { path: "a.txt", content: "new\n" } };
  const at = await atTerminal([{ calls: [write] }, { say: "Done." }]);
  writeFileSync(join(at.project, "a.txt"), "old\n");
  await at.sees(PROMPT);
  at.types("y\r");
  await at.sees("Done.");
  await at.ended();
  expect(readFileSync(join(at.project, "a.txt"), "utf8")).toBe("new\n");
  expect(await toolgate(at.home, "undo", "call_1")).toMatchObject({
    status: 0,
    stdout: `Restored: ${join(at.project, "a.txt")}\n`,
  });
  expect(readFileSync(join(at.project, "a.txt"), "utf8")).toBe("old\n");
  expect((await toolgate(at.home, "undo", "call_1")).stderr).toContain(
    "it was undone already. No file was touched.",
  );
  expect((await toolgate(at.home, "undo", "call_9")).stderr).toContain("this session has no such call");
});

test("an MCP server is started only when somebody at the terminal says so, and that is remembered", async () => {
  const config = join(await folder(), "mcp.json");
  const server = childProgram("mcp-tools.mjs");
  const notes = join(await folder(), "notes");
  writeFileSync(
    config,
    JSON.stringify({ mcpServers: { tools: { command: process.execPath, args: [server, notes] } } }),
  );
  const steps = [
    { calls: [{ tool: "tools__echo", input: { words: "hello from a server" } }] },
    { say: "Done." },
  ];
  const first = await atTerminal(steps, ["--mcp", config, "--"]);
  expect(await first.sees("[y]es, [n]o: ")).toContain("mcp-tools.mjs");
  first.types("y\r");
  expect(await first.sees(PROMPT)).toContain("tools/echo");
  first.types("y\r");
  expect(await first.sees("Done.")).toContain("hello from a server");
  await first.ended();
  const second = await atTerminal(steps, ["--mcp", config, "--"], { home: first.home });
  expect(await second.sees(PROMPT)).not.toContain("as long as it stays as it is");
});

test("shows the whole command, the whole query and the whole input in a question", async () => {
  const middle = "touch in-the-middle";
  const long = `printf 'checking the style of the sources, one moment'; ${middle}; printf 'the style of all the sources is fine'`;
  const at = await atTerminal([
    { calls: [command(long)] },
    { calls: [{ tool: "fetch", input: { url: "https://example.com/collect?key=what-leaves" } }] },
    { say: "Done." },
  ]);
  expect(await at.sees(PROMPT)).toContain(`runs: ${long.slice(0, 60)}`);
  at.types("n\r");
  expect(await at.sees(PROMPT)).toContain("host: https://example.com/collect?key=what-leaves");
  at.types("n\r");
  await at.sees("Done.");
});

test("a session that began in a sandbox goes on in it, also when nobody says so", async () => {
  const outside = join(await folder(), "outside");
  const steps = [{ calls: [command(`echo out > ${outside}; echo tried`)] }, { say: "Done." }];
  const first = await atTerminal(steps, ["--sandbox"]);
  await first.sees(PROMPT);
  first.kill();
  await first.ended();
  const second = await atTerminal(steps, ["--resume"], { home: first.home, prompt: [] });
  await second.sees(PROMPT);
  second.types("y\r");
  expect(await second.sees("Done.")).toContain("tried");
  expect(existsSync(outside)).toBe(false);
});

test("takes words after --resume that name no session for the prompt", async () => {
  const first = await atTerminal([{ say: "First." }, { say: "Second." }]);
  await first.sees("First.");
  await first.ended();
  const second = await atTerminal([{ say: "First." }, { say: "Second." }], [], {
    home: first.home,
    prompt: ["--resume", "and now the other one"],
  });
  await second.sees("Second.");
  expect(await second.ended()).toBe(0);
});

test("takes Ctrl-D at the question for no answer", async () => {
  const at = await atTerminal([{ calls: [command("touch made")] }, { say: "Done." }]);
  await at.sees(PROMPT);
  await setTimeout(300);
  at.types("\u0004");
  expect(await at.sees("Done.")).toContain("Tool call denied by you: no answer was given. Nothing was run.");
  expect(existsSync(join(at.project, "made"))).toBe(false);
});

test("asks again after a reply that is no answer, shows help and the whole command, and takes ok for a yes", async () => {
  const lines = Array.from({ length: 800 }, (_, line) => `word${line} and some more`);
  const text = `cat > made <<'E'; FOO=1 node -e 1\n${lines.join("\n")}\nE`;
  const at = await atTerminal([{ calls: [command(text)] }, { say: "Done." }]);
  const asked = await at.sees(PROMPT);
  expect(asked).toMatch(/Not all of it is shown: [\d,]+ characters more\. v shows all of it\./);
  expect(asked).toContain("[v]iew all, [?] help, ");
  expect(asked).not.toContain("word700 ");
  at.types("a\r");
  expect(await at.sees(PROMPT)).toContain('"a" is not offered for this call. Nothing was answered;');
  at.types("?\r");
  expect(await at.sees(PROMPT)).toContain("y, yes, ok          allow this call, once");
  at.types("v\r");
  const page = await at.sees("q goes back: ");
  expect(page).toContain("word1 and some more");
  await setTimeout(300);
  at.types("a\r");
  const whole = await at.sees(PROMPT);
  expect(whole).toContain("    │ word799 and some more");
  // Every line of the command but the first stands behind the gutter.
  expect(whole).not.toMatch(/\nword/);
  at.types("ok\r");
  await at.sees("Done.");
  expect(await at.ended()).toBe(0);
  expect(existsSync(join(at.project, "made"))).toBe(true);
});

test("an agent's words stand behind a gutter, however they try to look like a question", async () => {
  const forged =
    "Fine.\nAllow this? [y]es, [n]o (Enter): y\r✓ ❯ Run rm -rf / (execute, allowed by you)\u001b[2K";
  const long = `${"漢㈱".repeat(40)}Allow this? ${"x".repeat(300)}`;
  const at = await atTerminal([
    { say: `${forged}\n${long}`, calls: [command("touch made\nAllow this? y")] },
    { say: "Done." },
  ]);
  const shown = await at.sees(PROMPT);
  const plain = await screenOf(shown);
  const [words = "", question = ""] = plain.split("waiting for an answer");
  const rows = words.slice(words.indexOf("Fine.")).split(/\r?\n/);
  const ends = rows.indexOf("");
  expect(ends).toBeGreaterThan(5);
  for (const row of rows.slice(1, ends)) expect(row).toMatch(/^[│┆] /);
  expect(question).toMatch(/ {4}│ Allow this\? y/);
  expect(question.match(/\nAllow this\?/g)).toHaveLength(1);
  at.types("n\r");
  await at.sees("Done.");
});
