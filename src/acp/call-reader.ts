/** Reads the messages about a session's calls, under the ids those calls have here. */
import type { SessionEvent, ToolCall } from "../call/index.js";
import { applyEvent, IllegalEvent, isOver } from "../call/index.js";
import { callEvents } from "./call-events.js";
import type { ReadingOptions } from "./call-events.js";
import type { JsonObject } from "./json.js";
import type { CallMessage, CallRules } from "./read-call.js";
import { readCall } from "./read-call.js";
import type { ReaderOptions, SessionSoFar } from "./read-result.js";
import { readToolgateMeta } from "./toolgate-meta.js";
import type { ToolgateMeta } from "./toolgate-meta.js";
import type { Troubles } from "./troubles.js";

export class CallReader {
  readonly #options: ReaderOptions;
  readonly #rules: CallRules;
  /** Ids that an agent used again for a new call, and the id that call has here. */
  readonly #aliases = new Map<string, string>();
  /** Calls that came with `_meta.toolgate`: a message without it leaves their state as it is. */
  readonly #ours = new Set<string>();

  constructor(options: ReaderOptions, rules: CallRules) {
    this.#options = options;
    this.#rules = rules;
  }

  /** `complete` may add to the message what the reader knows beside it. */
  read(
    update: JsonObject,
    { starts, at, troubles }: { starts: boolean; at: number; troubles: Troubles },
    complete = (message: CallMessage, _call: ToolCall | undefined): CallMessage => message,
  ): readonly SessionEvent[] {
    const { session, cwd } = this.#options;
    const said = this.#underOurId(readCall(update, starts, this.#rules, { cwd, troubles }), troubles);
    const call = session.call(said.toolCallId);
    if (!call && !starts) this.#unknownId(said, troubles);
    const message = complete(said, call);
    const own = troubles.mode === "strict" ? readToolgateMeta(message._meta) : undefined;
    const isOurs = this.#ours.has(message.toolCallId);
    if (!own) return callEvents(call, message, this.#reading(at, troubles, undefined, isOurs));
    const events = callEvents(call, message, this.#reading(at, troubles, own, true));
    // What `_meta.toolgate` says of the call must be a way a call can take; else it is not from us after all.
    if (!canBeApplied(call, events, session)) return callEvents(call, message, this.#reading(at, troubles, undefined, false));
    this.#ours.add(message.toolCallId);
    return events;
  }

  #reading(at: number, troubles: Troubles, own: ToolgateMeta | undefined, isOurs: boolean): ReadingOptions {
    return { session: this.#options.session, at, troubles, own, isOurs };
  }

  /** The id that a foreign call has here. */
  idOf(foreignId: string): string {
    return this.#aliases.get(foreignId) ?? foreignId;
  }

  #unknownId({ toolCallId, title }: CallMessage, troubles: Troubles): void {
    // v2 has but one message, which creates what it does not find.
    if (this.#rules.nullClears) return;
    if (troubles.mode === "lenient") {
      troubles.mend("unknown-id", "an update came for a call that was never announced; it was created");
    } else if (typeof title !== "string") {
      troubles.fail(`title is required for a tool call: ${toolCallId} was never announced`);
    }
  }

  #underOurId(message: CallMessage, troubles: Troubles): CallMessage {
    const foreignId = message.toolCallId;
    const isReused = troubles.mode === "lenient" && startsAnew(message, this.#options.session.call(this.idOf(foreignId)));
    if (isReused) this.#alias(foreignId, troubles);
    const toolCallId = this.idOf(foreignId);
    troubles.toolCallId = toolCallId;
    return toolCallId === foreignId ? message : { ...message, toolCallId };
  }

  #alias(foreignId: string, troubles: Troubles): void {
    let count = 2;
    while (this.#options.session.call(`${foreignId}#${count}`)) count += 1;
    const toolCallId = `${foreignId}#${count}`;
    this.#aliases.set(foreignId, toolCallId);
    troubles.mend("id-reused", `the agent used the id of an ended call for a new one, which is ${toolCallId} here`);
  }
}

function canBeApplied(call: ToolCall | undefined, events: readonly SessionEvent[], session: SessionSoFar): boolean {
  try {
    let next = call;
    for (const event of events) {
      if (!("toolCallId" in event)) continue;
      if (event.type === "question-asked" && session.question(event.question.questionId)) return false;
      next = applyEvent(next, event);
    }
    return true;
  } catch (error) {
    if (error instanceof IllegalEvent) return false;
    throw error;
  }
}

/** A start that is not over, for a call that is: the agent uses one id for several calls. */
function startsAnew({ starts, status }: CallMessage, call: ToolCall | undefined): boolean {
  if (!call || !starts || !isOver(call.state)) return false;
  return status === undefined || status === "pending" || status === "in_progress";
}
