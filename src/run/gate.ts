/**
 * The gate. `submit` announces calls, checks them and decides on them, in one durable append, and never
 * waits for a person. `proceed` runs what was let through, and returns when nothing more can run.
 */
import {
  createToolTitle,
  IllegalEvent,
  LedgerError,
  plainJson,
  ToolCallIds,
  visibleText,
} from "../call/index.js";
import type { CallFields, Question, SessionEvent, ToolCall } from "../call/index.js";
import type { Intent, Verdict } from "../policy/index.js";
import { isAppTool } from "../tools/index.js";
import type { AppTool, Tool, Toolbox, Workspace } from "../tools/index.js";
import { answeredEvents } from "./answered-events.js";
import { cancelEvents } from "./cancel-events.js";
import { intentHash } from "./intent-hash.js";
import { failureText, runCall } from "./run-call.js";
import type { SessionRecord } from "./session-record.js";

export type GateOptions = {
  readonly record: SessionRecord;
  readonly toolbox: Toolbox;
  /** What the rules say of an intent. */
  readonly judge: (intent: Intent) => Verdict;
  readonly workspace: Workspace;
  /** Hears of each call that a rule let through. */
  readonly onCleared?: ((verdict: Verdict) => void) | undefined;
  readonly now?: () => number;
};

/** A call as the model asked for it. `toolCallId` when it was announced while it was being written. */
export type ToolRequest = {
  readonly name: string;
  /** The parsed JSON; a text that is no JSON stays a text and fails the tool's own check. */
  readonly input: unknown;
  readonly toolCallId?: string;
  readonly providerCallId?: string;
};

export type Submitted = {
  readonly toolCallIds: readonly string[];
  readonly settled: readonly string[];
  readonly cleared: readonly string[];
  readonly waiting: readonly string[];
};

export class Gate {
  readonly #record: SessionRecord;
  readonly #toolbox: Toolbox;
  readonly #judge: (intent: Intent) => Verdict;
  readonly #workspace: Workspace;
  readonly #onCleared: (verdict: Verdict) => void;
  readonly #now: () => number;
  readonly #ids: ToolCallIds;

  constructor({ record, toolbox, judge, workspace, onCleared, now = Date.now }: GateOptions) {
    this.#record = record;
    this.#toolbox = toolbox;
    this.#judge = judge;
    this.#workspace = workspace;
    this.#onCleared = onCleared ?? (() => undefined);
    this.#now = now;
    this.#ids = new ToolCallIds(record.book);
  }

  /** The event that announces a call while the model is still writing its input. */
  announce(
    name: string,
    providerCallId?: string,
    input?: unknown,
  ): SessionEvent & { type: "call-announced" } {
    const tool = this.#toolbox.get(name);
    return {
      type: "call-announced",
      toolCallId: this.#ids.next(),
      at: this.#now(),
      name,
      title: createToolTitle(name, input),
      kind: tool?.kind ?? "other",
      kindSource: tool ? "declared" : "inferred",
      ...(providerCallId !== undefined && { providerCallId }),
    };
  }

  /** `also`: events of the caller's that belong into the same append, as functions of the calls' ids. */
  async submit(
    requests: readonly ToolRequest[],
    also: (toolCallIds: readonly string[]) => readonly SessionEvent[] = () => [],
  ): Promise<Submitted> {
    const parts: { toolCallId: string; events: readonly SessionEvent[] }[] = [];
    for (const request of requests) parts.push(await this.#submitOne(request));
    const toolCallIds = parts.map(({ toolCallId }) => toolCallId);
    await this.#record.record([...parts.flatMap(({ events }) => events), ...also(toolCallIds)], {
      durable: true,
    });
    const where = (...statuses: string[]) =>
      toolCallIds.filter((id) => statuses.includes(this.#record.book.call(id)?.state.status ?? ""));
    return {
      toolCallIds,
      settled: where("failed", "refused"),
      cleared: where("cleared"),
      waiting: where("waiting"),
    };
  }

  /** Runs every cleared call, in parallel, until nothing more can run. */
  async proceed(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#recordAnew(() => answeredEvents(this.#record.book, this.#now()));
      const cleared = this.#record.book.openCalls().filter(({ state }) => state.status === "cleared");
      if (cleared.length === 0 || signal.aborted) return;
      const ends = await Promise.allSettled(cleared.map((call) => this.#proceedOne(call, signal)));
      for (const end of ends) if (end.status === "rejected") throw end.reason;
    }
  }

  /** Ends every call that has not started; a running one is told by its signal and reports for itself. */
  async cancel(reason: string): Promise<void> {
    await this.#recordAnew(() => cancelEvents(this.#record.book, reason, this.#now()));
  }

  /** An answer may come in between: then the events are made anew from what is known by then. */
  async #recordAnew(events: () => readonly SessionEvent[]): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      await this.#record.catchUp();
      try {
        return await this.#record.record(events(), { durable: true });
      } catch (error) {
        if (!(error instanceof IllegalEvent) || tries >= MOST_TRIES) throw error;
      }
    }
  }

