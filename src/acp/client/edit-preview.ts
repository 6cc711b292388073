/**
 * Shows the edit that a foreign agent asks about: as a diff against the file, from the diff of the call, its new text,
 * its passages or its patch. A file of which nothing is shown is named as unseen.
 *
 * The preview is for the person alone. Items carry a mark, and nothing is judged by them.
 */
import { absolutePath, diffContent, fileDiff, oneLine, textContent } from "../../call/index.js";
import type { DiffContent, Meta, ToolCallContent } from "../../call/index.js";
import { ToolFailure } from "../../tools/index.js";
import type { Workspace } from "../../tools/index.js";
import { applyEdits } from "../../tools/built-in/apply-edits.js";
import type { Intent } from "../../policy/index.js";
import { isJsonObject } from "../json.js";
import { carriedEdits } from "./carried-edits.js";
import type { CarriedEdit } from "./carried-edits.js";
import { isForgedDiff } from "./is-forged-diff.js";
import { readPatch } from "./read-patch.js";

const PREVIEW: Meta = { toolgate: { preview: true } };

export function isPreview({ _meta }: ToolCallContent): boolean {
  const ours = _meta?.["toolgate"];
  return isJsonObject(ours) && ours["preview"] === true;
}

export type EditToShow = {
  readonly intent: Intent;
  readonly rawInputs: readonly unknown[];
  /** All that the agent shows of the call. */
  readonly content: readonly ToolCallContent[];
  readonly workspace: Workspace;
  /** The agent's name. */
  readonly agent: string;
};

/** Why the diffs of the agent are not of the files as they are; undefined when they are. */
export async function forgedDiff(edit: EditToShow): Promise<string | undefined> {
  const files = new FilesNow(edit);
  for (const item of edit.content) {
    if (item.type !== "diff" || isPreview(item)) continue;
    const path = await files.real(item.path);
    if (isForgedDiff(item, await files.text(path)))
      return oneLine(
        `the diff shown replaces a text that is not in ${path}; below it is against the file`,
        400,
      );
  }
  return undefined;
}

/** The content of the call with its preview; undefined when there is nothing to add to the agent's own. */
export async function editPreview(edit: EditToShow): Promise<readonly ToolCallContent[] | undefined> {
  const { intent, rawInputs, content } = edit;
  const written = intent.paths.filter(({ access }) => access === "write").map(({ path }) => path);
  if (intent.command !== undefined || written.length === 0) return undefined;
  const files = new FilesNow(edit);
  const agents = await Promise.all(content.map((item) => againstFile(item, files)));
  const shown = new Set(
    await Promise.all(agents.flatMap((item) => pathsOf(item)).map((path) => files.real(path))),
  );
  const added: ToolCallContent[] = [];
  for (const [path, edits] of await editsByFile(carriedEdits(rawInputs), files)) {
    if (shown.has(path)) continue;
    added.push(...(await diffsOf(path, edits, files)));
    for (const one of edits.flatMap(({ paths }) => paths)) shown.add(await files.real(one));
  }
  const unseen = written.filter((path) => !shown.has(path));
  if (unseen.length > 0) added.push(unseenNote(unseen, edit.agent));
  const isSame = added.length === 0 && agents.every((item, index) => item === content[index]);
  return isSame ? undefined : [...agents, ...added];
}

/** The texts of the files as they are now, each read once. */
class FilesNow {
  readonly #intent: Intent;
  readonly #workspace: Workspace;
  readonly #texts = new Map<string, Promise<string | undefined>>();

  constructor({ intent, workspace }: EditToShow) {
    this.#intent = intent;
    this.#workspace = workspace;
  }

  async real(path: string): Promise<string> {
    const whole = absolutePath(this.#intent.cwd, path);
    return this.#workspace.resolve(whole).catch(() => whole);
  }

  /** Undefined when there is none, or none that can be read as text. */
  async text(path: string): Promise<string | undefined> {
    const known = this.#texts.get(path);
    if (known) return known;
    const read = this.#workspace.readText(path).catch((error: unknown) => {
      if (error instanceof ToolFailure) return undefined;
      throw error;
    });
    this.#texts.set(path, read);
    return read;
  }
}

