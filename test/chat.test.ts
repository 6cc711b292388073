/** A conversation in a real terminal: tmux, the built program, real processes. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { LedgerError } from "../src/call/index.js";
import { openLedger } from "../src/history/index.js";
import { childProgram } from "./child-programs.js";
import { KEY, startFake } from "./fakes/fake-provider.js";
import { openAiChat } from "./fakes/openai-chat.js";
import { expectScreen } from "./screens.js";
import { atDesk, script } from "./tmux-kit.js";
import type { Desk } from "./tmux-kit.js";

const command = (text: string) => ({ tool: "terminal", input: { command: text } });
/** Room for the tools, the conversation and one of the two lists. */
const WINDOW_TOKENS = 7_000;
/** Also where several are counted: "Allow this (1 of 3)? [y]es". */
const ALLOW = "Allow this";
const EVERYTHING = fileURLToPath(
  new URL("../node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url),
);
const CHAT = "toolgate chat --no-contain --script s.json";

/** The screen when the turn has ended after this text. */
async function rested(desk: Desk, text: string): Promise<string> {
  await desk.sees(text);
  return desk.loses("Esc interrupts");
}

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
  expect(desk.output()).toContain("\u0007\u001B]9;A question: Edit cart.js\u0007");
  desk.presses("y");
  const fixed = await rested(desk, "│ Fixed.");
  expect(fixed).toContain("◐ Fix the sum");
  expect(readFileSync(join(desk.project, "cart.js"), "utf8")).toContain("a + b");
  desk.types("/undo");
  expectScreen("undo", await desk.sees("Restored:"), "│ Fixed.");
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
  expect(await desk.sees("Continue it: toolgate chat --resume session_")).toContain("You are welcome.");
});

test("shows three calls at once through a resize, interrupts, sends what waited, and runs a command in the background", async () => {
  const waiting = (name: string) => command(`until [ -e go ]; do sleep 0.05; done; echo ${name} is right`);
  const desk = await atDesk({
    files: {
      "s.json": script([
        { say: "I run three checks at once.", calls: ["the sum", "the tax", "the total"].map(waiting) },
        { say: "All three are right." },
        { calls: [command("echo $$ > pid; exec sleep 1000")] },
        { calls: [command("until [ -e on ]; do sleep 0.05; done")] },
        { say: "Second turn." },
        { calls: [{ tool: "terminal", input: { command: "exec sleep 1000", background: true } }] },
        { say: "The server runs." },
      ]),
    },
  });
  desk.starts(`${CHAT} --mode allow-all 'check the cart'`);
  expectScreen("three", await desk.sees("(running", 3), "> check the cart");
  desk.resizes(70);
  await desk.sees("…");
  desk.resizes(100);
  await desk.sees("echo the total is right (running");
  writeFileSync(join(desk.project, "go"), "");
  const checked = await desk.sees("│ All three are right.");
  // No row of the calls stays behind, whatever the width was.
  expect(checked).not.toContain("(running");
  expect(checked.match(/│ the \w+ is right/g)).toHaveLength(3);

  desk.types("wait a while");
  await desk.sees("(running");
  desk.types("go on with this");
  expectScreen("queued", await desk.sees("queued: go on with this"), "> wait a while");
  desk.presses("Escape");
  await desk.sees("Cancelled.");
  await desk.sees("(running");
  await desk.loses("queued: go on with this");
  writeFileSync(join(desk.project, "on"), "");
  const shown = await rested(desk, "│ Second turn.");
  expect(shown).toContain("> go on with this");
  expectScreen("interrupted", shown, "> wait a while");

  desk.types("start the server");
  await rested(desk, "│ The server runs.");
  desk.types("/ps");
  expectScreen("background", await desk.sees("call_6  pid"), "> start the server");
  desk.types("/stop call_6");
  await desk.sees("Ended: pid");
  await desk.loses("1 in the background");
  desk.types("/quit");
  expect(await desk.ended()).toBe(0);
});

