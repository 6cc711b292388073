/** Running calls on a terminal, as a person sees them: real tmux, the real program, real processes. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { spawn } from "@lydell/node-pty";
import { expect, onTestFinished, test } from "vitest";
import { childProgram } from "./child-programs.js";
import { atHome, command } from "./cli-kit.js";
import { atDesk, script } from "./tmux-kit.js";

/** Prints a line each 100 ms, until the file is there that is its second argument. */
const TICK = `
  const { existsSync } = require("node:fs");
  const [, , name, end] = process.argv;
  let count = 0;
  const timer = setInterval(() => {
    console.log("\\u001b[31m" + name + "\\u001b[0m " + (count += 1) + "\\u001b[2K");
    if (existsSync(end)) clearInterval(timer);
  }, 100);`;

const QUESTION = "or no with your reason:";

test("shows parallel calls together, and keeps their cards when they end", async () => {
  const steps = [
    { say: "Two at once.", calls: [command("node tick.js one end"), command("node tick.js two end")] },
    { say: "Done." },
  ];
  const desk = await atDesk({ files: { "tick.js": TICK, "s.json": script(steps) } });
  desk.types("toolgate run --mode allow-all --script s.json go");
  await desk.sees("one 7");
  const shown = (await desk.sees("two 9")).replaceAll(/ +$/gm, "");
  const rows = (name: string) =>
    `. ❯ Run node tick\\.js ${name} end \\(running, [\\d.]+ m?s\\)\n(?: {4}│ ${name} \\d+⟨U\\+001B⟩\\[2K\n){3}`;
  expect(shown).toMatch(
    new RegExp(`Two at once\\.\n[^]*\n${rows("one")}${rows("two")}. working \\d+ s · Ctrl-C cancels\\s*$`),
  );
  writeFileSync(join(desk.project, "end"), "");
  await desk.sees("Done.");
  const ended = await desk.sees("[0 done]", 2);
  expect(ended).not.toContain("(running");
  for (const name of ["one", "two"]) {
    expect(ended.split(`✓ ❯ Run node tick.js ${name} end (execute, `)).toHaveLength(2);
    // A slow machine prints more lines, of which the card leaves the middle out.
    expect(ended).toMatch(new RegExp(`Run node tick\\.js ${name} end \\(execute, [^]*? {4}│ ${name} \\d+⟨`));
  }
});

test("keeps a question and typed text steady while other calls run", async () => {
  const steps = [{ calls: [command("node tick.js one end"), command("touch made")] }, { say: "Done." }];
  const desk = await atDesk({ files: { "tick.js": TICK, "s.json": script(steps) } });
  expect((await desk.runs(`toolgate rules add '{"allow":"execute","command":"node tick.js *"}'`)).code).toBe(
    0,
  );
  desk.types("toolgate run --script s.json go");
  await desk.sees(QUESTION);
  await setTimeout(300);
  desk.presses("not");
  await setTimeout(500);
  desk.types(" this one");
  const after = await desk.sees("(running");
  expect(after).toContain(`${QUESTION} not this one\n`);
  expect(after).toContain("Tool call denied by you: not this one. Nothing was run.");
  writeFileSync(join(desk.project, "end"), "");
  expect(await desk.sees("Done.")).not.toContain("(running");
});

test("shows the progress of a running call", async () => {
  const config = { mcpServers: { tools: { command: process.execPath, args: [SERVER, "notes"] } } };
  const steps = [{ calls: [{ tool: "tools__count", input: { to: 30, every: 50 } }] }, { say: "Done." }];
  const desk = await atDesk({ files: { "m.json": JSON.stringify(config), "s.json": script(steps) } });
  desk.types("toolgate run --mcp m.json --mode allow-all --script s.json go");
  await desk.sees("Start it here");
  desk.types("y");
  const shown = await desk.sees("of 30 step");
  expect(shown).toMatch(/ \(running, [\d.]+ m?s, (\d+) of 30 step \1\)/);
  await desk.sees("Done.");
});

const SERVER = childProgram("mcp-tools.mjs");

test("shows that a turn is being cancelled, and exits with 130", async () => {
  const stubborn = "trap '' TERM; touch started; while :; do sleep 0.1; done";
  const desk = await atDesk({
    files: { "s.json": script([{ calls: [command(stubborn)] }, { say: "No." }]) },
  });
  desk.types("toolgate run --mode allow-all --script s.json go");
  await desk.sees("(running");
  desk.presses("C-c");
  await desk.sees("Cancelling … press Ctrl-C again to quit now.");
  await desk.sees("[130 done]");
  const demo = await atDesk();
  demo.types("toolgate demo --pause 0");
  await demo.sees(QUESTION);
  demo.presses("C-c");
  expect(await demo.sees("[130 done]")).toContain("Calls that had not started were not run.");
});

/** All that the program writes to a terminal of this kind, byte by byte. */
async function written(env: Readonly<Record<string, string>>): Promise<string> {
  const at = await atHome();
  const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
  const file = at.script([
    { say: "Look.", calls: [command("printf 'a\\n'; sleep 0.4; printf 'b\\n'")] },
    { say: "Done." },
  ]);
  const { NO_COLOR: _no, ...inherited } = process.env;
  const pty = spawn(process.execPath, [main, "run", "--mode", "allow-all", "--script", file, "go"], {
    cwd: at.project,
    cols: 80,
    rows: 24,
    env: { ...inherited, HOME: at.home, XDG_CONFIG_HOME: at.home, XDG_STATE_HOME: at.home, ...env },
  });
  onTestFinished(() => pty.kill("SIGKILL"));
  let text = "";
  pty.onData((more) => void (text += more));
  await new Promise<void>((resolve) => void pty.onExit(() => resolve()));
  return text;
}

test("writes no colour with NO_COLOR, and plain text on a dumb terminal", async () => {
  const escape = "\u001b";
  const plain = await written({ TERM: "xterm", NO_COLOR: "1" });
  expect(plain).toContain(`${escape}[`);
  expect(plain).toContain("(running");
  expect(plain).not.toMatch(new RegExp(`${escape}\\[[\\d;]*m`));
  const dumb = await written({ TERM: "dumb" });
  expect(dumb).not.toContain(escape);
  expect(dumb.split("► ❯ Run printf")).toHaveLength(2);
  expect(dumb.split("✓ ❯ Run printf")).toHaveLength(2);
  const full = await written({ TERM: "xterm" });
  expect(full).toContain(`${escape}[2m    │ a`);
});

test("waits for no lease after a kill, and reports the end of the running call", async () => {
  const steps = [{ calls: [command("node tick.js one end")] }, { say: "Done." }];
  const desk = await atDesk({ files: { "tick.js": TICK, "s.json": script(steps) } });
  desk.starts("toolgate run --mode allow-all --script s.json go");
  await desk.sees("one 3");
  desk.kills();
  await desk.ended();
  writeFileSync(join(desk.project, "end"), "");
  const { code, text } = await desk.runs("toolgate run --resume --script s.json");
  expect(code).toBe(0);
  expect(text).not.toContain("in another process");
  expect(text).toMatch(
    /¿ ❯ Run node tick\.js one end \(execute, outcome unknown[^]*Nobody knows whether[^]*Done\./,
  );
});
