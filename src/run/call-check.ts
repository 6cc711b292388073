/**
 * Makes the events of a new call: announced, with its input, and with what the tool and the rules say of it. Checks an
 * input with both: the call's intent, its preview, and the verdict.
 */
import { isWithinAny } from "../call/absolute-path.js";
import { hunksOfDiff } from "../call/diff-hunks.js";
import { createToolTitle, plainJson } from "../call/index.js";
import type { CallAnnounced, CallFields, Decision, SessionBook, SessionEvent } from "../call/index.js";
import type { Intent, Rule, Verdict } from "../policy/index.js";
import { temporaryPaths } from "../tools/scratch/temporary-paths.js";
import { isAppTool } from "../tools/index.js";
import type { AppTool, CallView, Tool, ToolIntent, Workspace } from "../tools/index.js";
import type { Approvals } from "./approvals.js";
import type { CallTools } from "./call-tools.js";
import { byRule, intentHash } from "./decisions.js";
import type { Decisions } from "./decisions.js";
import { sandboxReason } from "./sandbox-reason.js";
import { looping } from "./loop-guard.js";
import type { LoopGuard } from "./loop-guard.js";
import type { ToolRequest } from "./gate-options.js";
import { failureText } from "./run-call.js";

/** The verdict of the rules on an intent; `also`: rules to add for this one verdict. */
export type Judge = (intent: Intent, also?: readonly Rule[]) => Verdict;

export type CheckOptions = {
  readonly tools: CallTools;
  readonly callIds: { next(): string };
  readonly workspace: Workspace;
  readonly book: SessionBook;
  readonly judge: Judge;
  readonly decisions: Decisions;
  readonly approvals: Approvals;
  readonly loops: LoopGuard;
  readonly now: () => number;
};

/** The parsed input and what comes of it; or why there is nothing to run. */
export type Resolved =
  | { readonly ok: true; readonly input: unknown; readonly intent: Intent }
  | { readonly ok: false; readonly problem: string };

/** Whether a call touches only files of these folders. The paths of a command are not known here. */
const staysWithin = ({ command, paths }: Intent, folders: readonly string[]): boolean =>
  command === undefined && paths.every(({ path }) => isWithinAny(path, folders));

const MAX_VIEWS = 8;

type NamedInput = { readonly name: string; readonly rawInput: unknown };

export class CallCheck {
  readonly #options: CheckOptions;
  /** The workspaces of checked calls that run next. One that was asked about gets a new one: a person may take days. */
  readonly #views = new Map<string, CallView>();

  constructor(options: CheckOptions) {
    this.#options = options;
  }

  /** The event that announces a call. */
  announce(request: Omit<ToolRequest, "input">, input?: unknown): CallAnnounced {
    const { name, providerCallId, parentToolCallId } = request;
    const { tools, callIds, now } = this.#options;
    const tool = request.tool ?? tools.find({ name });
    return {
      type: "call-announced",
      toolCallId: callIds.next(),
      at: now(),
      name,
      title: createToolTitle(name, input),
      kind: tool?.kind ?? "other",
      kindSource: tool ? (tool.kindSource ?? "declared") : "inferred",
      ...(providerCallId !== undefined && { providerCallId }),
      ...(parentToolCallId !== undefined && { parentToolCallId }),
    };
  }

