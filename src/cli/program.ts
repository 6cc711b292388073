/** The command line: which commands there are, their options and their help. Nothing starts before it is understood. */
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import type { Mode } from "../policy/index.js";
import { completionScript, SHELLS } from "./completion.js";
import type { Shell } from "./completion.js";
import { packageVersion } from "./package-version.js";
import type { RulesTestFlags } from "./rules-test.js";

export function createProgram(): Command {
  const program = new Command("toolgate")
    .description(
      "The tool-call layer for AI agents: every action an agent takes is announced,\nchecked, run, reported and remembered by one state machine.",
    )
    .version(packageVersion(), "--version", "show the version")
    .helpOption("-h, --help", "show this text")
    .helpCommand(false)
    .showHelpAfterError("Nothing was done. Try: toolgate --help")
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
  program.addHelpText("after", EXAMPLES);

  program
    .command("demo", { isDefault: true })
    .description(
      "watch an agent find and fix a failing test in a sample project;\nit needs no key, and asks before it edits",
    )
    .option("-y, --yes", "answer the question with yes, for when nobody watches")
    .option("--pause <milliseconds>", "how long the scripted model takes for a word", milliseconds)
    .action(async (options: { yes?: boolean; pause?: number }) => {
      const { runDemo } = await import("./demo.js");
      process.exitCode = await runDemo(options);
    });

  agentOptions(program.command("run").argument("[prompt...]", "what the agent should do"))
    .description(
      "run one turn in this folder, with live calls as text;\nwithout a terminal nobody can be asked, so what would be asked is refused",
    )
    .option("--json", "write session events as JSON, one a line")
    .option(
      "--resume [session]",
      "go on with a session: the newest of this folder, or the one of this id;\nwithout a prompt, with the turn that was left",
    )
    .addHelpText("after", RUN_EXAMPLES)
    .action(async (words: string[], options: RunFlags, command: Command) => {
      // `--resume "and now"`: what is no session's id is what the agent should do.
      const { resume } = options;
      const isPrompt = typeof resume === "string" && !/^session_[\w-]*$/.test(resume);
      const prompt = [...(isPrompt ? [resume] : []), ...words].join(" ").trim();
      if (prompt === "" && resume === undefined)
        command.error("error: missing required argument 'prompt': say what the agent should do");
      const { runPrompt } = await import("./run.js");
      process.exitCode = await runPrompt(prompt, isPrompt ? { ...options, resume: true } : options);
    });

  agentOptions(program.command("acp"))
    .description("serve editors (Zed, JetBrains, Neovim, Emacs) over ACP on stdin and stdout")
    .action(async (options: AgentFlags) => {
      const { serveEditor } = await import("./acp.js");
      await serveEditor(options);
    });

  agentOptions(program.command("serve"))
    .description("serve apps over HTTP: the Agent Application Protocol (AAP v3)")
    .option("--port <number>", "the port to listen on; 0 for any free one", port, 4320)
    .option("--host <address>", "the address to listen on", "127.0.0.1")
    .action(async (options: ServeFlags) => {
      const { serveApps } = await import("./serve.js");
      await serveApps(options);
    });
  addRulesCommands(program);
  addHistoryCommands(program);
  program
    .command("undo")
    .argument("<call>", "the call's id, as the history shows it")
    .description("put back the files that a call changed, if they have not changed since")
    .option("--session <id>", "the session of the call (default: the newest of this folder)")
    .option("--ledger <file>", "where sessions are remembered (default: in your state folder)")
    .option("--cwd <folder>", "the workspace (default: this folder)")
    .option("--json", "answer as JSON")
    .addHelpText("after", "\nExample:\n  toolgate undo call_3")
    .action(async (call: string, options: UndoFlags) => {
      const { undo } = await import("./undo.js");
      process.exitCode = await undo(call, options);
    });
  program
    .command("config")
    .description("show what holds in this folder, and from where")
    .option("--cwd <folder>", "the workspace (default: this folder)")
    .option("--json", "answer as JSON")
    .action(async (options: { cwd?: string; json?: boolean }) => {
      const { showConfig } = await import("./config.js");
      process.exitCode = showConfig(options);
    });
  program
    .command("completion")
    .addArgument(new Argument("<shell>", "your shell").choices(SHELLS))
    .description("print a script that lets your shell complete commands and options")
    .addHelpText("after", "\nExample:\n  toolgate completion bash >> ~/.bashrc")
    .action((shell: Shell) => void process.stdout.write(completionScript(shell, program)));
  return program;
}