test("starts without a key and says so, and asks once for a model with one", async () => {
  const desk = await atDesk({ env: { ANTHROPIC_API_KEY: "", OPENAI_API_KEY: "", GEMINI_API_KEY: "" } });
  desk.starts("toolgate chat hello");
  const without = await desk.sees("says how to choose one.");
  expect(without).toContain("no key is set, so a script plays");
  expectScreen("no-key", await rested(desk, "☑ Say what I saw"), "No model is chosen");
  desk.presses("Escape");
  desk.presses("Escape");
  desk.types("/model");
  await desk.sees("A script plays instead of a model.");
  desk.presses("C-d");
  expect(await desk.ended()).toBe(0);
  desk.starts("ANTHROPIC_API_KEY=sk-none toolgate chat");
  const asked = await desk.sees("Enter plays the script:");
  desk.types("1");
  const [, first = ""] = /1 {2}(anthropic\/\S+)/.exec(asked) ?? [];
  expectScreen("first-key", await desk.sees(`Talking with ${first}`), "Which model");
  desk.presses("C-d");
  expect(await desk.ended()).toBe(0);
  expect(readFileSync(join(desk.home, "config", "toolgate", "config.json"), "utf8")).toContain(first);
});

test("takes each answer to a question by one key", async () => {
  const names = ["yes", "session", "src/always", "lib/all", "lib/both", "no", "reason", "never", "edited"];
  const writes = names.map((name) => ({ tool: "write_file", input: { path: name, content: "x\n" } }));
  const lines = Array.from({ length: 30 }, (_, line) => `line ${line + 1}\n`).join("");
  const partly = lines.replace("line 25\n", "line 25 b\n");
  const edit = { path: "a.txt", content: partly.replace("line 2\n", "line two\n") };
  const desk = await atDesk({
    files: {
      "a.txt": lines,
      "s.json": script([
        { calls: [{ tool: "write_file", input: edit }] },
        { calls: writes },
        { say: "So be it." },
      ]),
    },
    env: { EDITOR: "sed -i s/edited/changed/" },
  });
  const asked = async (name: string): Promise<string> => {
    await desk.sees(`? ✎ Write ${name} `);
    return desk.sees(ALLOW);
  };
  desk.starts(`${CHAT} 'write the files'`);
  await asked("a.txt");
  desk.presses("h");
  await desk.sees("Keep which hunks?");
  desk.types("3");
  await desk.sees('"3" is not a hunk');
  desk.types("2");
  expectScreen("hunks", await asked("yes"), "hunk 1, line 1");
  expect(readFileSync(join(desk.project, "a.txt"), "utf8")).toBe(partly);
  desk.presses("w");
  await desk.sees("No rule covers it.");
  await desk.sees(ALLOW);
  desk.presses("?");
  await desk.sees("why it is asked");
  expectScreen("help", await desk.sees(ALLOW), "No rule covers it.");
  desk.presses("y");
  await asked("session");
  desk.presses("s");
  await asked("src/always");
  desk.presses("a");
  expectScreen("always", await desk.sees("Always allow which?"), "? ✎ Write src/always");
  desk.presses("Enter");
  await asked("lib/all");
  desk.presses("A");
  await asked("no");
  desk.presses("n");
  await asked("reason");
  desk.presses("r");
  await desk.sees("Why not?");
  desk.types("it is generated");
  await asked("never");
  desk.presses("d");
  await asked("edited");
  desk.presses("e");
  const shown = await rested(desk, "│ So be it.");
  expect(shown).toContain("it is generated");
  expectScreen("answers", shown, "? ✎ Write reason");
  const made = [...names, "changed"].filter((name) => existsSync(join(desk.project, name)));
  expect(made).toEqual(["yes", "session", "src/always", "lib/all", "lib/both", "changed"]);
  desk.presses("C-d");
  expect(await desk.ended()).toBe(0);
  const { text } = await desk.runs("toolgate rules list");
  expect(text).toContain("src/");
  expect(text).toContain("Always refuse write_file on");
});