  /** The events that make the call, up to the decision or the question about it. */
  async submit(
    request: ToolRequest,
  ): Promise<{ readonly toolCallId: string; readonly events: readonly SessionEvent[] }> {
    const { tools, now } = this.#options;
    const { name, input = {} } = request;
    const announced = request.toolCallId === undefined ? this.announce(request, input) : undefined;
    const toolCallId = announced?.toolCallId ?? request.toolCallId ?? "";
    if (request.tool) tools.give(toolCallId, request.tool);
    const rawInput = request.tool ? input : plainJson(input);
    const at = now();
    const tool = tools.find({ ...request, toolCallId });
    const meta = tool?._meta && { _meta: tool._meta };
    const title = announced?.title ?? createToolTitle(name, rawInput);
    const arrived: SessionEvent[] = [
      ...(announced ? [announced] : []),
      { type: "input-ready", toolCallId, at, rawInput },
      // A call that was announced with its input has its title already.
      ...(announced && !meta
        ? []
        : [{ type: "call-revised", toolCallId, at, fields: { title, ...meta } } as const]),
    ];
    const failed = (error: string): SessionEvent => ({ type: "call-failed", toolCallId, at, error });
    // An input that was cut to be shown must never be run.
    if (rawInput !== input) return { toolCallId, events: [...arrived, failed(TOO_LARGE)] };
    if (!tool) return { toolCallId, events: [...arrived, failed(tools.unknownTool(request))] };
    const checked = await this.#checked(toolCallId, tool, rawInput, title);
    return { toolCallId, events: [...this.#below(toolCallId, request, arrived), ...checked] };
  }

  /** A call that runs by the approval of another one, or as a part of it, stands below it: both are one act. */
  #below(
    toolCallId: string,
    { partOf }: ToolRequest,
    arrived: readonly SessionEvent[],
  ): readonly SessionEvent[] {
    const { tools, approvals, book } = this.#options;
    const approved = tools.isGiven(toolCallId) ? approvals.approved(toolCallId) : undefined;
    const parentToolCallId = approved ?? partOf;
    if (parentToolCallId === undefined || !book.call(parentToolCallId)) return arrived;
    return arrived.map((event) => (event.type === "call-announced" ? { ...event, parentToolCallId } : event));
  }

  /** The events that follow from what the tool and the rules say of a new call's input. */
  async #checked(
    toolCallId: string,
    tool: Tool | AppTool,
    rawInput: unknown,
    plainTitle: string,
  ): Promise<SessionEvent[]> {
    const { now, tools, loops, decisions, approvals } = this.#options;
    const at = now();
    if (isAppTool(tool)) return [{ type: "app-awaited", toolCallId, at }];
    const view = this.view();
    const resolved = await this.resolve(tool, rawInput, view);
    if (!resolved.ok) return [{ type: "call-failed", toolCallId, at, error: resolved.problem }];
    const { input, intent } = resolved;
    const title = titleOf(tool, input) ?? plainTitle;
    const times = loops.loops(tool.name, rawInput);
    // Approvals are for calls that another agent requests from us. One that loops needs an approval by a person.
    const approval =
      tools.isGiven(toolCallId) && approvals.take(toolCallId, intent, { byPerson: times !== undefined });
    if (approval) {
      loops.forget(tool.name, rawInput);
      return [decisions.approve(toolCallId, intent, approval)];
    }
    const verdict = this.#judged(intent, times, { name: tool.name, rawInput });
    const shown = await this.shown(tool, input, { intent, verdict }, view);
    if (!shown.ok) return [{ type: "call-failed", toolCallId, at, error: shown.problem }];
    const fields = { ...(title !== plainTitle && { title }), ...shown.fields };
    const hunks = this.hunkCount(toolCallId, tool, shown.fields);
    const decided = decisions.decide({ toolCallId, title, intent, hunks }, verdict, times !== undefined);
    if (decided.type === "call-cleared") this.#keepView(toolCallId, view);
    if (Object.keys(fields).length === 0) return [decided];
    return [{ type: "call-revised", toolCallId, at, fields }, decided];
  }

  /**
   * The preview of a call. A denied call shows nothing of the files it names, and an error about a file's content is
   * shown only to a caller that may read the file.
   */
  async shown(
    tool: Tool,
    input: unknown,
    { intent, verdict }: { readonly intent: Intent; readonly verdict: Verdict },
    { workspace }: CallView,
  ): Promise<
    { readonly ok: true; readonly fields: CallFields } | { readonly ok: false; readonly problem: string }
  > {
    const { effect } = verdict;
    if (effect === "deny") return { ok: true, fields: {} };
    try {
      // A tool that is not ours may have nothing to show.
      const fields = tool.preview && (await tool.preview(input, workspace));
      return { ok: true, fields: fields ?? {} };
    } catch (error) {
      const mayKnow = effect === "allow" || this.#options.judge(asReading(intent)).effect === "allow";
      return mayKnow ? { ok: false, problem: failureText(tool, error) } : { ok: true, fields: {} };
    }
  }

