/** One line for people about a recorded event of a call. Undefined for events that need none. */
import { oneLine } from "../../call/index.js";
import type { SessionEvent } from "../../call/index.js";

const MAX_WORDS = 200;

const line = (text: string): string => oneLine(text, MAX_WORDS);

export function callEventWords(event: SessionEvent): string | undefined {
  switch (event.type) {
    case "call-announced":
      return `Announced as ${line(event.name || "a tool")}, kind ${event.kind}`;
    case "input-delta":
      return "The model writes its input";
    case "input-ready":
      return `Input complete, ${JSON.stringify(event.rawInput ?? null).length} characters`;
    case "question-asked":
      return `Asked${event.question.reason === undefined ? "" : ` because ${line(event.question.reason)}`}`;
    case "question-answered":
      return `Answered by ${event.answer.by === "rule" ? `rule ${line(event.answer.rule ?? "")}` : line(event.answer.who ?? "a person")}`;
    case "question-withdrawn":
      return `Question withdrawn: ${line(event.reason)}`;
    case "call-cleared":
      return event.decision?.by === "sandbox" ? "Allowed in the sandbox" : "Allowed";
    case "call-refused":
      return `Refused. Nothing was run.${event.decision?.reason === undefined ? "" : ` ${line(event.decision.reason)}`}`;
    case "run-started":
      return "Started, recorded before it ran";
    case "process-started":
      return `Process ${event.process.pid} started`;
    case "file-kept":
      return `Kept for undo: ${line(event.change.path)}`;
    case "terminal-output":
      return "Output";
    case "terminal-exited":
      return `Command ended with ${event.exit.signal ?? `exit code ${event.exit.exitCode ?? "unknown"}`}`;
    case "cancel-requested":
      return "Cancel requested";
    case "sandbox-refused":
      return `Stopped by the sandbox: ${line(event.refusals.map(({ text }) => text).join("; "))}`;
    case "call-breached":
      return "Reported as run although it was not allowed";
    case "call-done":
      return event.assumed === true ? "Assumed done" : "Done";
    case "call-failed":
      return `Failed: ${line(event.error)}`;
    case "call-cancelled":
      return `Cancelled: ${line(event.reason)}`;
    case "call-unknown":
      return `Outcome unknown: ${line(event.reason)}`;
    case "call-undone":
      return "Undone: its files were restored";
    default:
      return undefined;
  }
}
