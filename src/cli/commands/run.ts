/** The command lines of `toolgate run` (one turn) and `toolgate chat` (a conversation). */
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
  const run = talkOptions(program.command("run").argument("[prompt...]", "what the agent should do"))
    .description(
      "run one turn in this folder and show its calls as text while they run;\nwithout a terminal nobody can approve, so calls that need approval are refused.\nWithout a prompt, run reads it from stdin, or starts a conversation in a terminal",
    )
    .option("--json", "write session events as JSON, one a line")
    .action(async (words: string[], options: RunFlags, command: Command) => {
      const { prompt: given, flags } = promptAndFlags(words, options);
      refuseChangesOnResume(command, flags);
      const isPiped = given === "" && flags.resume === undefined && !process.stdin.isTTY;
      const prompt = isPiped ? await stdinText() : given;
      if (prompt === "" && flags.resume === undefined) {
        if (process.stdin.isTTY && process.stdout.isTTY && flags.json !== true) return startChat(flags, "");
        command.error("error: missing required argument 'prompt': say what the agent should do");
      }
      await logged(flags, async () => {
        const { runPrompt } = await import("../run.js");
        const release =
          isPiped && flags.json !== true && (await import("../answer-at-terminal.js")).answerAtTerminal();
        try {
          process.exitCode = await runPrompt(prompt, flags);
        } finally {
          if (release) release();
        }
      });
    });
  addNeeds(run);
}

export function addChatCommand(program: Command): void {
  const chat = talkOptions(program.command("chat").argument("[prompt...]", "the first message"))
    .description("talk with the agent in this folder: a conversation that stays open and shows each call")
    .action(async (words: string[], options: RunFlags, command: Command) => {
      const { prompt, flags } = promptAndFlags(words, options);
      refuseChangesOnResume(command, flags);
      if (!process.stdin.isTTY || !process.stdout.isTTY)
        command.error('error: a conversation needs a terminal; without one, use: toolgate run "…"');
      await startChat(flags, prompt);
    });
  addNeeds(chat);
}

const startChat = (flags: RunFlags, first: string): Promise<void> =>
  logged(flags, async () => {
    const { startChat: start } = await import("../start-chat.js");
    process.exitCode = await start(flags, first);
  });

async function stdinText(): Promise<string> {
  let text = "";
  for await (const piece of process.stdin.setEncoding("utf8")) text += piece;
  return text.trim();
}

function addNeeds(command: Command): void {
  // A resumed session has its model already, unless a script replaces it.
  command.options.find(({ long }) => long === "--script")?.conflicts("baseUrl");
  optionNeeds(command, ["--base-url"], ["--model", "--resume"]);
  optionNeeds(command, ["--auth", "--on-breach"], ["--agent"]);
  optionNeeds(command, ["--token-file", "--trust", "--insecure-url"], ["--url"]);
}

/** The options of the commands that talk with an agent: our own, an ACP agent, or one that a server offers. */
function talkOptions(command: Command): Command {
  return agentOptions(command)
    .addOption(
      new Option(
        "--agent <command>",
        "drive this ACP agent instead of our own; the command is read without a shell.\nWith --url, the name of the server's agent (default: its first)",
      ).conflicts(["model", "baseUrl", "contextWindow", "script", "mcp"]),
    )
    .option("--auth <method>", "how to log in to the agent, if it requires that")
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
      "the file with the server's token (default: TOOLGATE_TOKEN,\nor the token of a server on this machine)",
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
    );
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
