/** Options shared by the commands that run an agent: its model, mode, folder and history. */
import { Option } from "commander";
import type { Command } from "commander";
import type { Mode } from "../../policy/index.js";
import type { LogFlags } from "../open-log.js";
import { atLeastOne, collected } from "./values.js";

export type AgentFlags = LogFlags & {
  readonly script?: string;
  readonly ledger?: string;
  readonly cwd?: string;
  readonly sandbox?: boolean;
  readonly undoCommands?: "contained" | "writing" | "never";
  readonly contain?: boolean;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly contextWindow?: number;
  readonly loopLimit?: number;
  readonly mode?: string;
  readonly mcp?: readonly string[];
};

/** For commands that drive agents of others. */
export function onBreachOption(): Option {
  return new Option(
    "--on-breach <what>",
    "what to do when the agent runs a call that the rules deny: mark the call,\nor end the agent too (default: onBreach of config.json, or mark)",
  ).choices(["mark", "end"]);
}

export const MODES = ["ask", "accept-edits", "read-only", "allow-all"] as const satisfies readonly Mode[];

export function agentOptions(command: Command): Command {
  return command
    .option(
      "--model <name>",
      "anthropic/…, openai/…, google/… or openai-compatible/…\n(default: TOOLGATE_MODEL, else model of config.json, else a script)",
    )
    .option("--base-url <url>", "send the model's requests here instead of to its provider's address")
    .option(
      "--context-window <tokens>",
      "the size of the model's window in tokens (default: from Toolgate's table,\nor from the model's refusal of a longer prompt)",
      atLeastOne,
    )
    .addOption(
      new Option(
        "--mode <mode>",
        "what to do with calls that no rule covers (default: the mode of rules.json)",
      ).choices(MODES),
    )
    .option(
      "--mcp <file>",
      "a file of MCP servers, beside mcp.json of your settings; may be repeated",
      collected,
    )
    .option(
      "--loop-limit <times>",
      "ask when the same call is made more often than this (default: 5)",
      atLeastOne,
    )
    .addOption(
      new Option("--script <file>", "play this model script instead of the built-in one").conflicts("model"),
    )
    .option(
      "--ledger <address>",
      "store sessions there: a file, postgres://…, or memory: (default: in your state folder)",
    )
    .option(
      "--log <file>",
      "write a log there, as JSON, one record a line; - is stderr.\nTOOLGATE_LOG=debug, info, warn or error sets the level",
    )
    .option("--cwd <folder>", "the folder to work in (default: this one)")
    .option(
      "--sandbox",
      "run all commands in the sandbox (bubblewrap): they change nothing outside\nof the folder, see no secrets, and have no network unless a rule allows a host",
    )
    .option(
      "--no-contain",
      "ask about commands instead of running them unasked in the sandbox\n(default: contained of config.json)",
    )
    .addOption(
      new Option(
        "--undo-commands <which>",
        "which commands can be undone: all that may write, only contained ones, or none\n(default: undoCommands of config.json, or writing)",
      ).choices(["writing", "contained", "never"]),
    );
}
