/** Finds files by name. */
import { z } from "zod";
import { textContent } from "../../call/index.js";
import { defineTool } from "../define-tool.js";
import { runRipgrep } from "../search/run-ripgrep.js";
import { mustBeSamePlace, searchRoot, shownPath } from "../search/search-root.js";
import { searchWarning, seenFiles, walkFields, walkFlags, withoutNul } from "../search/walk.js";
import { type Tool, ToolFailure } from "../tool.js";
import { pathAccess } from "../path-access.js";

const MAX_FILES = 500;
const MAX_LOCATIONS = 50;
const TIME_LIMIT_MS = 4500;

/** `timeLimit` in milliseconds: after it, the result has the files found so far. */
export function findPathTool({ timeLimit = TIME_LIMIT_MS }: { readonly timeLimit?: number } = {}): Tool {
  return defineTool({
    name: "find_path",
    description:
      `Finds files by a glob such as "*.ts", "src/**/*.test.ts" or "{README,LICENSE}*". A glob without "/" is tried on the name of a file in any folder. ` +
      `Finds files only, no folders; at most ${MAX_FILES}, sorted by path. Hidden files and those that .gitignore names are left out unless requested.`,
    kind: "search",
    input: () =>
      z.object({
        pattern: withoutNul(1000).describe(
          'The glob, read from the searched folder. "src/**" is all that is in src.',
        ),
        ...walkFields(),
      }),
    async intent({ path }, workspace) {
      return { paths: [await pathAccess(path, "read", workspace)] };
    },
    async preview({ path }, workspace) {
      return { locations: [{ path: await workspace.resolve(path) }] };
    },
    async run({ pattern, path, hidden, ignored }, context) {
      const { workspace, signal } = context;
      const searched = await searchRoot("find_path", path, workspace);
      const { folder } = searched;
      if (searched.file !== undefined)
        throw new ToolFailure(
          `find_path: ${path} is a file, so there are no files in it. Nothing was searched. Give the path of a folder.`,
        );
      const where = { cwd: folder, signal, timeLimit };
      const flags = walkFlags({ hidden, ignored, glob: pattern });
      const found: string[] = [];
      const [seen, end] = await Promise.all([
        seenFiles({ hidden, ignored }, where),
        runRipgrep({
          ...where,
          argv: ["--files", "--null", ...flags, "--", "."],
          separator: "\0",
          onRecord: (one) => found.push(one) > 0,
        }),
      ]);
      await mustBeSamePlace("find_path", searched, workspace);
      const files = found.filter((one) => seen.files.has(one));
      const complaint = await searchWarning("find_path", end, [...flags, "--regexp="], where);
      const isLate = end.by === "time" || seen.end.by === "time";
      const absolute = files.slice(0, MAX_FILES).map((one) => shownPath(one, folder, workspace.root));
      if (absolute.length > 0)
        context.report({ locations: absolute.slice(0, MAX_LOCATIONS).map(({ real }) => ({ path: real })) });
      const output = [
        ...absolute.map(({ shown }) => shown),
        ...notices(files.length, isLate ? timeLimit : undefined),
        ...complaint,
      ].join("\n");
      return { output, content: [textContent(output)] };
    },
  });
}

export const findPath = findPathTool();

function notices(count: number, timeLimit: number | undefined): readonly string[] {
  const narrow = "Search a folder further down, or use a narrower glob.";
  const cut = count > MAX_FILES ? [`[The first ${MAX_FILES} of ${count} files. ${narrow}]`] : [];
  if (timeLimit !== undefined)
    return [...cut, `[The search was stopped after ${timeLimit / 1000} s: there may be more. ${narrow}]`];
  if (count > 0) return cut;
  return [
    'No file matches. Only files are found, so use "folder/**" for what is in a folder; "hidden" and "ignored" widen the search.',
  ];
}
