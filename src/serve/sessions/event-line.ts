/**
 * A recorded event as one line for people. `moment`: replay stops there; `detail`: only the life of a call shows it;
 * `repeated`: so does the life of a call, and a run of such events is one line. Undefined for events that need no line.
 */
import { handleStoredEvent, oneLine } from "../../call/index.js";
import type { EventTable, FileChange, SessionEvent } from "../../call/index.js";

export type EventLine = { readonly words: string; readonly is: "moment" | "detail" | "repeated" };

export const eventLine = (event: SessionEvent): EventLine | undefined => handleStoredEvent(LINES, event);

const MAX_WORDS = 200;

const line = (text: string): string => oneLine(text, MAX_WORDS);
const moment = (words: string): EventLine => ({ words, is: "moment" });
const detail = (words: string): EventLine => ({ words, is: "detail" });
const repeated = (words: string): EventLine => ({ words, is: "repeated" });
const none = (): undefined => undefined;

function keptWords(change: FileChange): string {
  if (change.type === "beside") return "Kept for undo with the commands that ran at the same time";
  const path = line(change.path);
  return "reason" in change
    ? `Not kept for undo: ${path}, since ${line(change.reason)}`
    : `Kept for undo: ${path}`;
}

const SPEAKERS = { user: "The prompt", agent: "The agent wrote", thought: "The agent thought" } as const;

const LINES: EventTable<[], EventLine | undefined> = {
  "message-chunk": ({ role }) => moment(SPEAKERS[role]),
  "turn-stopped": ({ stopReason }) => moment(`The turn ended: ${stopReason.replaceAll("_", " ")}`),
  "plan-updated": () => moment("The plan changed"),
  "context-compacted": () => moment("The conversation was summarized"),
  "call-announced": ({ name, kind }) => moment(`Announced as ${line(name || "a tool")}, kind ${kind}`),
  "input-delta": () => repeated("The model writes its input"),
  "input-ready": ({ rawInput }) =>
    detail(`Input complete, ${JSON.stringify(rawInput ?? null).length} characters`),
  "question-asked": ({ question: { reason } }) =>
    moment(`Asked${reason === undefined ? "" : ` because ${line(reason)}`}`),
  "question-answered": ({ answer }) =>
    moment(
      `Answered by ${answer.by === "rule" ? `rule ${line(answer.rule ?? "")}` : line(answer.who ?? "a person")}`,
    ),
  "question-withdrawn": ({ reason }) => moment(`Question withdrawn: ${line(reason)}`),
  "call-cleared": ({ decision }) => detail(decision?.by === "sandbox" ? "Allowed in the sandbox" : "Allowed"),
  "call-refused": ({ decision }) =>
    moment(`Refused. Nothing was run.${decision?.reason === undefined ? "" : ` ${line(decision.reason)}`}`),
  "run-started": () => moment("Started, recorded before it ran"),
  "process-started": ({ process: { pid } }) => detail(`Process ${pid} started`),
  "file-kept": ({ change }) => detail(keptWords(change)),
  "terminal-output": () => repeated("Output"),
  "terminal-exited": ({ exit: { signal, exitCode } }) =>
    detail(`Command ended with ${signal ?? `exit code ${exitCode ?? "unknown"}`}`),
  "cancel-requested": () => detail("Cancel requested"),
  "sandbox-refused": ({ refusals }) =>
    detail(`Stopped by the sandbox: ${line(refusals.map(({ text }) => text).join("; "))}`),
  "call-breached": () => moment("Reported as run although it was not allowed"),
  "call-done": ({ assumed }) => moment(assumed === true ? "Assumed done" : "Done"),
  "call-failed": ({ error }) => moment(`Failed: ${line(error)}`),
  "call-cancelled": ({ reason }) => moment(`Cancelled: ${line(reason)}`),
  "call-unknown": ({ reason }) => moment(`Outcome unknown: ${line(reason)}`),
  "call-undone": ({ hunks }) =>
    moment(
      hunks === undefined
        ? "Undone: its files were restored"
        : `Undone in part: ${hunks.length === 1 ? "change" : "changes"} ${hunks.join(", ")} put back`,
    ),
  "call-revised": none,
  "content-appended": none,
  "app-awaited": none,
  "child-awaited": none,
  "child-stepped": none,
  "step-ended": none,
  "turn-started": none,
  "turn-parked": none,
  "turn-resumed": none,
  "window-learnt": none,
  "mode-changed": none,
  "info-changed": none,
  "traffic-repaired": none,
};