test("asks the open question again, lets its input be edited, and reports a call as unknown after a kill", async () => {
  const desk = await atDesk({
    files: {
      "s.json": script([
        { calls: [command("touch made")] },
        { say: "That was it." },
        { calls: [command("echo started; exec sleep 1000")] },
        { say: "I look again first." },
      ]),
    },
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
  expectScreen("resumed", await desk.sees(ALLOW, 2), "Talking with");
  desk.presses("e");
  const shown = await desk.sees("│ That was it.");
  expect(shown).toContain("Run touch changed");
  expect(existsSync(join(desk.project, "made"))).toBe(false);
  expect(existsSync(join(desk.project, "changed"))).toBe(true);
  desk.types("now the long one");
  await desk.sees("? ❯ Run echo started");
  await desk.sees(ALLOW, 2);
  desk.presses("y");
  await desk.sees("│ started");
  desk.kills();
  expect(await desk.ended()).toBe(137);
  desk.starts("reset");
  await desk.ended();
  desk.starts("toolgate chat --no-contain --resume");
  // The killed program's rows are still above.
  const again = await desk.sees("│ I look again first.\n\n─");
  expect(again.match(/¿ ❯ Run echo started/g)).toHaveLength(1);
  expectScreen("unknown", again, "> now the long one");
  desk.presses("C-c");
  await desk.sees("Ctrl-C again quits");
  desk.presses("C-c");
  expect(await desk.ended()).toBe(0);
});

test("refuses with a reason, takes several lines and pasted text, shows tokens, and goes on after an overflow", async () => {
  const read = (path: string) => ({ calls: [{ id: path, tool: "read_file", input: { path } }] });
  const fake = await startFake(
    openAiChat,
    [
      { say: "I will tidy up.", calls: [{ id: "1", ...command("touch made") }] },
      { say: "Then I leave it." },
      read("one.txt"),
      read("two.txt"),
      { say: "Both lists are the same." },
    ],
    {
      tokens: WINDOW_TOKENS,
      refusal: (tokens, window) => ({
        status: 400,
        body: {
          error: {
            message: `This model's maximum context length is ${window} tokens. However, you requested ${tokens} tokens.`,
            code: "context_length_exceeded",
          },
        },
      }),
      summary: { say: "Two lists are compared; one.txt was read." },
    },
  );
  const list = "milk, bread and butter\n".repeat(400);
  const desk = await atDesk({
    env: { TOOLGATE_MODEL_KEY: KEY },
    files: { "one.txt": list, "two.txt": list },
  });
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
  desk.types("compare the two lists");
  expectScreen("overflow", await rested(desk, "360 tokens in, 90 out"), "> compare the two lists");
  expect(fake.refused).not.toEqual([]);
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
  expectScreen("agent", await rested(desk, "│ Their end."), "Talking with");
  expect(existsSync(join(desk.project, "theirs"))).toBe(true);
  desk.types("/mode read-only");
  await desk.sees("Mode of toolgate: ");
  desk.types("/model");
  await desk.sees("toolgate offers no choice of a model. Nothing was changed");
  desk.types("/undo");
  await desk.sees("Restored:");
  expect(existsSync(join(desk.project, "theirs"))).toBe(false);
  desk.types("/questions");
  await desk.sees("always [d]eny");
  desk.presses("n");
  await desk.sees("Answered; its session continues");
  desk.types("/quit");
  expect(await desk.ended()).toBe(0);
  const resumed = await desk.runs("toolgate run --no-contain --resume");
  expect(resumed.text).toContain("refused by you");
});

test("offers the modes, models, options, commands and conversations of another agent", async () => {
  const desk = await atDesk();
  desk.starts(
    `toolgate chat --agent '${process.execPath} ${childProgram("acp-agent-by-hand.mjs")} "offers settings"'`,
  );
  await desk.sees("by-hand · Small one · Build");
  desk.types("/mode");
  await desk.sees("Plan  only plans");
  desk.presses("Down");
  desk.presses("Enter");
  await desk.sees("Mode of by-hand: Plan.");
  desk.types("/model huge");
  await desk.sees('by-hand has no "huge" here, only small, large. Nothing was changed.');
  desk.types("/model large");
  await desk.sees("Model of by-hand: Large one.");
  desk.types("/options");
  await desk.sees("✓ Low");
  desk.types("high");
  await desk.sees("Effort of by-hand: High.");
  desk.types("/tidy the house");
  await desk.sees("You said /tidy the house.");
  desk.types("/compact");
  await desk.sees("That does not work with the agent that you talk with.");
  desk.types("/sessions");
  await desk.sees("Before  old");
  desk.presses("Enter");
  expectScreen("agent-settings", await desk.sees("│ as I said"), "> /mode");
  desk.types("/quit");
  expect(await desk.ended()).toBe(0);
  const other = await desk.runs(
    `toolgate run --agent '${process.execPath} ${childProgram("acp-agent-by-hand.mjs")} ""' --resume nonsense`,
  );
  expect(other.text).toContain('There is no session "nonsense"');
});

test("asks what an MCP server wants to know, and shows mode, rules, calls, counts and sessions", async () => {
  const desk = await atDesk({
    files: {
      ".mcp.json": JSON.stringify({
        mcpServers: { everything: { command: process.execPath, args: [EVERYTHING] } },
      }),
      "s.json": script([
        { calls: [{ tool: "everything__trigger-elicitation-request", input: {} }] },
        { say: "Thanks." },
      ]),
    },
  });
  desk.starts(CHAT);
  await desk.sees("Start it here, now and later");
  desk.types("y");
  await desk.sees("/help shows the commands");
  desk.types("ask me");
  await desk.sees(ALLOW);
  desk.presses("y");
  await desk.sees("Escape cancels.");
  // Keys are not taken in the first moment of a prompt that nobody expects; the name may not be left out.
  // A second Enter would be an answer to the first field.
  const enters = (): string => {
    const shown = desk.output();
    if (!shown.includes("String:")) desk.presses("Enter");
    return shown;
  };
  await expect.poll(enters, { interval: 1_500, timeout: 60_000 }).toContain("String:");
  desk.types("Ann ⚠️");
  await desk.sees("Boolean (yes or no");
  desk.types("y");
  // The rest has defaults or may be left out; a wrong value is asked for again.
  for (const field of ["String with default (", "an email address", "a URI such as"]) {
    await desk.sees(field);
    desk.presses("Enter");
  }
  await desk.sees("a date such as");
  desk.types("tomorrow");
  await desk.sees("That does not fit: a date such as");
  desk.types("2026-11-18");
  for (const field of ["from 1 to 100", "from 0 to 1000", "1 Monica, 2 Rachel"]) {
    await desk.sees(field);
    desk.presses("Enter");
  }
  await desk.sees("with commas between: 1 Guitar");
  desk.types("piano, bass");
  await desk.sees("1 Superman");
  desk.types("Wonder Woman");
  await desk.sees("1 Tuna");
  desk.presses("Enter");
  await desk.sees("1 Cats");
  desk.presses("Enter");
  const shown = await rested(desk, "│ Thanks.");
  for (const text of ["Name: Ann ⚠️", "Birthdate: 2026-11-18", `"Piano",`, `"hero-3"`])
    expect(shown).toContain(text);

  desk.types("/mode read-only");
  await desk.sees("Mode read-only: refuses all that changes something.");
  desk.presses("BTab");
  await desk.sees(" · ask · ");
  desk.types("/mode read-only");
  await desk.sees("Mode read-only:", 2);
  desk.types("/rules");
  await desk.sees("mode: read-only, which refuses anything no rule covers");
  desk.types("/history");
  await desk.sees("call_1  done  everything/trigger-elicitation-request");
  desk.types("/stats");
  await desk.sees("waited p50/p95");
  desk.types("/agents");
  await desk.sees("No sub-agent has worked here yet.");
  desk.types("/ps");
  await desk.sees("No command is running.");
  desk.types("/help");
  await desk.sees("/compact    summarize the conversation");
  desk.types("/new");
  await desk.sees("/help shows the commands", 2);
  desk.types("/sessions");
  await desk.sees("→ ");
  desk.presses("Enter");
  await desk.sees("│ Thanks.", 2);
  desk.types("/quit");
  expect(await desk.ended()).toBe(0);
});

test("undoes, goes back, lists commands and conversations, and changes the mode at a Toolgate server", async () => {
  const before = "export const sum = (a, b) => a - b;\n";
  const edit = (oldText: string, newText: string) => ({
    calls: [{ tool: "edit_file", input: { path: "cart.js", oldText, newText } }],
  });
  const desk = await atDesk({
    files: {
      "cart.js": before,
      "s.json": script([
        edit("a - b", "a + b"),
        { say: "First." },
        edit("a + b", "a * b"),
        { say: "Second." },
        { calls: [{ tool: "terminal", input: { command: "exec sleep 1000", background: true } }] },
        { say: "Third." },
      ]),
    },
  });
  const file = (): string => readFileSync(join(desk.project, "cart.js"), "utf8");
  const url = await served(desk, "--script s.json");
  desk.starts(`toolgate chat --url ${url}`);
  await desk.sees("Talking with");
  desk.types("/mode nonsense");
  await desk.sees('There is no mode "nonsense"');
  desk.types("/mode accept-edits");
  await rested(desk, "Mode accept-edits");
  desk.types("one");
  await rested(desk, "│ First.");
  desk.types("two");
  await rested(desk, "│ Second.");
  expect(file()).toContain("a * b");
  desk.types("/undo");
  await rested(desk, "Restored: ");
  expect(file()).toContain("a + b");
  desk.types("/model openai/none");
  await rested(desk, 'no key for the model "openai/none"');
  desk.types("/ps");
  await rested(desk, "No command is running.");
  desk.types("three");
  await desk.sees(ALLOW);
  desk.presses("y");
  await rested(desk, "│ Third.");
  desk.types("/ps");
  const [, call = ""] = /(call_\S+)  pid \d+/.exec(await rested(desk, "  pid ")) ?? [];
  desk.types(`/stop ${call}`);
  await rested(desk, "Ended: pid");
  desk.types("/back");
  await desk.sees("Back to before:");
  desk.presses("Down");
  desk.presses("Down");
  desk.presses("Enter");
  await rested(desk, "Your message is in the input again.");
  expect(file()).toBe(before);
  desk.presses("C-c");
  desk.types("/new");
  await rested(desk, "> /new");
  desk.types("/sessions");
  expect(await desk.sees("Conversation:")).toContain("one");
  desk.presses("Enter");
  await rested(desk, "│ Third.");
  desk.types("/quit");
  expect(await desk.ended()).toBe(0);
  await desk.runs("kill %1");
});

test("shows retries, chooses a model, summarizes and undoes single hunks at a Toolgate server, and continues by run", async () => {
  const lines = Array.from({ length: 30 }, (_, line) => `line ${line + 1}\n`).join("");
  const content = lines.replace("line 2\n", "line two\n").replace("line 25\n", "line 25 b\n");
  const fake = await startFake(openAiChat, [
    { status: 503, headers: { "retry-after": "1" } },
    { calls: [{ id: "1", tool: "write_file", input: { path: "a.txt", content } }] },
    { say: "Written." },
    { say: "We wrote a.txt." },
    { say: "Continued." },
  ]);
  const desk = await atDesk({
    env: { TOOLGATE_MODEL_KEY: KEY, ANTHROPIC_API_KEY: "sk-none" },
    files: { "a.txt": lines },
  });
  const url = await served(desk, `--mode allow-all --model openai-compatible/fake --base-url ${fake.url}/v1`);
  desk.starts(`toolgate chat --url ${url}`);
  await desk.sees("Talking with");
  desk.types("write it");
  await desk.sees("answered 503. The request is sent again in 1 s.");
  await rested(desk, "│ Written.");
  desk.types("/undo call_1 hunks");
  await desk.sees("hunk 2");
  desk.types("/undo call_1 2");
  await rested(desk, "Restored:");
  expect(readFileSync(join(desk.project, "a.txt"), "utf8")).toBe(lines.replace("line 2\n", "line two\n"));
  desk.types("/compact");
  await desk.sees("summarized");
  expect(fake.requests).toHaveLength(4);
  desk.types("/quit");
  expect(await desk.ended()).toBe(0);
  desk.starts(`toolgate run --url ${url} --resume -- go on`);
  await desk.sees("│ Continued.");
  expect(await desk.ended()).toBe(0);
  desk.starts(`toolgate chat --url ${url} --resume`);
  await desk.sees("│ Continued.", 2);
  desk.types("/model");
  const [, model = ""] = /(anthropic\/\S+)/.exec(await desk.sees("Model at the server:")) ?? [];
  desk.presses("Enter");
  expect(model).not.toBe("");
  await rested(desk, `This conversation continues with ${model}`);
  desk.types("/quit");
  expect(await desk.ended()).toBe(0);
  await desk.runs("kill %1");
});

test("talks with an agent on a server as with our own, and goes on after it was left at a question", async () => {
  const desk = await atDesk({
    files: {
      "cart.js": "export const sum = (a, b) => a - b;\n",
      "s.json": script([
        { say: "I look **first**.", calls: [{ tool: "read_file", input: { path: "cart.js" } }] },
        { calls: [{ tool: "edit_file", input: { path: "cart.js", oldText: "a - b", newText: "a + b" } }] },
        { say: "Served." },
        { calls: [{ tool: "edit_file", input: { path: "cart.js", oldText: "a + b", newText: "b + a" } }] },
        { say: "From a pipe." },
        { say: "As lines." },
      ]),
    },
  });
  const url = await served(desk, "--script s.json");
  desk.starts(`toolgate chat --url ${url}`);
  await desk.sees("Talking with");
  desk.types("go");
  const asked = await desk.sees(ALLOW);
  expect(asked).toMatch(/✓ ≡ Read cart\.js \(read, [^)]+\)\n/);
  expect(asked).toContain("+ export const sum = (a, b) => a + b;");
  expectScreen("server", asked, "> go");
  desk.presses("C-d");
  await desk.sees(`toolgate chat --url ${url} --resume`);
  expect(await desk.ended()).toBe(0);
  desk.starts(`toolgate chat --url ${url} --resume`);
  expect(await desk.sees(ALLOW)).toContain("│ I look first.");
  desk.presses("y");
  await rested(desk, "│ Served.");
  expect(readFileSync(join(desk.project, "cart.js"), "utf8")).toContain("a + b");
  desk.types("/quit");
  expect(await desk.ended()).toBe(0);
  const piped = await desk.runs(`toolgate run --url ${url} --resume -- more </dev/null | cat`);
  expect(piped.text).toContain("there is no terminal to ask at; run it in one,");
  expect(piped.text).toContain("From a pipe.");
  const asLines = await desk.runs(`toolgate run --json --url ${url} --resume -- again </dev/null | cat`);
  expect(asLines.text).toContain("As lines.");
  writeFileSync(join(desk.project, "cart.js"), "export const sum = (a, b) => a - b;\n");
  desk.starts(`toolgate run --url ${url} again`);
  const askedByRun = await desk.sees("help, or no with your reason");
  expect(askedByRun).toContain("+ export const sum = (a, b) => a + b;");
  expect(askedByRun).not.toContain("input: edit_file");
  desk.types("y");
  expect(await desk.ended()).toBe(0);
  expect(readFileSync(join(desk.project, "cart.js"), "utf8")).toContain("a + b");
  await desk.runs("kill %1");
});

test("says how to go on when another process has taken the conversation over", async () => {
  const desk = await atDesk({
    files: { "s.json": script([{ calls: [command("touch made")] }, { say: "The end." }]) },
  });
  desk.starts(`${CHAT} --ledger l.db 'go'`);
  await desk.sees(ALLOW);
  const ledger = await openLedger(join(desk.project, "l.db"));
  const { sessionId = "" } = (await ledger.openQuestions())[0] ?? {};
  const lease = { milliseconds: 60_000 };
  const held = await ledger.claim(sessionId, "another", lease).catch((error: unknown) => error);
  // As after its lease has ended, which would take five seconds.
  const owner = held instanceof LedgerError ? (held.owner ?? "") : "";
  const taken = await ledger.claim(sessionId, owner, lease);
  desk.presses("y");
  await desk.sees("Leave with /quit. Continue it: toolgate chat --resume session_");
  expect(existsSync(join(desk.project, "made"))).toBe(false);
  await ledger.release(taken);
  await ledger.close();
  desk.types("/quit");
  expect(await desk.ended()).toBe(0);
});

/** Starts a server in the background, and returns its address. */
async function served(desk: Desk, agent: string): Promise<string> {
  desk.starts(`toolgate serve --port 0 --no-contain ${agent} > serve.log 2>&1 & sleep 0.1`);
  await desk.ended();
  const log = join(desk.project, "serve.log");
  await expect.poll(() => readFileSync(log, "utf8"), { timeout: 60_000 }).toMatch(/Serving AAP at http:\S+/);
  return /http:\/\/127\.0\.0\.1:\d+/.exec(readFileSync(log, "utf8"))?.[0] ?? "";
}
