/** The script of the demo: one turn in which a person is asked about an edit and a rule allows a command. */
import type { Decision, PlanStatus, QuestionOption, SessionEvent } from "../call/index.js";
import { createToolTitle, diffContent } from "../call/index.js";

export const demoSessionId = "demo";

const CWD = "/home/ann/hello";
const FILE = `${CWD}/greet.js`;
const TURN = "turn-1";
const EDIT = "call-1";
const TEST = "call-2";
const QUESTION = "question-1";
/** What the yes is for. A real hash is made by the gate; the script needs one that stays the same. */
const INTENT = "sample-intent";

const oldLine = '  return "Hello!";';
const newLine = "  return `Hello, ${name}!`;";
const oldFile = `/** What the door says. */\nexport function greet(name) {\n${oldLine}\n}\n`;
const newFile = oldFile.replace(oldLine, () => newLine);

const editInput = { path: FILE, oldText: oldLine, newText: newLine };
const testInput = { command: "npm test" };

const options: readonly QuestionOption[] = [
  { optionId: "once", name: "Allow once", kind: "allow_once" },
  { optionId: "always", name: "Allow always", kind: "allow_always" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];

const testOutput = [
  "> node --test\n\n",
  "ok 1 - greets ann by name\n",
  "ok 2 - greets bob by name\n",
  "# pass 2\n# fail 0\n",
];

/** The moments are part of the script: the demo says the same on every machine, at any time. */
const START = Date.UTC(2026, 0, 5, 9);
const after = (milliseconds: number): number => START + milliseconds;

function said(role: "user" | "agent", messageId: string, at: number, text: string): SessionEvent {
  return { type: "message-chunk", at, messageId, role, block: { type: "text", text } };
}

function planned(at: number, edit: PlanStatus, test: PlanStatus): SessionEvent {
  return {
    type: "plan-updated",
    at,
    entries: [
      { content: "Put the name into the greeting", priority: "medium", status: edit, toolCallIds: [EDIT] },
      { content: "Run the tests", priority: "medium", status: test, toolCallIds: [TEST] },
    ],
  };
}

const opening: readonly SessionEvent[] = [
  {
    type: "info-changed",
    at: after(0),
    info: { title: "Greet people by name", agent: "scripted-sample", cwd: CWD },
  },
  { type: "turn-started", at: after(0), turnId: TURN },
  said("user", "message-1", after(0), "Greet people by their name, and see that the tests still pass."),
  said("agent", "message-2", after(400), "I will change the greeting, "),
  said("agent", "message-2", after(500), "then run the tests."),
  planned(after(600), "in_progress", "pending"),
];

const annSaysYes: Decision = { by: "person", who: "ann", at: after(5_700) };

/** The input comes in pieces, cut anywhere, as models send it. */
const editPieces = JSON.stringify(editInput).match(/.{1,40}/gs) ?? [];

const edit: readonly SessionEvent[] = [
  {
    type: "call-announced",
    toolCallId: EDIT,
    at: after(700),
    name: "edit_file",
    title: createToolTitle("edit_file"),
    kind: "edit",
    kindSource: "declared",
  },
  ...editPieces.map((text, index): SessionEvent => ({
    type: "input-delta",
    toolCallId: EDIT,
    at: after(800 + 100 * index),
    text,
  })),
  {
    type: "call-revised",
    toolCallId: EDIT,
    at: after(1_200),
    fields: { title: createToolTitle("edit_file", editInput), locations: [{ path: FILE, line: 3 }] },
  },
  { type: "input-ready", toolCallId: EDIT, at: after(1_300), rawInput: editInput },
  // Before the question: whoever says yes says it to exactly this change.
  {
    type: "content-appended",
    toolCallId: EDIT,
    at: after(1_400),
    content: diffContent(FILE, oldFile, newFile),
  },
  {
    type: "question-asked",
    toolCallId: EDIT,
    at: after(1_500),
    question: {
      questionId: QUESTION,
      sessionId: demoSessionId,
      toolCallId: EDIT,
      intentHash: INTENT,
      title: createToolTitle("edit_file", editInput),
      options,
      askedAt: after(1_500),
    },
  },
  {
    type: "question-answered",
    at: after(5_700),
    questionId: QUESTION,
    answer: {
      outcome: { type: "selected", optionId: "once" },
      intentHash: INTENT,
      by: "person",
      who: "ann",
      at: after(5_700),
    },
  },
  { type: "call-cleared", toolCallId: EDIT, at: after(5_700), decision: annSaysYes },
  { type: "run-started", toolCallId: EDIT, at: after(5_800) },
  { type: "call-done", toolCallId: EDIT, at: after(5_812), rawOutput: { replaced: 1 } },
  planned(after(5_900), "completed", "in_progress"),
];

const test: readonly SessionEvent[] = [
  {
    type: "call-announced",
    toolCallId: TEST,
    at: after(6_500),
    name: "run_command",
    title: createToolTitle("run_command"),
    kind: "execute",
    kindSource: "declared",
  },
  { type: "input-delta", toolCallId: TEST, at: after(6_600), text: JSON.stringify(testInput) },
  {
    type: "call-revised",
    toolCallId: TEST,
    at: after(6_600),
    fields: { title: createToolTitle("run_command", testInput) },
  },
  { type: "input-ready", toolCallId: TEST, at: after(6_700), rawInput: testInput },
  {
    type: "call-cleared",
    toolCallId: TEST,
    at: after(6_700),
    decision: { by: "rule", rule: '"npm test"', at: after(6_700) },
  },
  { type: "run-started", toolCallId: TEST, at: after(6_800) },
  {
    type: "content-appended",
    toolCallId: TEST,
    at: after(6_800),
    content: { type: "terminal", terminalId: "terminal-1" },
  },
  ...testOutput.map((text, index): SessionEvent => ({
    type: "terminal-output",
    toolCallId: TEST,
    at: after(7_000 + 300 * index),
    terminalId: "terminal-1",
    text,
  })),
  {
    type: "terminal-exited",
    toolCallId: TEST,
    at: after(8_100),
    terminalId: "terminal-1",
    exit: { exitCode: 0 },
  },
  { type: "call-done", toolCallId: TEST, at: after(8_200), rawOutput: { exitCode: 0 } },
  planned(after(8_300), "completed", "completed"),
];

const closing: readonly SessionEvent[] = [
  said("agent", "message-3", after(8_900), "The greeting now has the name in it, and both tests pass."),
  { type: "turn-stopped", at: after(9_000), turnId: TURN, stopReason: "end_turn" },
];

export const demoEvents: readonly SessionEvent[] = [...opening, ...edit, ...test, ...closing];
