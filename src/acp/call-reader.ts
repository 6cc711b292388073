/** Reads the messages about a session's calls. Ids that an agent uses twice get an alias. */
import type { SessionEvent, ToolCall } from "../call/index.js";
import { applyEvent, IllegalEvent, isOver } from "../call/index.js";
import { callEvents } from "./call-events.js";
import { sameJson } from "./json.js";
import type { JsonObject } from "./json.js";
import type { CallMessage, CallRules } from "./read-call.js";
import { readCall } from "./read-call.js";
import { readToolgateMeta } from "./toolgate-meta.js";
import type { ToolgateMeta } from "./toolgate-meta.js";
import type { Reading, SessionSoFar } from "./reading.js";

export class CallReader {
  readonly #reading: Reading;
  readonly #rules: CallRules;
  /** Ids that an agent used again for a new call, and the id that call has here. */
  readonly #aliases = new Map<string, string>();
  /** The latest whole `_meta.toolgate` of each call that has one: a message without it leaves their state unchanged. */
  readonly #ours = new Map<string, ToolgateMeta>();

  constructor(reading: Reading, rules: CallRules) {
    this.#reading = reading;
    this.#rules = rules;
  }

  /** `starts`: a v1 `tool_call`. `complete` may add to the message what the reader knows beside it. */
  read(
    update: JsonObject,
    starts: boolean,
    complete = (message: CallMessage, _call: ToolCall | undefined): CallMessage => message,
  ): readonly SessionEvent[] {
    const reading = this.#reading;
    const received = this.#underOurId(readCall(update, starts, this.#rules, reading));
    const call = reading.session.call(received.toolCallId);
    if (!call && !starts) this.#unknownId(received);
    const message = complete(received, call);
    const known = this.#ours.get(message.toolCallId);
    reading.own = reading.mode === "strict" ? readToolgateMeta(message._meta, known) : undefined;
    reading.isOurs = reading.own !== undefined || known !== undefined;
    const events = callEvents(call, message, reading);
    if (!reading.own) return events;
    if (canBeApplied(call, events, reading.session)) {
      this.#ours.set(message.toolCallId, reading.own);
      return events;
    }
    // No call can get into the state in `_meta.toolgate`: the message is not from us after all.
    reading.own = undefined;
    reading.isOurs = false;
    return callEvents(call, message, reading);
  }

  /** The id that a foreign call has here. */
  idOf(foreignId: string): string {
    return this.#aliases.get(foreignId) ?? foreignId;
  }

  #unknownId({ toolCallId, title }: CallMessage): void {
    // v2 has one message for both: it creates a call that does not exist.
    if (this.#rules.nullClears) return;
    const reading = this.#reading;
    if (reading.mode === "lenient") {
      reading.repair("unknown-id", "an update came for a call that was never announced; it was created");
    } else if (typeof title !== "string") {
      reading.fail(`title is required for a tool call: ${toolCallId} was never announced`);
    }
  }

  #underOurId(message: CallMessage): CallMessage {
    const { session, mode } = this.#reading;
    const foreignId = message.toolCallId;
    if (mode === "lenient" && reusesId(message, session.call(this.idOf(foreignId)))) this.#alias(foreignId);
    const toolCallId = this.idOf(foreignId);
    this.#reading.toolCallId = toolCallId;
    return toolCallId === foreignId ? message : { ...message, toolCallId };
  }

  #alias(foreignId: string): void {
    const { session } = this.#reading;
    let count = 2;
    while (session.call(`${foreignId}#${count}`)) count += 1;
    const toolCallId = `${foreignId}#${count}`;
    this.#aliases.set(foreignId, toolCallId);
    this.#reading.repair(
      "id-reused",
      `the agent used the id of an ended call for a new one, which is ${toolCallId} here`,
    );
  }
}

function canBeApplied(
  call: ToolCall | undefined,
  events: readonly SessionEvent[],
  session: SessionSoFar,
): boolean {
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

/** A start that is not over, or of another input, for a call that is over: the agent uses one id for several calls. */
function reusesId({ starts, status, rawInput }: CallMessage, call: ToolCall | undefined): boolean {
  if (!call || !starts || !isOver(call.state)) return false;
  const isReported = !("assumed" in call.state && call.state.assumed);
  if (isReported && rawInput !== undefined && !sameJson(rawInput, call.rawInput)) return true;
  return status === undefined || status === "pending" || status === "in_progress";
}
