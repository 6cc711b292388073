/**
 * The command line: all commands, in the order of the help. The options of each are in commands/, one file for each.
 * Nothing starts before the command line was parsed without an error.
 */
import { Command } from "commander";
import { visibleText } from "../call/index.js";
import { addAcpCommand } from "./commands/acp.js";
import type { AcpFlags } from "./commands/acp.js";
import { addCompletionCommand } from "./commands/completion.js";
import { addConfigCommand } from "./commands/config.js";
import { addConformanceCommand } from "./commands/conformance.js";
import { addDemoCommand } from "./commands/demo.js";
import { addHistoryCommands } from "./commands/history.js";
import { addLedgerCommands } from "./commands/ledger.js";
import { addMcpCommands } from "./commands/mcp.js";
import { addModelsCommand } from "./commands/models.js";
import { addPairCommand } from "./commands/pair.js";
import { addRulesCommands } from "./commands/rules.js";
import { addChatCommand, addRunCommand } from "./commands/run.js";
import { addPageCommand, addServeCommand } from "./commands/serve.js";
import { addStatsCommand } from "./commands/stats.js";
import { addPsCommand } from "./commands/ps.js";
import { addStopCommand } from "./commands/stop.js";
import { addUndoCommand } from "./commands/undo.js";
import { addExamples } from "./add-examples.js";
import { packageVersion } from "./package-version.js";

/** `isPageDefault`: the page opens without a command. Off when a command was typed: it would take a misspelled one as its argument. */
export function createProgram({ isPageDefault = true } = {}): Command {
  const program = withoutCommands();
  addPageCommand(program, { isDefault: isPageDefault });
  addDemoCommand(program);
  addChatCommand(program);
  addRunCommand(program);
  addAcpCommand(program);
  addServeCommand(program);
  addPairCommand(program);
  addConformanceCommand(program);
  addRulesCommands(program);
  addMcpCommands(program);
  addModelsCommand(program);
  addHistoryCommands(program);
  addLedgerCommands(program);
  addStatsCommand(program);
  addUndoCommand(program);
  addPsCommand(program);
  addStopCommand(program);
  addConfigCommand(program);
  addCompletionCommand(program);
  addOwnHelpHint(program, "toolgate");
  addExamples(program);
  return program;
}

function withoutCommands(): Command {
  return (
    new Command("toolgate")
      .description(
        "The tool-call layer for AI agents: every action an agent takes is announced,\nchecked, run, reported and remembered by one state machine.",
      )
      .version(packageVersion(), "-v, --version", "show the version")
      .helpOption("-h, --help", "show this text")
      .helpCommand(false)
      // The error text quotes the user's input.
      .configureOutput({
        outputError: (text, write) => write(visibleText(text, { keepNewlines: true })),
      })
      .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  );
}

/** Parses the flags of `toolgate acp` without starting it. An editor waits, so the other commands are not created. */
export async function readAcpFlags(argv: readonly string[]): Promise<AcpFlags> {
  const program = withoutCommands();
  addAcpCommand(program);
  addOwnHelpHint(program, "toolgate");
  return new Promise((resolve, reject) => {
    program.commands.find((command) => command.name() === "acp")?.action(resolve);
    program.parseAsync([...argv]).catch(reject);
  });
}

/** A usage error names the help of its own command. */
function addOwnHelpHint(command: Command, words: string): void {
  command.showHelpAfterError(`Nothing was done. Try: ${words} --help`);
  for (const one of command.commands) addOwnHelpHint(one, `${words} ${one.name()}`);
}
