/** The kinds of ACP v1 and v2: what a call does, so that a client can choose an icon. */
export type ToolKind =
  | "read"
  | "edit"
  | "delete"
  | "move"
  | "search"
  | "execute"
  | "think"
  | "fetch"
  | "switch_mode"
  | "other";

export const TOOL_KINDS: readonly ToolKind[] = [
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
];

export function isToolKind(value: unknown): value is ToolKind {
  return (TOOL_KINDS as readonly unknown[]).includes(value);
}
