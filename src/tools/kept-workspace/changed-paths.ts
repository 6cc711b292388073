/** The changes of a command with their earlier contents, read from the shadow in bundles of bounded size. */
import { readFileSync, statSync } from "node:fs";
import { textOfTarget } from "../link-text.js";
import type { ObjectFormat } from "../git/read-index.js";
import { packChanges } from "./change-bundle.js";
import type { EarlierState, WorkspaceChange } from "./change-bundle.js";
import type { Compared, Earlier } from "./compare-snapshots.js";
import { objectName } from "./path-state.js";
import type { ShadowGit } from "./shadow-git.js";
import type { UnkeptPath } from "./workspace-keeper.js";

const MAX_BUNDLE_BYTES = 16 * 1024 * 1024;
const MAX_BUNDLE_CHANGES = 5_000;

type Change = { readonly path: string; readonly before?: Earlier; readonly after?: string };

export type ChangedPaths = { readonly changes: readonly Change[]; readonly unkept: readonly UnkeptPath[] };

/** In the order of their paths. A path that is as it was is left out; one that is no valid text cannot be put back. */
export function changedPaths({ before, after, unkept }: Compared): ChangedPaths {
  const changes: Change[] = [];
  const left = [...unkept].map(([path, reason]) => ({ path: textOf(path) ?? path, reason }));
  for (const bytes of [...new Set([...before.keys(), ...after.keys()])].toSorted()) {
    if (unkept.has(bytes)) continue;
    const [earlier, later] = [before.get(bytes), after.get(bytes)];
    if (earlier && "object" in earlier && later === stateText(earlier)) continue;
    const path = textOf(bytes);
    if (path === undefined) left.push({ path: bytes, reason: "its name is not valid UTF-8" });
    else
      changes.push({
        path,
        ...(earlier && { before: earlier }),
        ...(later !== undefined && { after: later }),
      });
  }
  return { changes, unkept: left };
}

const stateText = (earlier: Earlier & { readonly object: string }): string =>
  earlier.type === "file" ? `file ${earlier.object} ${earlier.mode.toString(8)}` : `link ${earlier.object}`;

function textOf(latin: string): string | undefined {
  const bytes = Buffer.from(latin, "latin1");
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) ? text : undefined;
}

export async function* readBundles(
  git: ShadowGit,
  changes: readonly Change[],
  { format, deadline }: ReadOptions,
): AsyncGenerator<Uint8Array> {
  const sizes = await objectSizes(git, changes, deadline);
  let group: Change[] = [];
  let bytes = 0;
  const pack = async (): Promise<Uint8Array> => {
    const contents = await readObjects(git, group, { format, deadline });
    const full = group.map((change) => withContent(change, contents));
    return packChanges({ format, changes: full });
  };
  for (const change of changes) {
    const size = sizeOf(change.before, sizes);
    if (group.length > 0 && (bytes + size > MAX_BUNDLE_BYTES || group.length >= MAX_BUNDLE_CHANGES)) {
      yield await pack();
      [group, bytes] = [[], 0];
    }
    group.push(change);
    bytes += size;
  }
  if (group.length > 0) yield await pack();
}

function sizeOf(before: Earlier | undefined, sizes: ReadonlyMap<string, number>): number {
  if (!before || before.type === "folder") return 0;
  if ("content" in before) return before.content.length;
  return "object" in before ? (sizes.get(before.object) ?? 0) : statSync(before.file).size;
}

function objectsOf(changes: readonly Change[]): readonly string[] {
  return [...new Set(changes.flatMap(({ before }) => (before && "object" in before ? [before.object] : [])))];
}

async function objectSizes(
  git: ShadowGit,
  changes: readonly Change[],
  deadline: number,
): Promise<ReadonlyMap<string, number>> {
  const objects = objectsOf(changes);
  if (objects.length === 0) return new Map();
  const stdin = Buffer.from(`${objects.join("\n")}\n`);
  const output = await git.run(["cat-file", "--buffer", "--batch-check=%(objectname) %(objectsize)"], {
    deadline,
    stdin,
  });
  const lines = output.toString("latin1").trim().split("\n");
  return new Map(lines.map((line) => [line.split(" ")[0] ?? "", Number(line.split(" ")[1])]));
}

/** Git believes what a pack lists, and a command can leave one that lies: then only our copies count. */
async function readObjects(
  git: ShadowGit,
  changes: readonly Change[],
  { format, deadline }: ReadOptions,
): Promise<ReadonlyMap<string, Buffer>> {
  const objects = objectsOf(changes);
  const isTrue = ([object, content]: [string, Buffer]): boolean => objectName(format, content) === object;
  const found = [...(await contentsOf(git, objects, { deadline }))].filter(isTrue);
  const seen = new Set(found.map(([object]) => object));
  const missing = objects.filter((object) => !seen.has(object));
  const copied = await contentsOf(git, missing, { deadline, isAlone: true });
  return new Map([...found, ...[...copied].filter(isTrue)]);
}

type ReadOptions = { readonly format: ObjectFormat; readonly deadline: number };

async function contentsOf(
  git: ShadowGit,
  objects: readonly string[],
  options: { readonly deadline: number; readonly isAlone?: boolean },
): Promise<ReadonlyMap<string, Buffer>> {
  const found = new Map<string, Buffer>();
  if (objects.length === 0) return found;
  const stdin = Buffer.from(`${objects.join("\n")}\n`);
  const output = await git.run(["cat-file", "--buffer", "--batch"], { ...options, stdin });
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(0x0a, at);
    const [object = "", type, size] = output.toString("latin1", at, end).split(" ");
    // "… missing" has no content.
    if (type !== "blob") {
      at = end + 1;
      continue;
    }
    const start = end + 1;
    found.set(object, output.subarray(start, start + Number(size)));
    at = start + Number(size) + 1;
  }
  return found;
}

function withContent(
  { path, before, after }: Change,
  contents: ReadonlyMap<string, Buffer>,
): WorkspaceChange {
  const rest = { path, ...(after !== undefined && { after }) };
  return before ? { ...rest, before: earlierState(path, before, contents) } : rest;
}

function earlierState(path: string, before: Earlier, contents: ReadonlyMap<string, Buffer>): EarlierState {
  if (before.type === "folder") return before;
  if ("content" in before) return before;
  const content = "object" in before ? contents.get(before.object) : readFileSync(before.file);
  if (!content) throw new Error(`the earlier content of ${path} is gone`);
  return before.type === "link"
    ? { type: "link", target: textOfTarget(content) }
    : { type: "file", mode: before.mode, content };
}
