/**
 * The call that a reader gets through each protocol version, written out by hand: the oracle for the codecs. With
 * `_meta.toolgate` a reader of ours gets back everything but content that had to be converted.
 */
import {
  boundText,
  completeFields,
  createToolTitle,
  EMPTY_TEXT,
  fieldCount,
  NO_INPUT,
  shownText,
} from "../call/index.js";
import type {
  DiffContent,
  TerminalContent,
  ToolCall,
  ToolCallContent,
  ToolCallState,
} from "../call/index.js";

type Version = 1 | 2;

export function expectedCall(
  version: Version,
  call: ToolCall,
  options: { withToolgate: boolean; at: number },
): ToolCall {
  const isOngoing = ["drafting", "ready", "waiting", "cleared", "running"].includes(call.state.status);
  const isAhead = isOngoing && call.times.started === undefined;
  const content = call.content.flatMap((item) =>
    version === 1 ? v1Items(item, options.withToolgate, isAhead) : [v2Item(item)],
  );
  const rawInput =
    call.state.status === "drafting" && call.rawInput === undefined ? partial(call.state) : call.rawInput;
  const rawOutput = asObject(call.rawOutput);
  if (options.withToolgate) {
    const state: ToolCallState =
      call.state.status === "drafting" ? { status: "drafting", draft: NO_INPUT } : call.state;
    return {
      ...call,
      childSteps: undefined,
      refusals: undefined,
      notKept: undefined,
      content,
      rawInput,
      rawOutput,
      state,
    };
  }
  const sentence = sentenceOf(call);
  return {
    ...call,
    // A sub-agent's messages are not sent.
    childSteps: undefined,
    providerCallId: undefined,
    parentToolCallId: undefined,
    kindSource: "declared",
    title:
      draftTitle(call) ??
      (call.progress && isOngoing && !(version === 2 && call.title === "")
        ? `${call.title} ${suffix(call)}`
        : call.title),
    rawInput,
    rawOutput,
    content:
      sentence === undefined
        ? content
        : [...content, { type: "content", content: { type: "text", text: sentence } }],
    progress: undefined,
    decision: undefined,
    breach: undefined,
    // The output has them as text.
    refusals: undefined,
    notKept: undefined,
    times: timesOf(call, options.at),
    state: stateOf(version, call, rawInput !== undefined, sentence ?? ""),
  };
}

const draftTitle = ({ name, state }: ToolCall): string | undefined =>
  state.status === "drafting" && fieldCount(state.draft) > 0
    ? createToolTitle(name, completeFields(state.draft))
    : undefined;

/** A value that is no object is sent as the output of one. */
const asObject = (output: unknown): unknown =>
  output === undefined || (typeof output === "object" && output !== null && !Array.isArray(output))
    ? output
    : { output };

function partial(state: ToolCallState & { status: "drafting" }): unknown {
  return fieldCount(state.draft) > 0 ? completeFields(state.draft) : undefined;
}

function suffix({ progress }: ToolCall): string {
  const count =
    progress?.total === undefined ? `[${progress?.done}]` : `[${progress.done}/${progress.total}]`;
  return progress?.message ? `${count} - ${progress.message}` : count;
}

function stateOf(version: Version, call: ToolCall, hasInput: boolean, sentence: string): ToolCallState {
  const { state, breach } = call;
  const isPaused = state.status === "waiting" && state.waitingFor.type === "child";
  if (state.status === "running" || isPaused) return { status: "running", cancelRequested: false };
  if (state.status === "done")
    return breach
      ? { status: "failed", error: sentence, assumed: false }
      : { status: "done", assumed: false };
  if (state.status === "cancelled" && version === 2) {
    return { status: "cancelled", reason: "the agent reported it as cancelled.", assumed: false };
  }
  if (["failed", "refused", "cancelled", "unknown"].includes(state.status)) {
    return { status: "failed", error: sentence, assumed: false };
  }
  return hasInput ? { status: "ready" } : { status: "drafting", draft: NO_INPUT };
}

/** A reader that gets no times uses its own clock. */
function timesOf(call: ToolCall, at: number): ToolCall["times"] {
  const { status } = call.state;
  const isPaused = status === "waiting" && call.state.waitingFor.type === "child";
  const isStarted = status === "running" || (status === "done" && !call.breach) || isPaused;
  const isEnded = ["done", "failed", "refused", "cancelled", "unknown"].includes(status);
  const times = { announced: at, asked: undefined, answered: undefined };
  return {
    ...times,
    started: isStarted ? at : undefined,
    ended: isEnded ? at : undefined,
    waitedMs: undefined,
    ranMs: undefined,
    undone: undefined,
  };
}

