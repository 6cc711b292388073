/** The command line of `toolgate run`: one turn of our own agent, of an ACP agent, or of one that a server offers. */
import { Option } from "commander";
import type { Command } from "commander";
import { agentOptions, onBreachOption } from "./agent-options.js";
import type { OnBreach } from "../../acp/index.js";
import type { AgentFlags } from "./agent-options.js";
import { logged } from "./logged.js";
import { optionNeeds } from "./option-needs.js";
import { collected } from "./values.js";

export type RunFlags = AgentFlags & {
  readonly json?: boolean;
  readonly resume?: string | true;
  readonly agent?: string;
  readonly auth?: string;
  readonly onBreach?: OnBreach;
  readonly url?: string;
  readonly tokenFile?: string;
  readonly trust?: readonly string[];
  readonly insecureUrl?: boolean;
};

export function addRunCommand(program: Command): void {
  const run = agentOptions(program.command("run").argument("[prompt...]", "what the agent should do"))
    .description(
      "run one turn in this folder and show its calls as text while they run;\nwithout a terminal nobody can approve, so calls that need approval are refused",
    )
    .option("--json", "write session events as JSON, one a line")
    .addOption(
      new Option(
        "--agent <command>",
        "drive this ACP agent instead of our own; the command is read without a shell.\nWith --url, the name of the server's agent (default: its first)",
      ).conflicts(["model", "baseUrl", "contextWindow", "script", "mcp"]),
    )
    .option("--auth <method>", "how to sign in to that agent, if it asks")
    .addOption(onBreachOption())
    .addOption(
      new Option("--url <url>", "use an agent that a server offers over AAP, at this address").conflicts([
        "model",
        "baseUrl",
        "contextWindow",
        "loopLimit",
        "script",
        "mcp",
        "mode",
        "ledger",
        "cwd",
        "sandbox",
        "auth",
        "onBreach",
      ]),
    )
    .option(
      "--token-file <file>",
      "where the server's token is, if not in TOOLGATE_TOKEN\nor, for a server on this machine, where it was made",
    )
    .option(
      "--trust <tool>",
      "let the server run this tool of its own without asking; may be repeated",
      collected,
    )
    .option(
      "--insecure-url",
      "send the token without TLS beyond this machine: anyone on the network\npath can read it",
    )
    .option(
      "--resume [session]",
      "resume a session: the newest of this folder, or the one\nwhose id starts with this; without a prompt, resume the\nturn that stopped",
    )
    .action(async (words: string[], options: RunFlags, command: Command) => {
      const { prompt, flags } = promptAndFlags(words, options);
      if (prompt === "" && flags.resume === undefined)
        command.error("error: missing required argument 'prompt': say what the agent should do");
      refuseChangesOnResume(command, flags);
      await logged(flags, async () => {
        const { runPrompt } = await import("../run.js");
        process.exitCode = await runPrompt(prompt, flags);
      });
    });
  // A resumed session has its model already, unless a script replaces it.
  run.options.find(({ long }) => long === "--script")?.conflicts("baseUrl");
  optionNeeds(run, ["--base-url"], ["--model", "--resume"]);
  optionNeeds(run, ["--auth", "--on-breach"], ["--agent"]);
  optionNeeds(run, ["--token-file", "--trust", "--insecure-url"], ["--url"]);
}

/**
 * `--resume "and now the other one"`: several words are a prompt, not a session id. One word is an id: a mistyped id must
 * not be sent to the newest session as a prompt. Other servers may use any text as an id.
 */
function promptAndFlags(words: readonly string[], options: RunFlags) {
  const { resume, url } = options;
  const isPrompt = typeof resume === "string" && url === undefined && !/^\S+$/.test(resume.trim());
  const prompt = [...(isPrompt ? [resume] : []), ...words].join(" ").trim();
  return { prompt, flags: isPrompt ? { ...options, resume: true as const } : options };
}

/** A session on a server keeps the agent and the trusted tools that it was started with. */
function refuseChangesOnResume(command: Command, { url, resume, agent, trust }: RunFlags): void {
  if (url === undefined || resume === undefined) return;
  const [option] = [...(agent === undefined ? [] : ["--agent"]), ...(trust ? ["--trust"] : [])];
  if (option !== undefined)
    command.error(
      `error: option '${option}' cannot be used with options '--url' and '--resume': the session has its own already`,
    );
}
