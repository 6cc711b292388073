/** Why a foreign agent's call may do something else than it shows. */
import { oneLine } from "../../call/index.js";
import type { Evidence } from "./evidence.js";
import { accessTo, basesOf } from "./foreign-paths.js";
import type { IntentPlace } from "./foreign-paths.js";

/**
 * The shown call must match the real one: one folder, one server's tool, and a diff of the text that the input will
 * write.
 */
export async function shownDisagreement(
  evidence: Evidence,
  folders: readonly string[],
  place: IntentPlace,
): Promise<string | undefined> {
  const { servers, commands } = evidence;
  const isInFolders = commands.length > 0 || evidence.written.length + evidence.named.length > 0;
  if (folders.length > 1 && isInFolders) return oneLine(`it names several folders: ${listed(folders)}`, 400);
  if (servers.length > 1)
    return oneLine(
      `it names several tools of servers: ${listed(servers.map(({ server, tool }) => `${server}/${tool}`))}`,
      400,
    );
  return diffDisagreement(evidence, folders, place);
}

const listed = (names: readonly string[]): string => names.slice(0, 3).join(", ");

async function diffDisagreement(
  evidence: Evidence,
  folders: readonly string[],
  place: IntentPlace,
): Promise<string | undefined> {
  const { diffs, written, named } = evidence;
  const inputs = [...written, ...named];
  if (diffs.length === 0) return undefined;
  const bases = await basesOf(evidence, { ...place, folders });
  const resolved = async (path: string, cwd = place.cwd) =>
    (await accessTo(path, "write", { ...place, cwd })).path;
  const shown = await Promise.all(
    diffs
      .flatMap(({ path, oldPath }) => [path, ...(oldPath === undefined ? [] : [oldPath])])
      .map((path) => resolved(path)),
  );
  for (const path of inputs) {
    const targets = await Promise.all(
      (path.startsWith("/") ? [place.cwd] : bases).map((cwd) => resolved(path, cwd)),
    );
    if (targets.some((target) => shown.some((one) => one === target || one.startsWith(`${target}/`))))
      continue;
    return oneLine(
      `the diff shown is of ${listed([...new Set(shown)])}, and the input names ${targets[0] ?? path}`,
      400,
    );
  }
  return areTextsShown(evidence, resolved).then((areShown) =>
    areShown ? undefined : "the diff shown is not of the text that the input holds",
  );
}

/** Every text of the input must be in a diff of its file: the whole of a file as the whole, a part of it as a part. */
async function areTextsShown(
  { diffs, texts, writes, pieces }: Evidence,
  resolved: (path: string) => Promise<string>,
): Promise<boolean> {
  const shown = await Promise.all(diffs.map(async (diff) => ({ ...diff, path: await resolved(diff.path) })));
  const shownFor = async (paths: readonly string[]) => {
    const owners = await Promise.all(paths.map((path) => resolved(path)));
    return owners.length === 0 ? shown : shown.filter(({ path }) => owners.includes(path));
  };
  const owned = new Set(writes.map(({ text }) => text));
  const wholes = [
    ...writes.map(({ path, text }) => ({ paths: [path], text })),
    ...texts.filter((text) => !owned.has(text)).map((text) => ({ paths: [], text })),
  ];
  for (const { paths, text } of wholes)
    if (!(await shownFor(paths)).some(({ newText }) => newText !== undefined && isSameText(text, newText)))
      return false;
  for (const { paths, side, text } of pieces) {
    const diffTexts = (await shownFor(paths)).map(({ oldText, newText }) =>
      side === "old" ? oldText : newText,
    );
    if (text !== "" && !diffTexts.some((one) => one !== undefined && lines(one).includes(lines(text))))
      return false;
  }
  return true;
}

const isSameText = (one: string, other: string): boolean => lines(one) === lines(other);

const lines = (text: string): string => text.replaceAll("\r\n", "\n").replace(/\n$/, "");
