/**
 * The reason or the advice that a person wrote with an answer. ACP has no field for it yet, so clients write it into
 * `_meta`, beside the outcome or inside it. The model gets it as the person's words.
 */
import { visibleText } from "../../call/index.js";
import { isJsonObject } from "../json.js";

const MAX_REASON_CHARACTERS = 4000;

export function rejectReason(result: unknown): string | undefined {
  if (!isJsonObject(result)) return undefined;
  const { _meta, outcome } = result;
  return textIn(_meta) ?? (isJsonObject(outcome) ? textIn(outcome["_meta"]) : undefined);
}

function textIn(meta: unknown): string | undefined {
  if (!isJsonObject(meta)) return undefined;
  const ours = meta["toolgate"];
  const text = (isJsonObject(ours) ? ours["reason"] : undefined) ?? meta["reason"] ?? meta["feedback"];
  if (typeof text !== "string" || text.trim() === "") return undefined;
  return visibleText(text.trim().slice(0, MAX_REASON_CHARACTERS), { keepNewlines: true });
}
