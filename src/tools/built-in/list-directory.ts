/** Lists a folder: folders first, then the rest, each with its type, size or target. */
import { posix } from "node:path";
import { z } from "zod";
import { createToolTitle, oneLine, pluralize, visibleText } from "../../call/index.js";
import { defineTool } from "../define-tool.js";
import { ToolFailure } from "../tool.js";
import type { FolderEntry, Workspace } from "../workspace.js";
import { sizeText } from "../../call/amounts.js";
import { pathAccess } from "../path-access.js";

const MAX_ENTRIES = 1000;
/** A step may have thousands of calls: what waits for the disk takes memory. */
const LOOKS_AT_ONCE = 32;

const input = () =>
  z.object({
    path: z
      .string()
      .min(1)
      .default(".")
      .describe(
        "The folder, absolute or from the workspace folder; the workspace folder itself when left out.",
      ),
    start: z.int().min(1).default(1).describe("The first entry to show, counted from 1."),
  });

export const listDirectory = defineTool({
  name: "list_directory",
  description:
    "Lists a folder, hidden names too: folders as name/, links as name -> target, files with their size. A long list comes in parts; the last line of a part says how to continue.",
  kind: "read",
  input,
  title: ({ path }) => createToolTitle("list_directory", { path }),
  async intent({ path }, workspace) {
    return { paths: [await pathAccess(path, "read", workspace)] };
  },
  async preview({ path }, workspace) {
    return { locations: [{ path: await workspace.resolve(path) }] };
  },
  async run({ path, start }, { workspace }) {
    const folder = await workspace.resolve(path);
    await mustBeFolder(path, folder, workspace);
    const entries = foldersFirst(await workspace.list(folder));
    if (entries.length === 0) return "[The folder is empty.]";
    if (start > entries.length)
      throw new ToolFailure(
        `list_directory: ${path} has ${pluralize(entries.length, "entry", "entries")}, so there is no entry ${start}. Nothing was listed. Use a start from 1 to ${entries.length}.`,
      );
    const end = Math.min(start - 1 + MAX_ENTRIES, entries.length);
    const shown = entries.slice(start - 1, end);
    const lines: string[] = [];
    for (let from = 0; from < shown.length; from += LOOKS_AT_ONCE) {
      const some = shown.slice(from, from + LOOKS_AT_ONCE);
      lines.push(...(await Promise.all(some.map((entry) => lineOf(entry, folder, workspace)))));
    }
    const onward = end < entries.length ? ` Use start=${end + 1} to continue.` : "";
    const isPart = shown.length < entries.length;
    return [...lines, ...(isPart ? [`[Entries ${start}-${end} of ${entries.length}.${onward}]`] : [])].join(
      "\n",
    );
  },
});

async function mustBeFolder(path: string, folder: string, workspace: Workspace): Promise<void> {
  const info = await workspace.look(folder);
  if (info?.type === "folder") return;
  throw new ToolFailure(
    info
      ? `list_directory: ${path} is a file, not a folder. Nothing was listed. Use read_file to read it.`
      : `list_directory: ${path} does not exist. Nothing was listed. List the folder above it to find the right name.`,
  );
}

const isFolder = ({ type }: FolderEntry) => type === "folder";

function foldersFirst(entries: readonly FolderEntry[]): readonly FolderEntry[] {
  return [...entries.filter(isFolder), ...entries.filter((entry) => !isFolder(entry))];
}

/** A name may hold line ends, and must not look like several entries. */
async function lineOf({ name, type }: FolderEntry, folder: string, workspace: Workspace): Promise<string> {
  const path = posix.join(folder, name);
  const shown = visibleText(name);
  if (type === "folder") return `${shown}/`;
  if (type === "link") return `${shown} -> ${await targetOf(path, workspace)}`;
  if (type === "other") return `${shown} (a device, pipe or socket)`;
  const info = await workspace.look(path);
  return info ? `${shown} (${sizeText(info.size)})` : `${shown} (gone since)`;
}

const MAX_TARGET = 200;

/** One link that cannot be read must not hide the rest of the folder. */
async function targetOf(link: string, workspace: Workspace): Promise<string> {
  try {
    return oneLine(await workspace.readLink(link), MAX_TARGET);
  } catch {
    return "(cannot be read)";
  }
}
