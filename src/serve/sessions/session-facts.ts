/**
 * The facts of a session that lists and the inbox show, folded from its events without their texts, so that thousands of
 * sessions fit into memory. Questions are returned as their events come.
 */
import { oneLine, sessionModel, visibleText } from "../../call/index.js";
import type { Question, SessionEvent, SessionInfo, ToolCallEvent, Usage } from "../../call/index.js";
import { OpenCalls } from "../../call/open-calls.js";
import type { OpenCall } from "../../call/open-calls.js";
import { sessionDoor } from "../../aap/sessions/session-door.js";
import type { SessionDoor, TokenUsage } from "../api/session-bodies.js";

export type TurnFacts = {
  readonly turnId: string;
  readonly status: "running" | "parked" | "stopped";
  readonly isError: boolean;
};

const MAX_TITLE = 80;

export class SessionFacts {
  readonly sessionId: string;
  info: SessionInfo = {};
  turn: TurnFacts | undefined;
  calls = 0;
  messages = 0;
  breaches = 0;
  readonly usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
  hasUsage = false;
  /** By their ids, in the order in which they were asked. */
  readonly openQuestions = new Map<string, Question>();
  readonly #openCalls = new OpenCalls();
  #firstPrompt = "";
  #lastMessage = "";

  constructor(sessionId: string) {
    this.sessionId = sessionId;
  }

  get title(): string {
    const { title } = this.info;
    return title === undefined ? this.#firstPrompt || "Untitled session" : oneLine(title, MAX_TITLE);
  }

  get model(): string | undefined {
    return sessionModel(this.info).model;
  }

  get door(): SessionDoor {
    return sessionDoor(this.info);
  }

  call(toolCallId: string): OpenCall | undefined {
    return this.#openCalls.get(toolCallId);
  }

  apply(event: SessionEvent): void {
    switch (event.type) {
      case "info-changed":
        this.info = { ...this.info, ...event.info };
        return;
      case "turn-started":
      case "turn-resumed":
        this.turn = { turnId: event.turnId, status: "running", isError: false };
        return;
      case "turn-parked":
        this.turn = { turnId: event.turnId, status: "parked", isError: false };
        return;
      case "turn-stopped":
        this.turn = { turnId: event.turnId, status: "stopped", isError: event.stopReason === "error" };
        return;
      case "message-chunk":
        return this.#message(event);
      case "step-ended":
      case "child-stepped":
      case "context-compacted":
        return this.#use(event.usage);
      case "question-asked":
        this.openQuestions.set(event.question.questionId, event.question);
        return;
      case "question-answered":
      case "question-withdrawn":
        this.openQuestions.delete(event.questionId);
        return;
      case "window-learnt":
      case "plan-updated":
      case "mode-changed":
      case "traffic-repaired":
        return;
      default:
        return this.#applyToCall(event);
    }
  }

  #applyToCall(event: Exclude<ToolCallEvent, { type: "question-asked" | "child-stepped" }>): void {
    this.#openCalls.take(event);
    switch (event.type) {
      case "call-announced":
        this.calls += 1;
        return;
      case "call-breached":
        this.breaches += 1;
        return;
      case "call-done":
      case "call-failed":
      case "call-refused":
      case "call-cancelled":
      case "call-unknown":
      case "call-revised":
      case "input-delta":
      case "input-ready":
      case "content-appended":
      case "terminal-output":
      case "terminal-exited":
      case "app-awaited":
      case "child-awaited":
      case "call-cleared":
      case "run-started":
      case "process-started":
      case "sandbox-refused":
      case "cancel-requested":
      case "file-kept":
      case "call-undone":
        return;
      default:
        event satisfies never;
    }
  }

  #message({ messageId, role, block }: SessionEvent & { type: "message-chunk" }): void {
    if (messageId !== this.#lastMessage) this.messages += 1;
    this.#lastMessage = messageId;
    if (role === "user" && this.#firstPrompt === "" && block.type === "text")
      this.#firstPrompt = oneLine(visibleText(block.text.slice(0, 4 * MAX_TITLE)), MAX_TITLE);
  }

  #use(usage: Usage | undefined): void {
    if (!usage) return;
    this.hasUsage = true;
    this.usage.inputTokens += usage.inputTokens ?? 0;
    this.usage.outputTokens += usage.outputTokens ?? 0;
    this.usage.cachedTokens += usage.cachedTokens ?? 0;
  }
}

export function usageOf(
  facts: SessionFacts,
  costOf: (model: string, usage: Usage) => number | undefined,
): TokenUsage | undefined {
  if (!facts.hasUsage) return undefined;
  const costUsd = facts.model === undefined ? undefined : costOf(facts.model, facts.usage);
  return { ...facts.usage, ...(costUsd !== undefined && { costUsd }) };
}
