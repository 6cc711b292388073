/**
 * The rules of tool calls, each over the story of one conversation: it names the first line that breaks it.
 */
import { isAbsolute } from "node:path";
import { isJsonObject, isNone } from "../json.js";
import type { JsonObject } from "../json.js";
import type { CallStep } from "./call-steps.js";
import type { ProtocolVersion } from "./requirement.js";
import type { Line } from "./transcript.js";

type Reported = CallStep & { readonly type: "reported" };
/** The line that breaks a rule, and how. */
type Offence = { readonly line: Line; readonly how: string };
export type Rule = (steps: readonly CallStep[], version: ProtocolVersion) => Offence | undefined;

const ENDS = new Set<unknown>(["completed", "failed", "cancelled"]);
const RANK = new Map<unknown, number>([
  ["pending", 0],
  ["in_progress", 1],
  ["paused", 1],
  ["completed", 2],
  ["failed", 2],
  ["cancelled", 2],
]);

/** Finds the first step that a rule forbids, given what it remembers of the steps before. */
function first<Memory>(
  steps: readonly CallStep[],
  memory: Memory,
  look: (step: CallStep, memory: Memory) => string | undefined,
): Offence | undefined {
  for (const step of steps) {
    const how = look(step, memory);
    if (how !== undefined) return { line: step.line, how };
  }
  return undefined;
}

const key = ({ sessionId }: CallStep, callId: unknown): string => JSON.stringify([sessionId, callId]);

export const announcedFirst: Rule = (steps) =>
  first(steps, new Set<string>(), (step, announced) => {
    if (step.type !== "reported" && step.type !== "asked") return undefined;
    if (step.type === "reported" && step.isFirst) announced.add(key(step, step.callId));
    return announced.has(key(step, step.callId))
      ? undefined
      : `no tool_call announced ${JSON.stringify(step.callId)} before this`;
  });

export const wrappedContent: Rule = (steps) =>
  first(steps, undefined, (step) => {
    if (step.type !== "reported" && step.type !== "asked") return undefined;
    const { content } = step.fields;
    if (isNone(content)) return undefined;
    if (!Array.isArray(content)) return "content is not a list";
    const bare = content.find(
      (item) => !isJsonObject(item) || !(WRAPPED.has(item["type"]) || isVendor(item["type"])),
    );
    return bare === undefined
      ? undefined
      : `a content item is neither content, diff nor terminal: ${JSON.stringify(bare)}`;
  });
const WRAPPED = new Set<unknown>(["content", "diff", "terminal"]);
const isVendor = (word: unknown): boolean => typeof word === "string" && word.startsWith("_");

export const noBackwardStatus: Rule = (steps) =>
  first(steps, new Map<string, number>(), (step, ranks) => {
    if (step.type !== "reported") return undefined;
    const rank = RANK.get(statusOf(step));
    if (rank === undefined) return undefined;
    const before = ranks.get(key(step, step.callId)) ?? 0;
    ranks.set(key(step, step.callId), rank);
    return rank < before ? `the status goes back to ${String(statusOf(step))}` : undefined;
  });

/** A tool_call without a status is pending; an update without one leaves it. */
const statusOf = ({ fields, isFirst }: Reported): unknown =>
  fields["status"] ?? (isFirst ? "pending" : undefined);

export const nothingAfterTheEnd: Rule = (steps) =>
  first(steps, new Set<string>(), (step, ended) => {
    if (step.type !== "reported") return undefined;
    const id = key(step, step.callId);
    if (ended.has(id)) return `${JSON.stringify(step.callId)} had already ended`;
    if (ENDS.has(statusOf(step))) ended.add(id);
    return undefined;
  });

/** Tracks the open calls through their reports. A report without a status leaves the status unchanged. */
class OpenCalls {
  readonly #calls = new Map<string, { readonly callId: unknown; readonly isOpen: boolean }>();

