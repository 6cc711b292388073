/**
 * The command line: which commands there are, in the order in which the help names them. What each is told with stands
 * in commands/, one file for each. Nothing starts before it is understood.
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
import { addMcpCommands } from "./commands/mcp.js";
import { addRulesCommands } from "./commands/rules.js";
import { addRunCommand } from "./commands/run.js";
import { addServeCommand } from "./commands/serve.js";
import { addStatsCommand } from "./commands/stats.js";
import { addUndoCommand } from "./commands/undo.js";
import { addExamples } from "./examples.js";
import { packageVersion } from "./package-version.js";

/** `isDemoUsual`: the demo is what runs without a command; it would take one that is misspelled for a word of its own. */
export function createProgram({ isDemoUsual = true } = {}): Command {
  const program = withoutCommands();
  addDemoCommand(program, { isDefault: isDemoUsual });
  addRunCommand(program);
  addAcpCommand(program);
  addServeCommand(program);
  addConformanceCommand(program);
  addRulesCommands(program);
  addMcpCommands(program);
  addHistoryCommands(program);
  addStatsCommand(program);
  addUndoCommand(program);
  addConfigCommand(program);
  addCompletionCommand(program);
  nameOwnHelp(program, "toolgate");
  addExamples(program);
  return program;
}

function withoutCommands(): Command {
  return (
    new Command("toolgate")
      .description(
        "The tool-call layer for AI agents: every action an agent takes is announced,\nchecked, run, reported and remembered by one state machine.",
      )
      .version(packageVersion(), "--version", "show the version")
      .helpOption("-h, --help", "show this text")
      .helpCommand(false)
      // It repeats words that it was given.
      .configureOutput({
        outputError: (text, write) => write(visibleText(text, { keepNewlines: true })),
      })
      .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  );
}

/** The flags of `toolgate acp`, without starting it. An editor waits, so none of the other commands is made for it. */
export async function readAcpFlags(argv: readonly string[]): Promise<AcpFlags> {
  const program = withoutCommands();
  addAcpCommand(program);
  nameOwnHelp(program, "toolgate");
  return new Promise((resolve, reject) => {
    program.commands.find((command) => command.name() === "acp")?.action(resolve);
    program.parseAsync([...argv]).catch(reject);
  });
}

/** What was not understood is explained by the help of the very command that it was said to. */
function nameOwnHelp(command: Command, words: string): void {
  command.showHelpAfterError(`Nothing was done. Try: ${words} --help`);
  for (const one of command.commands) nameOwnHelp(one, `${words} ${one.name()}`);
}
