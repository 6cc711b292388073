/** Finds lines of files that match a regular expression. */
import { z } from "zod";
import { pluralize, textContent } from "../../call/index.js";
import type { Location } from "../../call/index.js";
import { defineTool } from "../define-tool.js";
import { Findings, MAX_BYTES, MAX_MATCHES } from "../search/findings.js";
import { isProtectedFile } from "../search/is-protected-file.js";
import { runRipgrep } from "../search/run-ripgrep.js";
import { mustBeSamePlace, searchRoot } from "../search/search-root.js";
import { searchWarning, seenFiles, walkFields, walkFlags, withoutNul } from "../search/walk.js";
import type { Tool } from "../tool.js";
import { pathAccess } from "../path-access.js";

const TIME_LIMIT_MS = 20_000;
const MAX_LINE_BYTES = 500;

const input = () =>
  z.object({
    pattern: withoutNul(10_000).describe("The regular expression, in Rust's syntax, tried on each line."),
    ...walkFields(),
    glob: withoutNul(1000).optional().describe('Only files that match, such as "*.ts" or "src/**".'),
    caseSensitive: z.boolean().default(false).describe("Tell capital letters from small ones."),
    context: z
      .int()
      .min(0)
      .max(10)
      .default(0)
      .describe("How many lines to show before and after each match."),
    limit: z.int().min(1).max(MAX_MATCHES).default(MAX_MATCHES).describe("How many matches to return."),
    skip: z.int().min(0).default(0).describe("How many matches to leave out at the beginning, to continue."),
    filesOnly: z.boolean().default(false).describe("Return only the paths of the files that match."),
  });

/** `timeLimit` in milliseconds: after it, the result has the lines found so far. */
export function grepTool({ timeLimit = TIME_LIMIT_MS }: { readonly timeLimit?: number } = {}): Tool {
  return defineTool({
    name: "grep",
    description:
      "Searches the contents of files with a regular expression (Rust syntax: no look-around, no back-references). " +
      `Returns matching lines with their numbers, by file, sorted by path; at most ${MAX_MATCHES} matches or ${MAX_BYTES / 1024} kB at a time. ` +
      "Binary files, links, hidden files and those that .gitignore names are left out; so are files that hold secrets, such as .env, unless path names the file itself. Long lines are cut.",
    kind: "search",
    input,
    async intent({ path }, workspace) {
      return { paths: [await pathAccess(path, "search", workspace)] };
    },
    async preview({ path }, workspace) {
      return { locations: [{ path: await workspace.resolve(path) }] };
    },
    async run(wanted, context) {
      const { workspace, signal } = context;
      const searched = await searchRoot("grep", wanted.path, workspace);
      const { folder, file } = searched;
      const until = performance.now() + timeLimit;
      const where = { cwd: folder, signal, timeLimit };
      // Only a glob can make ripgrep find files that the walk leaves out.
      const seen =
        wanted.glob === undefined || file !== undefined ? undefined : await seenFiles(wanted, where);
      // A named protected path was approved; one that the search only finds stays closed.
      const isNamed = file !== undefined || isProtectedFile(folder, workspace.own);
      const findings = new Findings({
        ...wanted,
        folder,
        root: workspace.root,
        seen: seen?.files,
        ...(!isNamed && { isLeftOut: (path: string) => isProtectedFile(path, workspace.own) }),
      });
      const flags = [...walkFlags(wanted), ...lineFlags(wanted)];
      const end = await runRipgrep({
        ...where,
        timeLimit: Math.max(0, until - performance.now()),
        argv: [...flags, "--", file ?? "."],
        separator: wanted.filesOnly ? "\0" : "\n",
        onRecord: (record) => findings.add(record),
      });
      await mustBeSamePlace("grep", searched, workspace);
      const complaint = await searchWarning("grep", end, flags, where);
      const isLate = end.by === "time" || seen?.end.by === "time";
      const output = [
        ...findings.lines(),
        ...notices(findings, isLate ? timeLimit : undefined),
        ...complaint,
      ].join("\n");
      const locations: readonly Location[] = findings.locations();
      if (locations.length > 0) context.report({ locations });
      return { output, content: [textContent(output)] };
    },
  });
}

export const grep = grepTool();

function lineFlags({
  pattern,
  caseSensitive,
  context,
  filesOnly,
}: z.output<ReturnType<typeof input>>): readonly string[] {
  return [
    `--regexp=${pattern}`,
    caseSensitive ? "--case-sensitive" : "--ignore-case",
    "--color=never",
    "--null",
    ...(filesOnly
      ? ["--files-with-matches"]
      : [
          "--with-filename",
          "--no-heading",
          "--line-number",
          "--no-context-separator",
          `--context=${context}`,
          `--max-columns=${MAX_LINE_BYTES}`,
          "--max-columns-preview",
        ]),
  ];
}

function notices(findings: Findings, timeLimit: number | undefined): readonly string[] {
  const narrow = "narrow it with path or glob";
  if (findings.next !== undefined)
    return [`[There are more matches. Use skip=${findings.next} to continue, or ${narrow}.]`];
  if (timeLimit !== undefined)
    return [`[The search was stopped after ${timeLimit / 1000} s: there may be more. Better ${narrow}.]`];
  if (findings.count > 0) return [];
  return findings.skipped > 0
    ? [
        `There ${findings.skipped === 1 ? "is" : "are"} only ${pluralize(findings.skipped, "match", "matches")}. Use a smaller skip.`,
      ]
    : [
        'No line matches. Binary files, hidden files and what .gitignore names were not searched; "hidden" and "ignored" widen the search.',
      ];
}
