/** A conversation in a real terminal: tmux, the built program, real processes. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { KEY, startFake } from "./fakes/fake-provider.js";
import { openAiChat } from "./fakes/openai-chat.js";
import { expectScreen } from "./screens.js";
import { atDesk, script } from "./tmux-kit.js";

const command = (text: string) => ({ tool: "terminal", input: { command: text } });
const ALLOW = "Allow this? [y]es";
const CHAT = "toolgate chat --no-contain --script s.json";

test("talks: a read in one line, a plan, a question by one key, undo, and what waits is sent next", async () => {
  const desk = await atDesk({
    files: {
      "cart.js": "export const sum = (a, b) => a - b;\n",
      "s.json": script([
        {
          say: "# Looking\n\nAt **cart.js** ⚠️:\n\n```js\nconst a = 1;\n```\n",
          calls: [
            { tool: "todo_write", input: { todos: [{ content: "Fix the sum", status: "in_progress" }] } },
            { tool: "read_file", input: { path: "cart.js" } },
          ],
        },
        { calls: [{ tool: "edit_file", input: { path: "cart.js", oldText: "a - b", newText: "a + b" } }] },
        { say: "Fixed." },
        { say: "You are welcome." },
      ]),
    },
  });
  desk.starts(CHAT);
  await desk.sees("/help shows the commands");
  desk.types("fix the sum in @cart.js, please");
  const asked = await desk.sees(ALLOW);
  expect(asked).toContain("│ At cart.js ⚠️:");
  expect(asked).toMatch(/✓ ≡ Read cart\.js \(read, [^)]+\)\n/);
  expect(asked).toContain("+ export const sum = (a, b) => a + b;");
  expectScreen("question", asked, "> fix the sum");
  desk.presses("y");
  const fixed = await desk.sees("│ Fixed.");
  expect(fixed).toContain("◐ Fix the sum");
  expect(readFileSync(join(desk.project, "cart.js"), "utf8")).toContain("a + b");
  desk.types("/undo");
  await desk.sees("Restored:");
  expect(readFileSync(join(desk.project, "cart.js"), "utf8")).toContain("a - b");
  desk.types("/back");
  await desk.sees("→ 1  fix the sum in @cart.js, please");
  desk.presses("Enter");
  await desk.sees("No file was changed since that message.");
  await desk.sees("> fix the sum in @cart.js, please");
  desk.presses("C-u");
  desk.types("/nonsense");
  await desk.sees("There is no command /nonsense. Nothing was done");
  desk.types("thanks");
  await desk.sees("│ You are welcome.");
  desk.presses("C-d");
  expect(await desk.ended()).toBe(0);
  expect(await desk.sees("Go on with it: toolgate chat --resume session_")).toContain("You are welcome.");
});

test("Escape interrupts the turn, and the message that waited is sent", async () => {
  const desk = await atDesk({
    files: {
      "s.json": script([{ calls: [command("echo $$ > pid; exec sleep 1000")] }, { say: "Second turn." }]),
    },
  });
  desk.starts(`${CHAT} --mode allow-all 'wait a while'`);
  await desk.sees("working");
  await desk.sees("running");
  desk.types("go on with this");
  expectScreen("queued", await desk.sees("queued: go on with this"), "> wait a while");
  desk.presses("Escape");
  await desk.sees("Cancelled.");
  const shown = await desk.sees("│ Second turn.");
  expect(shown).toContain("> go on with this");
  desk.types("/quit");
  expect(await desk.ended()).toBe(0);
});

test("a question that was open when the process was killed is asked again, and its input can be edited", async () => {
  const desk = await atDesk({
    files: { "s.json": script([{ calls: [command("touch made")] }, { say: "That was it." }]) },
    env: { EDITOR: "sed -i s/made/changed/" },
  });
  desk.starts(`${CHAT} go`);
  await desk.sees(ALLOW);
  desk.kills();
  expect(await desk.ended()).toBe(137);
  // The killed program could not give the terminal its mode back.
  desk.starts("stty sane");
  await desk.ended();
  desk.starts("toolgate chat --no-contain --resume");
  await desk.sees(ALLOW, 2);
  desk.presses("e");
  const shown = await desk.sees("│ That was it.");
  expect(shown).toContain("Run touch changed");
  expect(existsSync(join(desk.project, "made"))).toBe(false);
  expect(existsSync(join(desk.project, "changed"))).toBe(true);
  desk.presses("C-c");
  await desk.sees("Ctrl-C again quits");
  desk.presses("C-c");
  expect(await desk.ended()).toBe(0);
});

test("refuses with a reason, takes several lines and pasted text, and shows tokens", async () => {
  const fake = await startFake(openAiChat, [
    { say: "I will tidy up.", calls: [{ id: "1", ...command("touch made") }] },
    { say: "Then I leave it." },
  ]);
  const desk = await atDesk({ env: { TOOLGATE_MODEL_KEY: KEY } });
  mkdirSync(join(desk.home, "config", "toolgate"), { recursive: true });
  writeFileSync(
    join(desk.home, "config", "toolgate", "config.json"),
    JSON.stringify({ model: "openai-compatible/fake", baseUrl: `${fake.url}/v1` }),
  );
  desk.starts("toolgate chat --no-contain");
  await desk.sees("openai-compatible/fake");
  desk.pastes("first line\nsecond");
  await desk.sees("  second");
  desk.types(" line");
  await desk.sees(ALLOW);
  desk.presses("r");
  await desk.sees("Why not?");
  desk.types("ask Ann first");
  await desk.sees("│ Then I leave it.");
  expect(await desk.sees("tokens in")).toContain("> first line\n  second line");
  expect(fake.requests.at(-1)?.seen.results).toMatchObject([
    { text: expect.stringContaining("ask Ann first") },
  ]);
  expect(existsSync(join(desk.project, "made"))).toBe(false);
  desk.types("/quit");
  expect(await desk.ended()).toBe(0);
});

test("talks with another agent under our rules, and answers the question of another session", async () => {
  const desk = await atDesk({
    files: {
      "s.json": script([
        {
          say: "Hello from the other agent.",
          calls: [{ tool: "write_file", input: { path: "theirs", content: "x" } }],
        },
        { say: "Their end." },
      ]),
      "t.json": script([{ calls: [command("touch elsewhere")] }, { say: "End." }]),
    },
  });
  // Parked at its question, with nobody to ask.
  desk.starts("toolgate run --no-contain --script t.json go");
  await desk.sees("or no with your reason:");
  desk.kills();
  await desk.ended();
  desk.starts("toolgate chat --agent 'toolgate acp --no-contain --script s.json'");
  await desk.sees("1 question elsewhere");
  desk.types("hello");
  await desk.sees("always [d]eny");
  desk.presses("y");
  await desk.sees("│ Their end.");
  expect(existsSync(join(desk.project, "theirs"))).toBe(true);
  desk.types("/questions");
  await desk.sees("always [d]eny");
  desk.presses("n");
  await desk.sees("Answered; its session goes on");
  desk.types("/quit");
  expect(await desk.ended()).toBe(0);
  const resumed = await desk.runs("toolgate run --no-contain --resume");
  expect(resumed.text).toContain("refused by you");
});
