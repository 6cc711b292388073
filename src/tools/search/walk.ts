/**
 * How folders are searched, for text and for file names alike: ignored (.gitignore) and hidden files are left out
 * unless requested, links are not followed, the order is fixed.
 *
 * ripgrep lets a glob override .gitignore and the rule on hidden files. Here a glob only narrows: a match counts when
 * the same walk without the glob finds it too.
 */
import { z } from "zod";
import { oneLine } from "../../call/index.js";
import { ToolFailure } from "../tool.js";
import { runRipgrep } from "./run-ripgrep.js";
import type { RipgrepEnd, RipgrepRun } from "./run-ripgrep.js";

/** The fields that both tools have. A NUL cannot be passed to a program. */
export const walkFields = () => ({
  path: withoutNul(4096).default(".").describe("Where to search, absolute or from the workspace folder."),
  hidden: z.boolean().default(false).describe("Also search hidden files and folders (.github, .eslintrc)."),
  ignored: z.boolean().default(false).describe("Also search what .gitignore and the like leave out."),
});

export function withoutNul(maxLength: number) {
  return z
    .string()
    .min(1)
    .max(maxLength)
    .refine((text) => !text.includes("\0"), "The text holds a NUL character");
}

type Walk = {
  readonly hidden: boolean;
  readonly ignored: boolean;
  readonly glob?: string | undefined;
};

export function walkFlags({ hidden, ignored, glob }: Walk): readonly string[] {
  return [
    "--no-require-git",
    "--no-follow",
    "--sort=path",
    ...(hidden ? ["--hidden"] : []),
    ...(ignored ? ["--no-ignore"] : []),
    ...(glob === undefined ? [] : [`--glob=${glob}`]),
    // The later glob wins. A name with a line break would be read as two lines of output.
    "--glob=!.git",
    "--glob=!*\n*",
  ];
}

type Where = Pick<RipgrepRun, "cwd" | "signal" | "timeLimit">;

type SeenFiles = { readonly files: ReadonlySet<string>; readonly end: RipgrepEnd };

/** All files below a folder that the walk finds without its glob. */
export async function seenFiles({ hidden, ignored }: Walk, where: Where): Promise<SeenFiles> {
  const files = new Set<string>();
  const end = await runRipgrep({
    ...where,
    argv: ["--files", "--null", ...walkFlags({ hidden, ignored }), "--", "."],
    separator: "\0",
    onRecord: (file) => files.add(file) !== undefined,
  });
  return { files, end };
}

/**
 * The warning for a search that reported errors. Throws ToolFailure when the pattern or the glob is invalid: then
 * ripgrep reports the same error without a file to search. Any other error is about an unreadable file.
 */
export async function searchWarning(
  tool: string,
  { exitCode, problem }: RipgrepEnd,
  argv: readonly string[],
  where: Where,
): Promise<readonly string[]> {
  if (exitCode !== 2) return [];
  const onNothing = { ...where, argv: [...argv, "--", "-"], separator: "\n", onRecord: () => true } as const;
  const { exitCode: again } = await runRipgrep(onNothing);
  if (again === 2)
    throw new ToolFailure(`${tool}: ${problem}\nNothing was searched. Correct the pattern or the glob.`);
  return [`[Not everything could be searched: ${oneLine(problem, 300)}]`];
}
