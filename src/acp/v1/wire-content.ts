/** A call's content as v1 can say it. The whole list is sent each time, in the order of the call's. */
import { endSentence, isOver, shownText, textContent } from "../../call/index.js";
import type {
  BoundedText,
  DiffContent,
  DiffHunk,
  TerminalContent,
  TerminalExit,
  ToolCall,
  ToolCallContent,
} from "../../call/index.js";
import { SENTENCE_MARK } from "../toolgate-meta.js";
import type { V1Content } from "./wire.js";

/** How terminals are shown: the client's own as such, while it has them; ours in `_meta.terminal_*`, or as text. */
export type TerminalsShown = { readonly clients: boolean; readonly inMeta: boolean };

export function v1Content(call: ToolCall, terminals: TerminalsShown): readonly V1Content[] {
  const ahead = isAhead(call);
  const content = call.content.flatMap((item) => v1Items(item, terminals, ahead));
  const sentence = endSentence(call);
  return sentence === undefined ? content : [...content, textContent(sentence, SENTENCE_MARK)];
}

/** Whether the call has not started, so that its changes are still to come. */
export const isAhead = ({ times, state }: ToolCall): boolean => times.started === undefined && !isOver(state);

function v1Items(item: ToolCallContent, terminals: TerminalsShown, ahead: boolean): readonly V1Content[] {
  switch (item.type) {
    case "content":
      return [item];
    case "diff":
      return item.hunks ? v1Hunks(item, item.hunks) : [v1Diff(item, ahead)];
    case "terminal":
      return [v1Terminal(item, terminals)];
    default:
      return item satisfies never;
  }
}

/** Each hunk of a large file is a diff of its own; `_meta.toolgate.excerpt` has its place in the file. */
function v1Hunks({ path, _meta }: DiffContent, hunks: readonly DiffHunk[]): readonly V1Content[] {
  return hunks.map(({ oldText, newText, ...excerpt }) => {
    const meta = { ..._meta, toolgate: { excerpt } };
    return { type: "diff", path, oldText, newText, _meta: meta };
  });
}

/**
 * v1 knows a path, a text before and a text after. Where there is no text to show, or the file came
 * from somewhere else, a sentence says what happened.
 */
function v1Diff(diff: DiffContent, ahead: boolean): V1Content {
  const { operation, path, oldText, newText, patch, _meta } = diff;
  const meta = _meta ? { _meta } : {};
  if (operation === "add" && newText !== undefined) return { type: "diff", path, newText, ...meta };
  if (operation === "modify" && newText !== undefined)
    return { type: "diff", path, oldText: oldText ?? "", newText, ...meta };
  if (operation === "delete" && oldText !== undefined)
    return { type: "diff", path, oldText, newText: "", ...meta };
  if (newText !== undefined && oldText !== newText) {
    return { type: "diff", path, oldText: oldText ?? "", newText, ...meta };
  }
  return { ...textContent(patch ?? changeSentence(diff, ahead)), ...meta };
}

function changeSentence({ operation, path, oldPath, fileType }: DiffContent, isStillAhead: boolean): string {
  const [ahead, past] = VERBS[operation];
  const verb = isStillAhead ? `Will ${ahead}` : past;
  const what = fileType && fileType !== "text" ? `${fileType} ` : "";
  const isFromElsewhere = operation === "move" || operation === "copy";
  return isFromElsewhere ? `${verb} ${what}${oldPath ?? "?"} to ${path}` : `${verb} ${what}${path}`;
}

const VERBS = {
  add: ["add", "Added"],
  modify: ["change", "Changed"],
  delete: ["delete", "Deleted"],
  move: ["move", "Moved"],
  copy: ["copy", "Copied"],
} as const satisfies Record<DiffContent["operation"], readonly [ahead: string, past: string]>;

/** Whether it is one of our terminals, sent in `_meta.terminal_*` with its output. */
export function isShownInMeta(
  item: ToolCallContent,
  { clients, inMeta }: TerminalsShown,
): item is OwnTerminal {
  if (item.type !== "terminal" || !item.output || !inMeta) return false;
  return !(clients && item.clientTerminalId !== undefined);
}

export type OwnTerminal = TerminalContent & { readonly output: BoundedText };

/** A v1 client shows terminals that it made itself; what ours print is shown as text, unless it asked for more. */
function v1Terminal(item: TerminalContent, terminals: TerminalsShown): V1Content {
  const { terminalId, clientTerminalId, output, exit, _meta } = item;
  const meta = _meta ? { _meta } : {};
  if (terminals.clients && clientTerminalId !== undefined)
    return { type: "terminal", terminalId: clientTerminalId, ...meta };
  if (!output || isShownInMeta(item, terminals)) return { type: "terminal", terminalId, ...meta };
  return { ...textContent(shownText(output) + exitNote(exit)), ...meta };
}

function exitNote(exit: TerminalExit | undefined): string {
  if (!exit || exit.exitCode === 0) return "";
  return `\n[${exit.signal ? `ended by ${exit.signal}` : `exit code ${exit.exitCode ?? "unknown"}`}]`;
}
