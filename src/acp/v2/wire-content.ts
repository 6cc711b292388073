/** A call's content as v2 can say it: file changes with a patch, terminals by their id. */
import { endSentence, textContent } from "../../call/index.js";
import type { DiffContent, ToolCall, ToolCallContent } from "../../call/index.js";
import { blockForV2 } from "../read-block.js";
import { SENTENCE_MARK } from "../toolgate-meta.js";
import { gitPatch } from "./git-patch.js";
import type { V2Content } from "./wire.js";

export function v2Item(item: ToolCallContent): V2Content {
  switch (item.type) {
    case "content":
      return { ...item, content: blockForV2(item.content) };
    case "diff":
      return v2Diff(item);
    case "terminal":
      return { type: "terminal", terminalId: item.terminalId, ...(item._meta && { _meta: item._meta }) };
    default:
      return item satisfies never;
  }
}

/** The item with the end of a call that was not done. */
export function v2Sentence(call: ToolCall): V2Content | undefined {
  const sentence = endSentence(call);
  return sentence === undefined ? undefined : v2Item(textContent(sentence, SENTENCE_MARK));
}

function v2Diff(diff: DiffContent): V2Content {
  const { operation, path, oldPath, fileType, mimeType, _meta } = diff;
  const text = gitPatch(diff);
  const hasText = (diff.newText ?? diff.oldText ?? diff.hunks) !== undefined;
  const known = fileType ?? (hasText ? "text" : undefined);
  const about = { ...(known && { fileType: known }), ...(mimeType !== undefined && { mimeType }) };
  const isPair = operation === "move" || operation === "copy";
  const change = isPair
    ? { operation, path, oldPath: oldPath ?? path, ...about }
    : { operation, path, ...about };
  // The SDK's type is a union over each operation, which the compiler does not match against a variable one.
  return {
    type: "diff",
    changes: [change],
    ...(text !== undefined && { patch: { format: "git_patch", text } }),
    ...(_meta && { _meta }),
  } as V2Content;
}