const marked = (diff: DiffContent): DiffContent => ({ ...diff, _meta: PREVIEW });

function pathsOf(item: ToolCallContent): readonly string[] {
  if (item.type !== "diff") return [];
  return item.patch === undefined ? [item.path] : [item.path, ...readPatch(item.patch).written];
}

/** Agents that leave out the old text mean the file itself. An old text that is not in the file shows nothing. */
async function againstFile(item: ToolCallContent, files: FilesNow): Promise<ToolCallContent> {
  if (item.type !== "diff" || item.newText === undefined) return item;
  const current = await files.text(await files.real(item.path));
  if (isForgedDiff(item, current)) return marked(fileDiff(item.path, current, item.newText));
  if (item.operation !== "add") return item;
  return current === undefined ? item : marked(fileDiff(item.path, current, item.newText));
}

async function editsByFile(
  edits: readonly CarriedEdit[],
  files: FilesNow,
): Promise<ReadonlyMap<string, readonly CarriedEdit[]>> {
  const byFile = new Map<string, CarriedEdit[]>();
  for (const edit of edits) {
    const path = await files.real(edit.paths[0] ?? "");
    byFile.set(path, [...(byFile.get(path) ?? []), edit]);
  }
  return byFile;
}

async function diffsOf(
  path: string,
  edits: readonly CarriedEdit[],
  files: FilesNow,
): Promise<readonly DiffContent[]> {
  const current = await files.text(path);
  const after = afterAll(current, path, edits);
  if (after !== undefined) return [marked(fileDiff(path, current, after))];
  return edits.map((edit) => marked(partOf(path, edit)));
}

/** The text of the file after the edits; undefined when it cannot be known. */
function afterAll(
  current: string | undefined,
  path: string,
  edits: readonly CarriedEdit[],
): string | undefined {
  let text = current;
  for (const edit of edits) {
    const next = afterOne(text, path, edit);
    if (next === undefined) return undefined;
    text = next;
  }
  return text;
}

function afterOne(current: string | undefined, path: string, edit: CarriedEdit): string | undefined {
  switch (edit.type) {
    case "whole":
      return edit.text;
    case "passage":
      if (edit.oldText === "") return current === undefined ? edit.newText : undefined;
      try {
        return applyEdits(current, path, [edit]).text;
      } catch (error) {
        if (error instanceof ToolFailure) return undefined;
        throw error;
      }
    case "insert": {
      const lines = current?.split("\n") ?? [];
      if (edit.afterLine < 0 || edit.afterLine > lines.length) return undefined;
      const inserted = edit.newText.replace(/\n$/, "").split("\n");
      return [...lines.slice(0, edit.afterLine), ...inserted, ...lines.slice(edit.afterLine)].join("\n");
    }
    case "patch":
      return undefined;
    default:
      return edit satisfies never;
  }
}

/** The edit alone, where it does not fit the file. */
function partOf(path: string, edit: CarriedEdit): DiffContent {
  switch (edit.type) {
    case "whole":
      return diffContent(path, undefined, edit.text);
    case "passage":
      return diffContent(path, edit.oldText, edit.newText);
    case "insert":
      return diffContent(path, "", edit.newText);
    case "patch":
      return { type: "diff", operation: "modify", path, patch: edit.patch };
    default:
      return edit satisfies never;
  }
}

const MAX_NAMED = 5;

function unseenNote(paths: readonly string[], agent: string): ToolCallContent {
  const named = paths.slice(0, MAX_NAMED).map((path) => oneLine(path, 200));
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : "";
  return textContent(
    `Unseen: ${agent} does not show what it will write into ${named.join(", ")}${more}.`,
    PREVIEW,
  );
}