  /** The app's result of a call it was asked to make. */
  async finishForApp(toolCallId: string, output: unknown): Promise<void> {
    await this.#record.record(
      [{ type: "call-done", toolCallId, at: this.#now(), rawOutput: plainJson(output) }],
      {
        durable: true,
      },
    );
  }

  async #submitOne(request: ToolRequest): Promise<{ toolCallId: string; events: readonly SessionEvent[] }> {
    const { name, input = {}, providerCallId } = request;
    const announced =
      request.toolCallId === undefined ? this.announce(name, providerCallId, input) : undefined;
    const toolCallId = announced?.toolCallId ?? request.toolCallId ?? "";
    const rawInput = plainJson(input);
    const at = this.#now();
    const arrived: SessionEvent[] = [
      ...(announced ? [announced] : []),
      { type: "input-ready", toolCallId, at, rawInput },
      { type: "call-revised", toolCallId, at, fields: { title: createToolTitle(name, rawInput) } },
    ];
    // What was cut to be shown must never be what is run.
    const isWhole = rawInput === input;
    const next = isWhole
      ? await this.#check(toolCallId, name, rawInput)
      : [{ type: "call-failed", toolCallId, at, error: TOO_LARGE } as const];
    return { toolCallId, events: [...arrived, ...next] };
  }

