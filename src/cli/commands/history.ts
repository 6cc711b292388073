/** The command line of `toolgate history …`. */
import { Option } from "commander";
import type { Command } from "commander";
import { optionNeeds } from "./option-needs.js";
import { pageSize, whole } from "./values.js";
import { SESSIONS_LEDGER } from "./ledger-option.js";

const commands = () => import("../history.js");

export function addHistoryCommands(program: Command): void {
  const history = program
    .command("history")
    .description("list, search, export, verify and delete recorded sessions")
    .helpCommand(false);
  const quiet = (name: string) => history.command(name).option(...SESSIONS_LEDGER);
  const add = (name: string) => quiet(name).option("--json", "print JSON");
  add("list")
    .description("the sessions, the newest first")
    .option("--cwd <folder>", "only those of this folder")
    .option("--limit <number>", "how many, up to 1000 (default: 20)", pageSize)
    .action(async (options) => void (process.exitCode = await (await commands()).listSessions(options)));
  add("show")
    .argument("[session]", "its id, or the beginning of it (default: the newest of this folder)")
    .description("a session as it happened, with the ids of its calls; secrets are taken out")
    .option("--secrets", "as it was recorded, secrets included")
    .action(
      async (id: string | undefined, options) =>
        void (process.exitCode = await (await commands()).showSession(id, options)),
    );
  add("search")
    .argument("<words...>", 'all must be there; "a phrase" and begin* work')
    .description("search messages, calls and output; secrets are not in the index")
    .option("--tool <name>", "only calls of this tool")
    .option("--kind <kind>", "only calls of this kind")
    .option("--limit <number>", "how many, up to 1000 (default: 20)", pageSize)
    .action(
      async (words: string[], options) =>
        void (process.exitCode = await (await commands()).searchHistory(words, options)),
    );
  quiet("export")
    .argument("[session]", "its id, or the beginning of it (default: the newest of this folder)")
    .description("write a session out; secrets are taken out unless you ask for them")
    .addOption(
      new Option("--format <format>", "as what")
        .choices(["text", "markdown", "ndjson", "csv"])
        .default("text"),
    )
    .option("--secrets", "as it was recorded, secrets included")
    .action(
      async (id: string | undefined, options) =>
        void (process.exitCode = await (await commands()).exportHistory(id, options)),
    );
  add("verify")
    .description("check that what was recorded has not been changed since")
    .action(async (options) => void (process.exitCode = await (await commands()).verifyHistory(options)));
  const forget = add("delete")
    .argument("[sessions...]", "their ids")
    .description("delete sessions, with the files that were kept for undo")
    .option("--older-than <days>", "also delete sessions last written longer ago than this", whole)
    .option("--keep-last <number>", "but keep the newest ones", whole)
    .action(async (ids: string[], options, command: Command) => {
      if (ids.length === 0 && options.olderThan === undefined)
        command.error("error: name sessions by their ids, or use --older-than");
      process.exitCode = await (await commands()).deleteHistory(ids, options);
    });
  // A session that is named is deleted at any age.
  optionNeeds(forget, ["--keep-last"], ["--older-than"]);
}