  /**
   * The workspace of one call, from its check to its run. In an editor each read is a request, so the check requests a
   * text once for the intent and the preview, and the run requests it once more.
   *
   * Invariant: a text that a write is compared with was requested after the decision on the call, and at most a second
   * before the write.
   */
  view(): CallView {
    const { workspace } = this.#options;
    return workspace.callView?.() ?? { workspace, forgetTexts: () => undefined };
  }

  /** The view of the check when nobody was asked since; then the run must read again. */
  takeView(toolCallId: string): CallView | undefined {
    const view = this.#views.get(toolCallId);
    this.#views.delete(toolCallId);
    return view;
  }

  /** Keeps few: a call that does not run next does without. */
  #keepView(toolCallId: string, view: CallView): void {
    if (this.#views.size >= MAX_VIEWS) this.#views.clear();
    this.#views.set(toolCallId, view);
  }

  async resolve(tool: Tool, rawInput: unknown, { workspace } = this.view()): Promise<Resolved> {
    try {
      const parsed = tool.parse(copyOf(rawInput));
      if (!parsed.ok) return parsed;
      const { input } = parsed;
      // Many tools have none, and then there is nothing to wait for.
      const own = tool.intent && (await tool.intent(input, workspace));
      const intent = this.#intent(tool, own ?? {}, rawInput);
      if (staysWithin(intent, workspace.roots)) return { ok: true, input, intent };
      const temporary = await temporaryPaths(intent, workspace);
      return { ok: true, input, intent: temporary.length === 0 ? intent : { ...intent, temporary } };
    } catch (error) {
      return { ok: false, problem: failureText(tool, error) };
    }
  }

