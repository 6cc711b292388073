/**
 * What a foreign agent does through us: files that we read and write, commands that we run for it. Each is a
 * call of its own in the record, decided on like any other and recorded before it takes effect. A yes that was
 * just given for this very thing counts for it, once.
 */
import { createToolTitle } from "../../call/index.js";
import type { CallFields, Decision, SessionEvent } from "../../call/index.js";
import type { Intent } from "../../policy/index.js";
import { intentHash } from "../../run/index.js";
import { builtInTools, ToolFailure } from "../../tools/index.js";
import type { CommandExit } from "../../tools/index.js";
import type { Approvals } from "./approvals.js";
import { throughUsId } from "./call-ids.js";
import type { Outcome } from "./decisions.js";
import type { SessionParts } from "./session-parts.js";

/** What may be done is done under a call, which says how it ended. */
export type Act =
  | { readonly isAllowed: true; readonly toolCallId: string }
  | { readonly isAllowed: false; readonly reason: string };

export class Acts {
  readonly #parts: SessionParts;
  readonly #approvals: Approvals;
  /** What was printed and is not yet recorded, by terminal. */
  readonly #output = new Map<string, string>();
  #count = 0;

  constructor(parts: SessionParts, approvals: Approvals) {
    this.#parts = parts;
    this.#approvals = approvals;
  }

  async begin(intent: Intent, signal: AbortSignal): Promise<Act> {
    const { inbox, isCancelling, takeBack, record, now } = this.#parts;
    const begun = await inbox.do(async () => (isCancelling() ? undefined : this.#ask(intent)));
    if (!begun) return { isAllowed: false, reason: "the turn is being cancelled" };
    const { toolCallId } = begun;
    const give = () => void takeBack(toolCallId, "the agent took its request back.").catch(() => undefined);
    signal.addEventListener("abort", give, { once: true });
    const outcome = await begun.outcome.finally(() => signal.removeEventListener("abort", give));
    if (outcome.type === "cancelled") return { isAllowed: false, reason: "nobody said yes to it" };
    if (outcome.type === "refused") return { isAllowed: false, reason: outcome.reason ?? "it was refused" };
    const started: SessionEvent = { type: "run-started", toolCallId, at: now(), intent };
    return inbox.do(async (): Promise<Act> => {
      // The turn may have ended in this very moment.
      if (record.book.call(toolCallId)?.state.status !== "cleared")
        return { isAllowed: false, reason: "the turn is over" };
      await record.append([started], { durable: true });
      return { isAllowed: true, toolCallId };
    });
  }

  /** How it ended. After the turn's end it is a late report, which takes the place of the end that was assumed. */
  async end(toolCallId: string, end: { readonly error?: string }): Promise<void> {
    const { error } = end;
    await this.#recordFor(toolCallId, (at) => [
      error === undefined
        ? { type: "call-done", toolCallId, at }
        : { type: "call-failed", toolCallId, at, error },
    ]);
  }

