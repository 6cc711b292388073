/** Refuses to delete or move the workspace's own folders: without them nothing else could be done or undone. */
import { ToolFailure } from "../tool.js";
import type { Files } from "../workspace.js";
import { isWithin } from "../../call/absolute-path.js";

export function mustNotContainRoot(
  path: string,
  { roots }: Files,
  words: { readonly tool: string; readonly written: string; readonly done: string },
): void {
  const root = roots.find((one) => isWithin(one, path));
  if (root === undefined) return;
  const what = root === path ? "is the workspace folder itself" : `contains the workspace folder ${root}`;
  throw new ToolFailure(
    `${words.tool}: ${words.written} ${what}, which is never ${words.done}. Nothing was ${words.done}. Give a path inside it.`,
  );
}