function sentenceOf({ state, decision, breach }: ToolCall): string | undefined {
  if (breach && state.status === "done")
    return breach.isAfterRefusal
      ? `Done after rule ${breach.rule} refused it.`
      : `Done without asking; rule ${breach.rule} denies it.`;
  if (state.status === "failed") return state.error;
  if (state.status === "cancelled") return `Tool call cancelled: ${state.reason}`;
  if (state.status === "unknown") {
    return `Nobody knows whether this tool call took effect: ${state.reason.replace(/[. \n\t]+$/, "")}. The call will not be run again by itself.`;
  }
  if (state.status !== "refused") return undefined;
  const who = decision?.by === "rule" ? " by rule rule 3" : decision?.who ? " by ann" : "";
  const why = decision?.reason ? `: ${decision.reason.replace(/[. \n\t]+$/, "")}` : "";
  return `Tool call denied${who}${why}. Nothing was run.`;
}

const text = (value: string, _meta: ToolCallContent["_meta"]): ToolCallContent =>
  _meta
    ? { type: "content", content: { type: "text", text: value }, _meta }
    : { type: "content", content: { type: "text", text: value } };

function v1Items(item: ToolCallContent, withToolgate: boolean, isAhead: boolean): readonly ToolCallContent[] {
  if (item.type !== "diff" || !item.hunks) return [v1Item(item, isAhead)];
  const { path, hunks, _meta } = item;
  return hunks.map(({ oldLine, newLine, column, oldText, newText }) => {
    const excerpt = { oldLine, newLine, ...(column !== undefined && { column }) };
    const meta = withToolgate ? { ..._meta, toolgate: { excerpt } } : _meta;
    return { type: "diff", operation: "modify", path, oldText, newText, ...(meta && { _meta: meta }) };
  });
}

function v1Item(item: ToolCallContent, isAhead: boolean): ToolCallContent {
  if (item.type === "diff") return v1Diff(item, isAhead);
  if (item.type !== "terminal") return item;
  // Someone else's terminal: they know how it ended.
  if (!item.output)
    return { type: "terminal", terminalId: item.terminalId, ...(item._meta && { _meta: item._meta }) };
  const { exitCode } = item.exit ?? {};
  const note = exitCode === undefined || exitCode === 0 ? "" : `\n[exit code ${exitCode}]`;
  return text(shownText(item.output) + note, item._meta);
}

/** v1 has texts before and after: a diff without texts becomes a sentence, and a moved file loses its old path. */
function v1Diff(diff: DiffContent, isAhead: boolean): ToolCallContent {
  const { operation, path, oldPath, oldText, newText, fileType, _meta } = diff;
  const meta = _meta ? { _meta } : {};
  if (operation === "add" && newText !== undefined)
    return { type: "diff", operation, path, newText, ...meta };
  if (operation === "delete" && oldText !== undefined)
    return { type: "diff", operation: "modify", path, oldText, newText: "", ...meta };
  if (newText !== undefined && (operation === "modify" || oldText !== newText)) {
    return { type: "diff", operation: "modify", path, oldText: oldText ?? "", newText, ...meta };
  }
  const what = fileType && fileType !== "text" ? `${fileType} ` : "";
  const done = isAhead
    ? { add: "Will add", modify: "Will change", delete: "Will delete", move: "Will move", copy: "Will copy" }
    : { add: "Added", modify: "Changed", delete: "Deleted", move: "Moved", copy: "Copied" };
  return text(
    oldPath === undefined
      ? `${done[operation]} ${what}${path}`
      : `${done[operation]} ${what}${oldPath} to ${path}`,
    _meta,
  );
}

/** Stands for a patch, whose text has its own tests. */
const SOME_PATCH = "a patch";

function v2Item(item: ToolCallContent): ToolCallContent {
  if (item.type === "terminal") return v2Terminal(item);
  if (item.type !== "diff") return item;
  const { oldText, newText, hunks, ...diff } = item;
  if (hunks) {
    const hasPatch = hunks.every(({ column }) => column === undefined);
    return { ...diff, fileType: "text", ...(hasPatch && { patch: SOME_PATCH }) };
  }
  const hasText = oldText !== undefined || newText !== undefined;
  const hasBoth =
    (item.operation === "add" || oldText !== undefined) &&
    (item.operation === "delete" || newText !== undefined);
  return { ...diff, ...(hasText && { fileType: "text" }), ...(hasBoth && { patch: SOME_PATCH }) };
}

function v2Terminal(item: TerminalContent): TerminalContent {
  return { ...item, output: item.output ? boundText(shownText(item.output)) : EMPTY_TEXT };
}

/** The call with every patch replaced by the same text. */
export function withSomePatch(call: ToolCall): ToolCall {
  return {
    ...call,
    content: call.content.map((item) =>
      item.type === "diff" && item.patch ? { ...item, patch: SOME_PATCH } : item,
    ),
  };
}