  /** The call shows what its command prints. */
  async showTerminal(toolCallId: string, terminalId: string): Promise<void> {
    await this.#recordFor(toolCallId, (at) => [
      { type: "content-appended", toolCallId, at, content: { type: "terminal", terminalId } },
    ]);
  }

  /** What comes while one append is under way goes into the next. */
  print(toolCallId: string, terminalId: string, text: string): void {
    const waiting = this.#output.get(terminalId);
    this.#output.set(terminalId, (waiting ?? "") + text);
    if (waiting !== undefined) return;
    this.#recordFor(toolCallId, (at) => this.#printed(toolCallId, terminalId, at)).catch(() => undefined);
  }

  /** The command has ended: its call does, and whatever calls of the agent show its terminal show this too. */
  async endTerminal(toolCallId: string, terminalId: string, exit: CommandExit, text: string): Promise<void> {
    await this.#recordFor(toolCallId, (at) => [
      ...this.#printed(toolCallId, terminalId, at),
      ...this.#othersShowing(terminalId, toolCallId).flatMap((other): SessionEvent[] => [
        { type: "terminal-output", toolCallId: other, at, terminalId, text },
        { type: "terminal-exited", toolCallId: other, at, terminalId, exit },
      ]),
      { type: "terminal-exited", toolCallId, at, terminalId, exit },
      { type: "call-done", toolCallId, at, rawOutput: exit },
    ]);
  }

  #printed(toolCallId: string, terminalId: string, at: number): readonly SessionEvent[] {
    const text = this.#output.get(terminalId);
    this.#output.delete(terminalId);
    return text === undefined ? [] : [{ type: "terminal-output", toolCallId, at, terminalId, text }];
  }

  /** Those that do not show yet what it printed. */
  #othersShowing(terminalId: string, toolCallId: string): readonly string[] {
    return this.#parts.record.book
      .openCalls()
      .filter(({ content }) =>
        content.some((one) => one.type === "terminal" && one.terminalId === terminalId && !one.output),
      )
      .flatMap((call) => (call.toolCallId === toolCallId ? [] : [call.toolCallId]));
  }

  /** Nothing when the call has come to a reported end. */
  async #recordFor(toolCallId: string, make: (at: number) => readonly SessionEvent[]): Promise<void> {
    const { inbox, record, now } = this.#parts;
    await inbox.do(async () => {
      const state = record.book.call(toolCallId)?.state;
      const isOpen = state?.status === "running" || (state && "assumed" in state && state.assumed);
      if (isOpen) await record.append(make(now()));
    });
  }

  async #ask(intent: Intent): Promise<{ readonly toolCallId: string; readonly outcome: Promise<Outcome> }> {
    const { record, decisions, breaches, onAsked, now } = this.#parts;
    const { tool: name, kind, input } = intent;
    const toolCallId = this.#freeId();
    breaches.asked(toolCallId, intent);
    const title = createToolTitle(name, input);
    const at = now();
    const announced: SessionEvent[] = [
      { type: "call-announced", toolCallId, at, name, title, kind, kindSource: "declared" },
      { type: "input-ready", toolCallId, at, rawInput: input },
    ];
    const approval = this.#approvals.take(intent);
    if (approval) {
      const decision: Decision = {
        ...(approval.decision ?? { by: "rule" }),
        reason: `allowed with ${approval.toolCallId}`,
        intentHash: intentHash(intent),
        at,
      };
      await record.append([...announced, { type: "call-cleared", toolCallId, at, decision }], {
        durable: true,
      });
      return { toolCallId, outcome: Promise.resolve({ type: "allowed" }) };
    }
    const known = {
      intent,
      isBlind: false,
      readings: [],
      suspicions: [],
      doubt: undefined,
      disagreement: undefined,
      writes: [],
    };
    const { event, outcome } = decisions.decide(toolCallId, title, known);
    // What is denied shows nothing of what it would have touched.
    const fields = event.type === "call-refused" ? {} : await this.#shown(intent);
    const revised: SessionEvent = { type: "call-revised", toolCallId, at, fields };
    const isShown = Object.keys(fields).length > 0;
    try {
      await record.append([...announced, ...(isShown ? [revised] : []), event], { durable: true });
    } catch (error) {
      decisions.forget(event);
      throw error;
    }
    if (event.type === "question-asked") onAsked();
    return { toolCallId, outcome };
  }

  /** What our own tool of that name would show before it runs: the diff of a file that is about to be written. */
  async #shown({ tool: name, input }: Intent): Promise<CallFields> {
    const tool = builtInTools.find((one) => one.name === name);
    const parsed = tool?.parse(input);
    if (!tool?.preview || !parsed?.ok) return {};
    try {
      return await tool.preview(parsed.input, this.#parts.workspace);
    } catch (error) {
      if (error instanceof ToolFailure) return {};
      throw error;
    }
  }

  #freeId(): string {
    const { book } = this.#parts.record;
    do this.#count += 1;
    while (book.call(throughUsId(this.#count)));
    return throughUsId(this.#count);
  }
}
