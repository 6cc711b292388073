/** The facts of open calls, from events alone: for readers that fold no session. */
import type { Decision, ToolCallEvent } from "./tool-call.js";
import { STATUS_AT_END } from "./tool-call.js";
import type { ToolKind } from "./tool-kind.js";

export type OpenCall = {
  readonly name: string;
  readonly kind: ToolKind;
  readonly title: string;
  readonly askedAt?: number;
  readonly startedAt?: number;
  readonly decision?: Decision | undefined;
  readonly waitedMs?: number | undefined;
};

export class OpenCalls {
  readonly #calls = new Map<string, OpenCall>();

  get(key: string): OpenCall | undefined {
    return this.#calls.get(key);
  }

  /** The call as the event leaves it; undefined for one whose announcement was not seen. Its end forgets it. */
  take(event: ToolCallEvent, key = event.toolCallId): OpenCall | undefined {
    const call = callAfter(this.#calls.get(key), event);
    if (!call || STATUS_AT_END.has(event.type)) this.#calls.delete(key);
    else this.#calls.set(key, call);
    return call;
  }
}

export function callAfter(call: OpenCall | undefined, event: ToolCallEvent): OpenCall | undefined {
  if (event.type === "call-announced") {
    const { name, kind, title } = event;
    return { name, kind, title };
  }
  if (!call) return undefined;
  switch (event.type) {
    case "call-revised": {
      const { name = call.name, kind = call.kind, title = call.title } = event.fields;
      return { ...call, name, kind, title };
    }
    case "question-asked":
      return { ...call, askedAt: event.at };
    case "run-started":
      return { ...call, startedAt: event.at };
    case "call-cleared":
    case "call-refused":
      return { ...call, decision: event.decision, waitedMs: event.waitedMs };
    case "input-delta":
    case "input-ready":
    case "content-appended":
    case "terminal-output":
    case "terminal-exited":
    case "app-awaited":
    case "child-awaited":
    case "child-stepped":
    case "process-started":
    case "sandbox-refused":
    case "cancel-requested":
    case "file-kept":
    case "call-undone":
    case "call-breached":
    case "call-done":
    case "call-failed":
    case "call-cancelled":
    case "call-unknown":
      return call;
    default:
      return event satisfies never;
  }
}