  see(step: CallStep): void {
    if (step.type !== "reported") return;
    const { callId } = step;
    const isOpen = isNone(statusOf(step))
      ? (this.#calls.get(key(step, callId))?.isOpen ?? true)
      : !ENDS.has(statusOf(step));
    this.#calls.set(key(step, callId), { callId, isOpen });
  }

  has(step: CallStep, callId: unknown): boolean {
    return this.#calls.get(key(step, callId))?.isOpen ?? false;
  }

  /** The ids in the step's session. */
  of(step: CallStep): readonly unknown[] {
    const ids = [...this.#calls.values()].map(({ callId }) => callId);
    return ids.filter((callId) => this.has(step, callId));
  }
}

export const closedBeforeTheEnd: Rule = (steps) =>
  first(steps, new OpenCalls(), (step, open) => {
    open.see(step);
    if (step.type !== "turn-ended") return undefined;
    const left = open.of(step).find((callId) => !step.background.has(callId));
    return left === undefined ? undefined : `the turn is over, and ${JSON.stringify(left)} is still open`;
  });

export const idsOnce: Rule = (steps, version) => {
  type Known = { readonly turn: number; readonly hasEnded: boolean };
  return first(steps, { turn: 0, calls: new Map<string, Known>() }, (step, memory) => {
    if (step.type === "turn-started") memory.turn++;
    if (step.type !== "reported") return undefined;
    const id = key(step, step.callId);
    const known = memory.calls.get(id);
    const hasEnded = (known?.hasEnded ?? false) || ENDS.has(statusOf(step));
    memory.calls.set(id, { turn: known?.turn ?? memory.turn, hasEnded });
    if (!known) return undefined;
    // A second tool_call for an open call of this turn only repeats its fields.
    const isNew = version === 1 ? step.isFirst : typeof step.fields["title"] === "string" && isOpen(step);
    const isOld = known.hasEnded || (version === 1 && known.turn !== memory.turn);
    return isNew && isOld ? `${JSON.stringify(step.callId)} was another call's id before` : undefined;
  });
};
const isOpen = (step: Reported): boolean => !ENDS.has(step.fields["status"]);

export const questionNamesItsCall: Rule = (steps, version) =>
  first(steps, new OpenCalls(), (step, open) => {
    open.see(step);
    if (step.type !== "asked" || open.has(step, step.callId)) return undefined;
    // In v2 a question may be about something else, and may come before the first report of its call.
    const isReported = (one: CallStep): boolean => one.type === "reported" && one.callId === step.callId;
    if (version === 2 && (step.callId === undefined || steps.some(isReported))) return undefined;
    return `the question is about ${JSON.stringify(step.callId)}, which is no open call`;
  });

export const absolutePaths: Rule = (steps) =>
  first(steps, undefined, (step) => {
    if (step.type !== "reported" && step.type !== "asked") return undefined;
    const path = pathsOf(step.fields).find((one) => !isAbsolutePath(one));
    return path === undefined ? undefined : `${JSON.stringify(path)} is not an absolute path`;
  });
// The agent may run on another system than we do.
export const isAbsolutePath = (path: unknown): boolean =>
  typeof path === "string" && (isAbsolute(path) || /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path));

function pathsOf({ content, locations }: JsonObject): readonly unknown[] {
  const items = Array.isArray(content) ? content.filter(isJsonObject) : [];
  const diffs = items.filter(({ type }) => type === "diff");
  const changes = diffs.flatMap(({ changes: list }) =>
    Array.isArray(list) ? list.filter(isJsonObject) : [],
  );
  const places = Array.isArray(locations) ? locations.filter(isJsonObject) : [];
  return [
    ...diffs.filter((diff) => !("changes" in diff)).map(({ path }) => path),
    ...changes.flatMap((change) => [change["path"], ...("oldPath" in change ? [change["oldPath"]] : [])]),
    ...places.map(({ path }) => path),
  ];
}

export const stillWhileAsked: Rule = (steps) =>
  first(steps, new Map<unknown, string>(), (step, open) => {
    if (step.type === "asked") open.set(step.requestId, key(step, step.callId));
    if (step.type === "answered") open.delete(step.requestId);
    if (step.type !== "reported" || (RANK.get(statusOf(step)) ?? 0) === 0) return undefined;
    // A withdrawn question gets no answer; its end is enough.
    if (ENDS.has(statusOf(step)) && statusOf(step) !== "completed") return undefined;
    return [...open.values()].includes(key(step, step.callId))
      ? `it goes on while its question is still open`
      : undefined;
  });

export const nothingAfterCancel: Rule = (steps) =>
  first(steps, new Set<unknown>(), (step, over) => {
    if (step.type === "turn-started") over.delete(step.sessionId);
    if ((step.type === "reported" || step.type === "other") && over.has(step.sessionId))
      return "it came after the cancelled turn was over";
    if (step.type === "turn-ended" && step.isCancelled) over.add(step.sessionId);
    return undefined;
  });

/** A call that a person did not allow must not run. */
export const notApproved =
  (...answers: readonly string[]): Rule =>
  (steps) =>
    first(steps, new Set<string>(), (step, refused) => {
      if (step.type === "answered" && answers.includes(step.answer)) refused.add(key(step, step.callId));
      if (step.type === "answered" && step.answer.startsWith("allow_"))
        refused.delete(key(step, step.callId));
      if (step.type !== "reported" || !refused.has(key(step, step.callId))) return undefined;
      return statusOf(step) === "completed" ? "it was not allowed, and was completed" : undefined;
    });

export const usableOptions: Rule = (steps) =>
  first(steps, undefined, (step) => {
    if (step.type !== "asked") return undefined;
    const { message } = step.line;
    const params = isJsonObject(message) && isJsonObject(message["params"]) ? message["params"] : {};
    const options = Array.isArray(params["options"]) ? params["options"].filter(isJsonObject) : [];
    const ids = options.map(({ optionId }) => optionId);
    if (ids.includes("") || new Set(ids).size !== ids.length)
      return "two options have the same id, or an empty one";
    const has = (word: string): boolean => options.some(({ kind }) => String(kind).startsWith(word));
    return has("allow_") && has("reject_") ? undefined : "one cannot both allow and reject";
  });
