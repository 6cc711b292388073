/** Calls on a terminal, as a person sees them: real tmux, the real program, real processes. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { childProgram } from "./child-programs.js";
import { command } from "./cli-kit.js";
import { atDesk, script } from "./tmux-kit.js";

/** Runs until the file is there. */
const WAIT = (end: string) => `while [ ! -e ${end} ]; do sleep 0.05; done`;

test("leaves no dead rows when the user presses Enter while a call runs", async () => {
  const desk = await atDesk({
    files: { "s.json": script([{ say: "Wait.", calls: [command(WAIT("end"))] }, { say: "Done." }]) },
  });
  // At the bottom of the screen, where every new line scrolls.
  expect((await desk.runs("seq 40")).code).toBe(0);
  desk.starts("toolgate run --mode allow-all --script s.json go");
  await desk.sees("(running");
  for (let times = 0; times < 6; times += 1) {
    desk.presses("Enter");
    await setTimeout(60);
  }
  desk.presses("x");
  await setTimeout(300);
  expect((await desk.sees("(running")).split("(running")).toHaveLength(2);
  writeFileSync(join(desk.project, "end"), "");
  const shown = await desk.sees("Done.");
  expect(shown).not.toContain("(running");
  expect(shown).toMatch(/\n│ Wait\.\n\n✓ ❯ Run while/);
});

test("shows the owner of each call when two sub-agents run at once", async () => {
  const task = (description: string, end: string) => ({
    tool: "task",
    input: { description, prompt: description },
    subAgent: [{ calls: [command(WAIT(end))] }, { say: "Ready." }],
  });
  const desk = await atDesk({
    files: {
      "s.json": script([
        { calls: [task("Look at the docs", "a"), task("Count tests", "b")] },
        { say: "Done." },
      ]),
    },
  });
  desk.starts("toolgate run --mode allow-all --script s.json go");
  const live = await desk.sees("(running", 2);
  expect(live).toMatch(/❯ Task: Look at the docs › Run while \[ ! -e a /);
  expect(live).toMatch(/❯ Task: Count tests › Run while \[ ! -e b /);
  for (const end of ["a", "b"]) writeFileSync(join(desk.project, end), "");
  const ended = await desk.sees("Done.");
  expect(ended).toMatch(/✓ ❯ Task: Look at the docs › Run while \[ ! -e a /);
  expect(ended).toMatch(/✓ ❯ Task: Count tests › Run while \[ ! -e b /);
});

test("shows no tick for a failed command, but its exit code", async () => {
  const desk = await atDesk({
    files: { "s.json": script([{ calls: [command("echo no; exit 3")] }, { say: "Done." }]) },
  });
  const { text } = await desk.runs("toolgate run --mode allow-all --script s.json go");
  expect(text).toMatch(/\n! ❯ Run echo no; exit 3 \(execute, exit code 3, /);
  expect(text).not.toContain("✓");
  expect((await desk.runs("toolgate history show")).text).toContain(
    "  call_1  done, exit code 3  Run echo no",
  );
});

const sdkAgent = childProgram("acp-sdk-agent.mjs");

test("shows a proxied call in one line, under the name that the agent gave it", async () => {
  const desk = await atDesk({ files: { "config.json": '{"a":"old"}' } });
  const { text } = await desk.runs(
    `toolgate run --mode accept-edits --agent "'${process.execPath}' '${sdkAgent}'" go`,
  );
  const path = join(desk.project, "config.json");
  const shown = text.replaceAll(/\n {8}/g, " ");
  expect(shown).toContain(`✓ ≡ Reading › Read ${path} (read, `);
  expect(shown).toContain(`✓ ✎ Edit config.json › Write ${path} (edit, `);
  expect(shown).toContain(`✓ ❯ cat › Run 'cat' '${path}' (execute, `);
  expect(shown.split('│ {"a":"new"}')).toHaveLength(2);
  expect(shown.split(`    at ${path}`)).toHaveLength(2);
  const history = (await desk.runs("toolgate history show")).text.replaceAll(/\n {8}/g, " ");
  expect(history).toContain(`✓ ❯ cat › Run 'cat' '${path}' (execute, `);
});