const commands = () => import("./rules.js");

function addRulesCommands(program: Command): void {
  const rules = program
    .command("rules")
    .description("see, try, remember and take back rules")
    .helpCommand(false);
  rules
    .command("list")
    .description("show the rules in force here, where each comes from, and what is remembered")
    .action(async () => {
      process.exitCode = (await commands()).listRules(process.cwd());
    });
  rules
    .command("add")
    .argument("<rule>", 'as JSON: {"allow":"execute","command":"npm test"}')
    .description("remember a rule for this project")
    .option("--user", "for every project")
    .action(async (json: string, { user = false }: { user?: boolean }) => {
      process.exitCode = await (await commands()).addRule(json, { user, cwd: process.cwd() });
    });
  rules
    .command("revoke")
    .argument("<id>", "as `rules list` shows it")
    .description("take back what is remembered")
    .action(async (grantId: string) => {
      process.exitCode = await (await commands()).revokeRule(grantId);
    });
  rules
    .command("check")
    .argument("<file>", "a file of rules")
    .description("look for mistakes in a file of rules, its examples included")
    .action(async (file: string) => {
      process.exitCode = await (await commands()).checkRules(file);
    });
  rules
    .command("import")
    .argument("<file>", "fast-agent's auths.md")
    .description("remember fast-agent's permissions for this project")
    .action(async (file: string) => {
      process.exitCode = await (await commands()).importRules(file, process.cwd());
    });
  rules
    .command("trust")
    .description("let .toolgate/rules.json of this project allow, as it is now")
    .action(async () => {
      process.exitCode = await (await commands()).trustRules(process.cwd());
    });
  rules
    .command("test")
    .description(
      "say what rules make of a command, a path or a URL, and what was seen;\nput the command after --",
    )
    .argument("[command...]", "one shell text, or the words of a command")
    .option("--rules <file>", "a file of rules (default: those in force here)")
    .option("--cwd <folder>", "the workspace (default: this folder)")
    .option("--read <path>", "reading this file")
    .option("--write <path>", "writing this file")
    .option("--delete <path>", "deleting this file")
    .option("--url <url>", "asking for this address")
    .option("--tool <name>", "calling this tool")
    .option("--input <json>", "the tool's input")
    .option("--json", "answer as JSON")
    .option("--batch", "read cases from stdin as JSON, one a line, and answer one a line")
    .action(async (words: string[], options: RulesTestFlags) => {
      const { testRules } = await import("./rules-test.js");
      process.exitCode = await testRules(words, options);
    });
}

const pasts = () => import("./history.js");

