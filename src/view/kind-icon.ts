/**
 * A sign for each kind and each status. Every one is a single column wide, is no emoji, and means only
 * one thing: kinds and statuses stand side by side, so they share no sign either.
 */
import type { ToolCallStatus, ToolKind } from "../call/index.js";

const KIND_ICONS: Readonly<Record<ToolKind, string>> = {
  read: "≡",
  edit: "✎",
  delete: "⌫",
  move: "→",
  search: "⌕",
  execute: "❯",
  think: "∴",
  fetch: "↓",
  switch_mode: "⇄",
  other: "•",
};

const STATUS_MARKS: Readonly<Record<ToolCallStatus, string>> = {
  drafting: "…",
  ready: "○",
  waiting: "?",
  cleared: "◎",
  running: "►",
  done: "✓",
  failed: "✗",
  refused: "⊘",
  cancelled: "–",
  unknown: "¿",
};

/** For a call that is done, and whose command ended badly. */
export const COMMAND_FAILED = "!";

/** For a call whose changes were put back, however it had ended. */
export const UNDONE = "↶";

/** For a call that an agent ran although the rules deny it, however it ended. */
export const BREACH = "⚑";

export function kindIcon(kind: ToolKind): string {
  return KIND_ICONS[kind];
}

export function statusMark(status: ToolCallStatus): string {
  return STATUS_MARKS[status];
}
