/**
 * A sign for each kind and each status. Every sign is a single column wide, is no emoji, and has one meaning:
 * kinds and statuses stand side by side, so they share no sign.
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

/** For a call that is done and whose command failed. */
export const COMMAND_FAILED = "!";

/** For a call whose changes were undone, however it had ended. */
export const UNDONE = "↶";

/** For a call that an agent ran although the rules deny it, however it ended. */
export const BREACH = "⚑";

export function kindIcon(kind: ToolKind): string {
  return KIND_ICONS[kind];
}

export function statusMark(status: ToolCallStatus): string {
  return STATUS_MARKS[status];
}
