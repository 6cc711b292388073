/**
 * `toolgate rules describe`: drafts a description of a program from its `--help`, for a person to check. To ask for
 * help is to run the program: without a shell, a terminal or input, in an empty folder, for a bounded time.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { visibleText } from "../call/index.js";
import { draftProgram } from "../policy/programs/draft-program.js";
import type { ProgramDraft } from "../policy/programs/draft-program.js";
import { findProgram } from "../policy/programs/known-programs.js";
import { programMistake } from "../policy/programs/program-mistake.js";
import { collectOutput } from "../process/index.js";
import { settingsFolder } from "../settings/index.js";
import { note } from "./stderr.js";

const HELP_TIMEOUT_MS = 10_000;

export async function describeProgram(
  words: readonly string[],
  { write = false }: { readonly write?: boolean },
): Promise<number> {
  const [program = ""] = words;
  if (!words.every((word) => /^[\w@.+/-]+$/.test(word) && !word.startsWith("-")))
    return trouble("That is not a program and its subcommands. Nothing was run.");
  if (findProgram(program))
    note(
      `Toolgate describes ${program} already: your description adds to that one, and a doubt in either counts.`,
    );
  note(
    `running ${words.join(" ")} --help, which is running ${program}: no shell, no terminal, no input, at most ${HELP_TIMEOUT_MS / 1_000} s.`,
  );
  const help = await helpOf(words);
  if (help === undefined) return trouble(`${program} could not be started. Nothing was written.`);
  const draft = draftProgram(words, help);
  const mistake = programMistake(draft.file);
  if (mistake !== undefined || (draft.options === 0 && draft.subcommands.length === 0))
    return trouble(
      `${words.join(" ")} --help printed nothing that reads as options or subcommands. Nothing was written; docs/programs.md shows how to write a description.`,
    );
  const text = `${JSON.stringify(draft.file, undefined, 2)}\n`;
  process.stdout.write(visibleText(text, { keepNewlines: true }));
  noteDraft(draft);
  return write ? writeDraft(words, text) : hintAtWriting(words);
}

async function helpOf(words: readonly string[]): Promise<string | undefined> {
  const [program = "", ...rest] = words;
  const empty = mkdtempSync(join(tmpdir(), "toolgate-help-"));
  try {
    // A program of the folder is called by a path; any other must not find settings of the folder.
    const cwd = program.includes("/") ? process.cwd() : empty;
    const { stdout, stderr } = await collectOutput([program, ...rest, "--help"], {
      cwd,
      env: quietEnvironment(empty),
      timeoutMs: HELP_TIMEOUT_MS,
    });
    const text = stdout.toString();
    return text.trim() === "" ? stderr : text;
  } catch {
    return undefined;
  } finally {
    rmSync(empty, { recursive: true, force: true });
  }
}

/** No keys, no pager, no colours, and a home without settings. */
const quietEnvironment = (home: string): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  HOME: home,
  LANG: "C.UTF-8",
  TERM: "dumb",
  NO_COLOR: "1",
  COLUMNS: "160",
  PAGER: "cat",
  MANPAGER: "cat",
  GIT_PAGER: "cat",
  CI: "true",
});

function noteDraft({ options, doubtful, subcommands, unread }: ProgramDraft): void {
  note(
    visibleText(
      `a draft to check: ${options} options, ${doubtful.length === 0 ? "none" : doubtful.join(" ")} in doubt; ${subcommands.length} subcommands. Whatever it does not mention stays in doubt.`,
    ),
  );
  note(
    "check which options write (edits) or fetch, and whether it runs code or edits below its folder (does).",
  );
  for (const line of unread.slice(0, MAX_UNREAD)) note(visibleText(`not understood: ${line.slice(0, 120)}`));
}

const MAX_UNREAD = 10;

function writeDraft(words: readonly string[], text: string): number {
  const folder = join(settingsFolder(), "programs");
  const file = join(folder, `${words.join("-").replaceAll(/[^\w.+-]/g, "_")}.json`);
  if (existsSync(file)) return trouble(`${file} exists. Nothing was written; remove it first, or edit it.`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(file, text, { mode: 0o600, flag: "wx" });
  note(`${file} is written and in force from now on. Check it; remove the file to take it back.`);
  return 0;
}

function hintAtWriting(words: readonly string[]): number {
  note(`Nothing was written. To keep it: toolgate rules describe --write ${words.join(" ")}`);
  return 0;
}

function trouble(text: string): number {
  note(visibleText(text));
  return 1;
}
