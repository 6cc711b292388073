/**
 * The gate. `submit` announces calls, checks them and decides on them, in one durable append, and never
 * waits for a person. `proceed` runs what was let through, and returns when nothing more can run.
 */
import { createToolTitle, plainJson, ToolCallIds, visibleText } from "../call/index.js";
import type { CallFields, Question, SessionEvent, ToolCall } from "../call/index.js";
import type { Intent, Verdict } from "../policy/index.js";
import { isAppTool, ToolFailure } from "../tools/index.js";
import type { AppTool, Tool, Toolbox, Workspace } from "../tools/index.js";
import { answeredEvents } from "./answered-events.js";
import { intentHash } from "./intent-hash.js";
import { runCall } from "./run-call.js";
import type { SessionRecord } from "./session-record.js";

export type GateOptions = {
  readonly record: SessionRecord;
  readonly toolbox: Toolbox;
  /** What the rules say of an intent. */
  readonly judge: (intent: Intent) => Verdict;
  readonly workspace: Workspace;
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
  readonly #now: () => number;
  readonly #ids: ToolCallIds;

  constructor({ record, toolbox, judge, workspace, now = Date.now }: GateOptions) {
    this.#record = record;
    this.#toolbox = toolbox;
    this.#judge = judge;
    this.#workspace = workspace;
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
      await this.#record.catchUp();
      const events = answeredEvents(this.#record.book, this.#now());
      await this.#record.record(events, { durable: true });
      const cleared = this.#record.book.openCalls().filter(({ state }) => state.status === "cleared");
      if (cleared.length === 0 || signal.aborted) return;
      await Promise.all(cleared.map((call) => this.#proceedOne(call, signal)));
    }
  }

  /** Ends every call that has not started; a running one is told by its signal and reports for itself. */
  async cancel(reason: string): Promise<void> {
    await this.#record.catchUp();
    const at = this.#now();
    const { book } = this.#record;
    const events = book.openCalls().flatMap(({ toolCallId, state }): SessionEvent[] => {
      if (state.status === "running") return [];
      const cancelled: SessionEvent = { type: "call-cancelled", toolCallId, at, reason };
      if (state.status !== "waiting" || state.waitingFor.type !== "question") return [cancelled];
      const { questionId } = state.waitingFor;
      const isOpen = book.question(questionId)?.state.status === "open";
      return isOpen ? [{ type: "question-withdrawn", at, questionId, reason }, cancelled] : [cancelled];
    });
    await this.#record.record(events, { durable: true });
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
    const { name, input, providerCallId } = request;
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
    return { toolCallId, events: [...arrived, ...(await this.#check(toolCallId, name, rawInput))] };
  }

  /** The events that follow from what the tool and the rules say of the input. */
  async #check(toolCallId: string, name: string, rawInput: unknown): Promise<readonly SessionEvent[]> {
    const tool = this.#toolbox.get(name);
    const at = this.#now();
    const failed = (error: string): SessionEvent[] => [{ type: "call-failed", toolCallId, at, error }];
    if (!tool) return failed(unknownTool(name, this.#toolbox));
    if (isAppTool(tool)) return [{ type: "app-awaited", toolCallId, at }];
    const parsed = tool.parse(rawInput);
    if (!parsed.ok) return failed(parsed.problem);
    try {
      const intent = await this.#intent(tool, parsed.input, rawInput);
      const fields = (await tool.preview?.(parsed.input, this.#workspace)) ?? {};
      return [...shown(toolCallId, at, fields), ...this.#decided(toolCallId, intent, rawInput)];
    } catch (error) {
      if (error instanceof ToolFailure) return failed(error.message);
      throw error;
    }
  }

  #decided(toolCallId: string, intent: Intent, rawInput: unknown): readonly SessionEvent[] {
    const at = this.#now();
    const verdict = this.#judge(intent);
    const by = { ...byRule(verdict), at, intentHash: intentHash(intent) };
    if (verdict.effect === "allow") return [{ type: "call-cleared", toolCallId, at, decision: by }];
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

  /** Looks again at what the call is about to do: a yes is for what was asked about and nothing else. */
  async #proceedOne(call: ToolCall, signal: AbortSignal): Promise<void> {
    const { toolCallId, name, rawInput } = call;
    const tool = this.#toolbox.get(name);
    const parsed = tool && !isAppTool(tool) ? tool.parse(rawInput) : undefined;
    if (!tool || isAppTool(tool) || !parsed?.ok) {
      const error = parsed && !parsed.ok ? parsed.problem : unknownTool(name, this.#toolbox);
      return this.#record.record([{ type: "call-failed", toolCallId, at: this.#now(), error }]);
    }
    let intent: Intent;
    try {
      intent = await this.#intent(tool, parsed.input, rawInput);
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      return this.#record.record([
        { type: "call-failed", toolCallId, at: this.#now(), error: error.message },
      ]);
    }
    if (call.decision?.intentHash !== intentHash(intent)) {
      return this.#record.record([this.#question(toolCallId, intent, call.title)], { durable: true });
    }
    await this.#record.record([{ type: "run-started", toolCallId, at: this.#now(), intent }], {
      durable: true,
    });
    await runCall({
      tool,
      input: parsed.input,
      toolCallId,
      signal,
      record: this.#record,
      workspace: this.#workspace,
      now: this.#now,
    });
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
  return `There is no tool named "${visibleText(name)}". Nothing was run. The tools are: ${names.join(", ")}.`;
}