  /** The events that follow from what the tool and the rules say of the input. */
  async #check(toolCallId: string, name: string, rawInput: unknown): Promise<readonly SessionEvent[]> {
    const tool = this.#toolbox.get(name);
    const at = this.#now();
    const failed = (error: string): SessionEvent[] => [{ type: "call-failed", toolCallId, at, error }];
    if (!tool) return failed(unknownTool(name, this.#toolbox));
    if (isAppTool(tool)) return [{ type: "app-awaited", toolCallId, at }];
    try {
      const parsed = tool.parse(structuredClone(rawInput));
      if (!parsed.ok) return failed(parsed.problem);
      const intent = await this.#intent(tool, parsed.input, rawInput);
      const fields = (await tool.preview?.(parsed.input, this.#workspace)) ?? {};
      return [...shown(toolCallId, at, fields), ...this.#decided(toolCallId, intent, rawInput)];
    } catch (error) {
      return failed(failureText(tool, error));
    }
  }

  #decided(toolCallId: string, intent: Intent, rawInput: unknown): readonly SessionEvent[] {
    const at = this.#now();
    const verdict = this.#judge(intent);
    const by = { ...byRule(verdict), at, intentHash: intentHash(intent) };
    if (verdict.effect === "allow") {
      this.#onCleared(verdict);
      return [{ type: "call-cleared", toolCallId, at, decision: by }];
    }
    if (verdict.effect === "deny") return [{ type: "call-refused", toolCallId, at, decision: by }];
    return [this.#question(toolCallId, intent, createToolTitle(intent.tool, rawInput))];
  }

  #question(toolCallId: string, intent: Intent, title: string): SessionEvent {
    const at = this.#now();
    const { sessionId } = this.#record;
    const question: Question = {
      // Unique over all sessions, since an answer names nothing else.
      questionId: `${sessionId}/${toolCallId}/${this.#record.seq}`,
      sessionId,
      toolCallId,
      intentHash: intentHash(intent),
      title: visibleText(title),
      options: OPTIONS,
      askedAt: at,
    };
    return { type: "question-asked", toolCallId, at, question };
  }

  async #proceedOne(call: ToolCall, signal: AbortSignal): Promise<void> {
    const { toolCallId, name, rawInput } = call;
    const tool = this.#toolbox.get(name);
    const failed = (error: string) =>
      this.#record.record([{ type: "call-failed", toolCallId, at: this.#now(), error }]);
    if (!tool || isAppTool(tool)) return failed(unknownTool(name, this.#toolbox));
    let input: unknown;
    let intent: Intent;
    try {
      const parsed = tool.parse(structuredClone(rawInput));
      if (!parsed.ok) return await failed(parsed.problem);
      input = parsed.input;
      intent = await this.#intent(tool, input, rawInput);
      const events = await this.#lookAgain(call, tool, input, intent);
      if (events.length > 0) return await this.#record.record(events, { durable: true });
    } catch (error) {
      if (error instanceof LedgerError) throw error;
      return failed(failureText(tool, error));
    }
    if (signal.aborted) return;
    await this.#record.record([{ type: "run-started", toolCallId, at: this.#now(), intent }], {
      durable: true,
    });
    await runCall({
      tool,
      input,
      toolCallId,
      signal,
      record: this.#record,
      workspace: this.#workspace,
      now: this.#now,
    });
  }

  /**
   * What must happen instead of running: a yes is for what was asked about and nothing else, and a rule
   * that denies has the last word. What is asked again is shown again.
   */
  async #lookAgain(
    call: ToolCall,
    tool: Tool,
    input: unknown,
    intent: Intent,
  ): Promise<readonly SessionEvent[]> {
    const { toolCallId, decision } = call;
    const at = this.#now();
    const verdict = this.#judge(intent);
    if (verdict.effect === "deny")
      return [{ type: "call-refused", toolCallId, at, decision: { ...byRule(verdict), at } }];
    const isSame = decision?.intentHash === intentHash(intent);
    if (isSame && (decision.by === "person" || verdict.effect === "allow")) return [];
    const fields = (await tool.preview?.(input, this.#workspace)) ?? {};
    return [...shown(toolCallId, at, fields), this.#question(toolCallId, intent, call.title)];
  }

  async #intent(tool: Tool, input: unknown, rawInput: unknown): Promise<Intent> {
    const own = (await tool.intent?.(input, this.#workspace)) ?? {};
    return {
      tool: tool.name,
      kind: tool.kind,
      input: rawInput,
      cwd: this.#workspace.root,
      paths: own.paths ?? [],
      hosts: own.hosts ?? [],
      baseHashes: own.baseHashes ?? {},
      ...(own.command !== undefined && { command: own.command }),
    };
  }
}

const MOST_TRIES = 5;

const TOO_LARGE =
  "The input is too large, or not plain JSON. Nothing was run; make it smaller or send it in parts.";

const OPTIONS = [
  { optionId: "allow_once", name: "Allow once", kind: "allow_once" },
  { optionId: "reject_once", name: "Reject", kind: "reject_once" },
] as const;

function byRule({ rule, reason }: Verdict): { by: "rule"; rule?: string; reason?: string } {
  return { by: "rule", ...(rule !== undefined && { rule }), ...(reason !== undefined && { reason }) };
}

function shown(toolCallId: string, at: number, fields: CallFields): readonly SessionEvent[] {
  return Object.keys(fields).length === 0 ? [] : [{ type: "call-revised", toolCallId, at, fields }];
}

function unknownTool(name: string, toolbox: Toolbox): string {
  const names = toolbox.list().map((tool: Tool | AppTool) => tool.name);
  const others = names.length === 0 ? "This session has no tools." : `The tools are: ${names.join(", ")}.`;
  return `There is no tool named "${visibleText(name)}". Nothing was run. ${others}`;
}
