/**
 * `toolgate demo`: a scripted session, folded event by event as a live one would be. Each step of a call
 * is told when the fold takes it, then the whole session is shown as it would be remembered.
 */
import type { Question, SessionEvent, ToolCall } from "../call/index.js";
import { oneLine, SessionBook } from "../call/index.js";
import { sessionText, statusMark } from "../view/index.js";
import { demoEvents, demoSessionId } from "./demo-session.js";

const OPENING = `A scripted sample of the state machine: nothing is run and no file is touched.

Each call, step by step:
`;

const SUMMARY = `
The whole session, as it is remembered:
`;

export function runDemo(write: (text: string) => void): void {
  const book = new SessionBook(demoSessionId);
  const start = demoEvents[0]?.at ?? 0;
  write(`${OPENING}\n`);
  for (const event of demoEvents) {
    const before = "toolCallId" in event ? book.call(event.toolCallId) : undefined;
    book.apply(event);
    const after = "toolCallId" in event ? book.call(event.toolCallId) : undefined;
    if (after && hasMoved(before, after)) write(`${stepLine(after, event, start)}\n`);
  }
  write(`${SUMMARY}\n${sessionText(book.snapshot())}\n`);
}

/** A step, or a title that says more than before. */
function hasMoved(before: ToolCall | undefined, after: ToolCall): boolean {
  return before?.state.status !== after.state.status || before.title !== after.title;
}

function stepLine(call: ToolCall, event: SessionEvent, start: number): string {
  const seconds = `${((event.at - start) / 1000).toFixed(1)} s`;
  const { status } = call.state;
  const columns = [
    seconds.padStart(8),
    oneLine(call.name, 12).padEnd(12),
    `${statusMark(status)} ${status.padEnd(9)}`,
  ];
  return `${columns.join("  ")} ${meaning(call, event)}`;
}

function meaning(call: ToolCall, event: SessionEvent): string {
  const title = oneLine(call.title, 44);
  switch (call.state.status) {
    case "drafting":
      return event.type === "call-announced" ? "the model is writing the input" : title;
    case "ready":
      return "the input is complete";
    case "waiting":
      return event.type === "question-asked" ? asked(event.question) : "for someone else";
    case "cleared":
      return decided(call);
    case "running":
      return "under way";
    case "done":
      return "finished";
    case "failed":
    case "refused":
    case "cancelled":
    case "unknown":
      return title;
    default:
      return call.state satisfies never;
  }
}

function asked({ options }: Question): string {
  return `asks: ${options.map(({ name }) => oneLine(name, 14)).join(" / ")}`;
}

function decided({ decision }: ToolCall): string {
  if (!decision) return "nobody decided";
  if (decision.by === "rule") return `rule ${oneLine(decision.rule ?? "", 30)} allows it`;
  return `${oneLine(decision.who ?? "someone", 30)} said yes`;
}
