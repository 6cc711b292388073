/** A command as pieces: parts that ask, signs between parts, and the rest. */
import type { CommandPart } from "toolgate/serve/client";

export type CommandPiece = { readonly text: string; readonly type: "asked" | "part" | "between" };

/** Each part is looked for after the one before. A part that is not found word for word is not marked. */
export function commandPieces(text: string, parts: readonly CommandPart[]): readonly CommandPiece[] {
  const pieces: CommandPiece[] = [];
  let from = 0;
  for (const part of parts) {
    const at = part.text === "" ? -1 : text.indexOf(part.text, from);
    if (at === -1) continue;
    if (at > from) pieces.push({ text: text.slice(from, at), type: "between" });
    pieces.push({ text: part.text, type: part.verdict === "allowed" ? "part" : "asked" });
    from = at + part.text.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), type: from === 0 ? "part" : "between" });
  return pieces;
}
