/** A diff card as lines of text, the heading first. Each line of the file stands behind one of three signs. */
import type { DiffContent } from "../call/index.js";
import type { DiffRow } from "./change-rows.js";
import { diffCard } from "./diff-card.js";
import type { DiffCard, DiffOptions } from "./diff-card.js";

export function diffLines(diff: DiffContent, options: DiffOptions = {}): readonly string[] {
  return diffCardLines(diffCard(diff, options));
}

export function diffCardLines({ heading, rows }: DiffCard): readonly string[] {
  return [heading, ...rows.map(({ type, text }) => SIGNS[type] + text)];
}

const SIGNS: Readonly<Record<DiffRow["type"], string>> = {
  same: "  ",
  removed: "- ",
  added: "+ ",
  patch: "  ",
  note: "",
};
