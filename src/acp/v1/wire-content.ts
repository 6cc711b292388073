/** A call's content as v1 can say it. The whole list is sent each time, in the order of the call's. */
import { endSentence, shownText, textContent } from "../../call/index.js";
import type {
  DiffContent,
  TerminalContent,
  TerminalExit,
  ToolCall,
  ToolCallContent,
} from "../../call/index.js";
import { SENTENCE_MARK } from "../toolgate-meta.js";
import type { V1Content } from "./wire.js";

export function v1Content(call: ToolCall): readonly V1Content[] {
  const content = call.content.map(v1Item);
  const sentence = endSentence(call);
  return sentence === undefined ? content : [...content, textContent(sentence, SENTENCE_MARK)];
}

function v1Item(item: ToolCallContent): V1Content {
  switch (item.type) {
    case "content":
      return item;
    case "diff":
      return v1Diff(item);
    case "terminal":
      return v1Terminal(item);
    default:
      return item satisfies never;
  }
}

/**
 * v1 knows a path, a text before and a text after. Where there is no text to show, or the file came
 * from somewhere else, a sentence says what happened.
 */
function v1Diff(diff: DiffContent): V1Content {
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
  return { ...textContent(patch ?? changeSentence(diff)), ...meta };
}

function changeSentence({ operation, path, oldPath, fileType }: DiffContent): string {
  const what = fileType && fileType !== "text" ? `${fileType} ` : "";
  switch (operation) {
    case "add":
      return `Added ${what}${path}`;
    case "modify":
      return `Changed ${what}${path}`;
    case "delete":
      return `Deleted ${what}${path}`;
    case "move":
      return `Moved ${what}${oldPath ?? "?"} to ${path}`;
    case "copy":
      return `Copied ${what}${oldPath ?? "?"} to ${path}`;
    default:
      return operation satisfies never;
  }
}

/** A v1 client can only show terminals that it made itself; what ours prints is shown as text. */
function v1Terminal({ terminalId, output, exit, _meta }: TerminalContent): V1Content {
  const meta = _meta ? { _meta } : {};
  if (!output) return { type: "terminal", terminalId, ...meta };
  return { ...textContent(shownText(output) + exitNote(exit)), ...meta };
}

function exitNote(exit: TerminalExit | undefined): string {
  if (!exit || exit.exitCode === 0) return "";
  return `\n[${exit.signal ? `ended by ${exit.signal}` : `exit code ${exit.exitCode ?? "unknown"}`}]`;
}