  /** How many hunks an answer may choose from. Undefined for less than two, and where the runner has only one input. */
  hunkCount(
    toolCallId: string,
    tool: Tool,
    { content = [], locations = [] }: CallFields,
  ): number | undefined {
    const [only, ...others] = content;
    if (!tool.keepHunks || this.#options.tools.isGiven(toolCallId)) return undefined;
    // Each hunk gets its own location.
    if (locations.length < 2) return undefined;
    if (only?.type !== "diff" || others.length > 0) return undefined;
    const count = hunksOfDiff(only).length;
    return count > 1 ? count : undefined;
  }

  /** A yes to some hunks of the diff that the question showed. Refused when that diff would be another one by now. */
  async keptInPart(
    toolCallId: string,
    tool: Tool,
    {
      rawInput,
      hunks,
      intentHash: asked,
    }: { readonly rawInput: unknown; readonly hunks: readonly number[]; readonly intentHash: string },
    yes: Decision,
  ): Promise<SessionEvent[]> {
    const at = this.#options.now();
    const refused = (reason: string): SessionEvent[] => [
      { type: "call-refused", toolCallId, at, decision: { by: "rule", rule: "kept hunks", reason, at } },
    ];
    const parsed = tool.parse(copyOf(rawInput));
    try {
      const part = parsed.ok ? await tool.keepHunks?.(parsed.input, hunks, this.view().workspace) : undefined;
      if (!part) return refused("the edit has no such hunks any more");
      // Compared after the file was read: it is the file that the question was about.
      const resolved = await this.resolve(tool, rawInput);
      if (!resolved.ok || intentHash(resolved.intent) !== asked) return refused(OTHER_FILE);
      const { baseHashes } = resolved.intent;
      return await this.edited(
        toolCallId,
        tool,
        part.input,
        { ...yes, rejectedHunks: part.rejected },
        baseHashes,
      );
    } catch (error) {
      return refused(failureText(tool, error));
    }
  }

  /** A yes that came with another input: it counts for that one, unless it cannot be or a rule denies it. `baseHashes`: the files that it was made for. */
  async edited(
    toolCallId: string,
    tool: Tool,
    given: unknown,
    yes: Decision,
    baseHashes?: Intent["baseHashes"],
  ): Promise<SessionEvent[]> {
    const { judge, now } = this.#options;
    const at = now();
    const refused = (decision: Decision): SessionEvent[] => [
      { type: "call-refused", toolCallId, at, decision },
    ];
    const rawInput = plainJson(given);
    const view = this.view();
    const resolved: Resolved =
      rawInput === given
        ? await this.resolve(tool, rawInput, view)
        : { ok: false, problem: "it is too large, or not plain JSON" };
    if (!resolved.ok) {
      const problem = resolved.problem.replace(/ Nothing was run\.$/, "");
      const reason = `the changed input cannot be used: ${problem}`;
      return refused({ by: "rule", rule: "changed input", reason, at });
    }
    const { input, intent } = resolved;
    if (baseHashes && !hasSameFiles(baseHashes, intent.baseHashes))
      return refused({ by: "rule", rule: "kept hunks", reason: OTHER_FILE, at });
    const verdict = judge(intent);
    if (verdict.effect === "deny") return refused({ ...byRule(verdict), at });
    const shown = await this.shown(tool, input, { intent, verdict }, view);
    if (!shown.ok) return refused({ by: "rule", rule: "changed input", reason: shown.problem, at });
    const fields = { title: titleOf(tool, input) ?? createToolTitle(tool.name, rawInput), ...shown.fields };
    return [
      { type: "call-revised", toolCallId, at, fields },
      {
        type: "call-cleared",
        toolCallId,
        at,
        decision: { ...yes, intentHash: intentHash(intent) },
        rawInput,
      },
    ];
  }

  #judged(intent: Intent, times: number | undefined, { name, rawInput }: NamedInput): Verdict {
    const { contained, ...verdict } = this.#options.judge(intent);
    if (verdict.effect === "deny") return verdict;
    if (times !== undefined) return { effect: "ask", reason: looping(times), saw: verdict.saw };
    if (!contained) return verdict;
    // The sandbox was in the way of the same command before: the question is whether to run it outside.
    const reason = sandboxReason(this.#options.book, name, rawInput);
    return reason === undefined ? { ...verdict, contained } : { ...verdict, reason };
  }

  #intent(tool: Tool, own: ToolIntent, rawInput: unknown): Intent {
    return {
      tool: tool.origin?.tool ?? tool.name,
      kind: tool.kind,
      ...(tool.kindSource === "inferred" && { isKindGuessed: true }),
      ...originOf(tool),
      input: rawInput,
      cwd: own.cwd ?? this.#options.workspace.root,
      ...(own.command !== undefined && { command: own.command }),
      ...(own.background === true && { background: true }),
      ...(own.env !== undefined && { env: own.env }),
      ...(own.executor !== undefined && { executor: own.executor }),
      ...(own.contents !== undefined && { contents: own.contents }),
      ...(own.outsideLinks !== undefined && { outsideLinks: own.outsideLinks }),
      paths: own.paths ?? [],
      hosts: own.hosts ?? [],
      baseHashes: own.baseHashes ?? {},
    };
  }
}

const hasSameFiles = (one: Intent["baseHashes"], other: Intent["baseHashes"]): boolean =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([path, base]) => other[path] === base);

const OTHER_FILE =
  "the file has changed since its diff was shown, so its hunks cannot be chosen any more; read it, then make the edit again";

const TOO_LARGE =
  "The input is too large, or not plain JSON. Nothing was run; make it smaller or send it in parts.";

function originOf({ origin }: Tool): Pick<Intent, "server" | "definition" | "fingerprint"> {
  if (!origin) return {};
  const { server, definition, fingerprint } = origin;
  return {
    server,
    ...(definition !== undefined && { definition }),
    ...(fingerprint !== undefined && { fingerprint }),
  };
}

/** Undefined where the tool has none of its own. */
function titleOf(tool: Tool, input: unknown): string | undefined {
  try {
    return tool.title?.(input);
  } catch {
    // A title is for the eye; a tool that cannot make one can still run.
    return undefined;
  }
}

/** The same files, only looked at. */
function asReading({ cwd, paths }: Intent): Intent {
  const read = paths.map((access) => ({ ...access, access: "read" as const }));
  return { tool: "read_file", kind: "read", input: {}, cwd, paths: read, hosts: [], baseHashes: {} };
}

/**
 * A tool may change its input, and the recorded input must not change with it. The input is plain JSON, so this copy
 * is enough.
 */
function copyOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  const copy: Record<string, unknown> = { ...value };
  for (const name of Object.keys(copy)) copy[name] = copyOf(copy[name]);
  return copy;
}