function addHistoryCommands(program: Command): void {
  const history = program
    .command("history")
    .description("see, search, export, check and forget what was done")
    .helpCommand(false);
  const quiet = (name: string) =>
    history
      .command(name)
      .option("--ledger <file>", "where sessions are remembered (default: in your state folder)");
  const add = (name: string) => quiet(name).option("--json", "answer as JSON");
  add("list")
    .description("the sessions, the newest first")
    .option("--cwd <folder>", "only those of this folder")
    .option("--limit <number>", "how many (default: 20)", whole)
    .action(async (options) => void (process.exitCode = await (await pasts()).listSessions(options)));
  add("show")
    .argument("[session]", "its id, or the beginning of it (default: the newest of this folder)")
    .description("a session as it happened, with the ids of its calls; secrets are taken out")
    .option("--secrets", "as it was recorded, secrets included")
    .action(
      async (id: string | undefined, options) =>
        void (process.exitCode = await (await pasts()).showSession(id, options)),
    );
  add("search")
    .argument("<words...>", 'all must be there; "a phrase" and begin* work')
    .description("find what was said, done and printed; secrets are not in the index")
    .option("--tool <name>", "only calls of this tool")
    .option("--kind <kind>", "only calls of this kind")
    .option("--limit <number>", "how many (default: 20)", whole)
    .addHelpText("after", "\nExample:\n  toolgate history search npm test --tool terminal")
    .action(
      async (words: string[], options) =>
        void (process.exitCode = await (await pasts()).searchHistory(words, options)),
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
        void (process.exitCode = await (await pasts()).exportHistory(id, options)),
    );
  add("verify")
    .description("check that what was recorded has not been changed since")
    .action(async (options) => void (process.exitCode = await (await pasts()).verifyHistory(options)));
  add("delete")
    .argument("[sessions...]", "their ids")
    .description("forget sessions, with the files that they kept for an undo")
    .option("--older-than <days>", "also those that were last written longer ago", whole)
    .option("--keep-last <number>", "but not the newest ones", whole)
    .action(async (ids: string[], options, command: Command) => {
      if (ids.length === 0 && options.olderThan === undefined)
        command.error("error: say which: ids of sessions, or --older-than");
      process.exitCode = await (await pasts()).deleteHistory(ids, options);
    });
  program
    .command("stats")
    .description("how often tools were called, how it ended, who decided, and how long it took")
    .addOption(
      new Option("--by <what>", "one line for each")
        .choices(["tool", "kind", "agent", "day", "rule"])
        .default("tool"),
    )
    .option("--days <number>", "only the last days", whole)
    .option("--cwd <folder>", "only sessions of this folder")
    .option("--ledger <file>", "where sessions are remembered (default: in your state folder)")
    .option("--json", "answer as JSON")
    .action(async (options) => {
      const { showStats } = await import("./stats.js");
      process.exitCode = await showStats(options);
    });
}

/** What the commands that run an agent have in common. */
export type AgentFlags = {
  readonly script?: string;
  readonly ledger?: string;
  readonly cwd?: string;
  readonly sandbox?: boolean;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly mode?: string;
  readonly mcp?: readonly string[];
};
export type RunFlags = AgentFlags & { readonly json?: boolean; readonly resume?: string | true };
export type UndoFlags = {
  readonly session?: string;
  readonly ledger?: string;
  readonly cwd?: string;
  readonly json?: boolean;
};
export type ServeFlags = AgentFlags & { readonly port: number; readonly host: string };

const MODES = ["ask", "accept-edits", "read-only", "allow-all"] as const satisfies readonly Mode[];

function agentOptions(command: Command): Command {
  return command
    .option("--model <name>", "anthropic/…, openai/…, google/… or openai-compatible/… (default: a script)")
    .option("--base-url <url>", "where the model's provider is asked, if not at its own address")
    .addOption(
      new Option("--mode <mode>", "what holds beside your rules (default: as they say)").choices(MODES),
    )
    .option(
      "--mcp <file>",
      "a file of MCP servers, beside mcp.json of your settings; may be given again",
      collected,
    )
    .option("--script <file>", "play this model script instead of the built-in one")
    .option("--ledger <file>", "remember sessions in this file (default: in your state folder)")
    .option("--cwd <folder>", "the folder to work in (default: this one)")
    .option(
      "--sandbox",
      "run commands under bubblewrap: they change nothing outside of the folder,\nand have no network unless a rule allows a host",
    );
}

const collected = (file: string, before: readonly string[] = []): readonly string[] => [...before, file];

function whole(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new InvalidArgumentError("It is a whole number.");
  return value;
}

function milliseconds(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 10_000)
    throw new InvalidArgumentError("It is a whole number from 0 to 10000.");
  return value;
}

function port(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535)
    throw new InvalidArgumentError("It is a whole number from 0 to 65535.");
  return value;
}

const RUN_EXAMPLES = `
Examples:
  toolgate run "fix the failing test"
  toolgate run --resume "and now the other one"
  toolgate run --resume                        answer what the last turn asked
  toolgate run --json "look around" | jq .type

It exits with 0 when the turn came to its end, 130 when it was cancelled, 1 otherwise, 2 when it was not understood.`;

const EXAMPLES = `
Examples:
  toolgate                                    the demo
  toolgate run "look around"                  one turn of the scripted agent, here
  toolgate run --script fix.json "fix it"     the same with a script of yours
  toolgate acp                                the command for your editor's settings
  TOOLGATE_API_KEY=... toolgate serve         apps connect to http://127.0.0.1:4320

Rules decide what is asked and what is let through. They do not isolate what then runs.`;
