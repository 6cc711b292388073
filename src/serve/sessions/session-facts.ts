/**
 * The facts of a session that lists and the inbox show, folded from its events without their texts, so that thousands of
 * sessions fit into memory. Questions are returned as their events come.
 */
import { oneLine, sessionModel } from "../../call/index.js";
import type { Question, SessionEvent, SessionInfo, ToolCallEvent, Usage } from "../../call/index.js";
import { OpenCalls } from "../../call/open-calls.js";
import type { OpenCall } from "../../call/open-calls.js";
import { firstLine } from "../../call/visible-text.js";
import { exitWords } from "../../view/card-facts.js";
import { sessionDoor } from "../../aap/sessions/session-door.js";
import { CallPaths } from "../history/call-paths.js";
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
  /** How the commands of calls failed, by the ids of the calls. */
  readonly failedCommands = new Map<string, string>();
  /** Calls that were undone, or of which some changes were, by their ids. */
  readonly undoneCalls = new Map<string, "whole" | "part">();
  readonly paths = new CallPaths();
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
    this.paths.take(event);
    switch (event.type) {
      case "call-announced":
        this.calls += 1;
        return;
      case "call-breached":
        this.breaches += 1;
        return;
      case "terminal-exited":
        this.#exited(event);
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
      case "app-awaited":
      case "child-awaited":
      case "call-cleared":
      case "run-started":
      case "process-started":
      case "sandbox-refused":
      case "cancel-requested":
      case "file-kept":
        return;
      case "call-undone":
        this.undoneCalls.set(event.toolCallId, event.hunks ? "part" : "whole");
        return;
      default:
        event satisfies never;
    }
  }

  #exited({ toolCallId, exit }: SessionEvent & { type: "terminal-exited" }): void {
    const isFailure = exit.exitCode !== 0 || exit.signal !== undefined;
    if (isFailure) this.failedCommands.set(toolCallId, exitWords({ exit }).join(", "));
    else this.failedCommands.delete(toolCallId);
  }

  #message({ messageId, role, block }: SessionEvent & { type: "message-chunk" }): void {
    if (messageId !== this.#lastMessage) this.messages += 1;
    this.#lastMessage = messageId;
    if (role === "user" && this.#firstPrompt === "" && block.type === "text")
      this.#firstPrompt = firstLine(block.text.slice(0, 4 * MAX_TITLE), MAX_TITLE);
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
