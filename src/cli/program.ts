/** The command line: which commands there are, their options and their help. Nothing starts before it is understood. */
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import type { Mode } from "../policy/index.js";
import { addExamples } from "./examples.js";
import { completionScript, SHELLS } from "./completion.js";
import type { Shell } from "./completion.js";
import type { LogFlags } from "./open-log.js";
import { packageVersion } from "./package-version.js";
import type { ConformanceFlags } from "./conformance.js";
import type { RulesTestFlags } from "./rules-test.js";

export function createProgram(): Command {
  const program = new Command("toolgate")
    .description(
      "The tool-call layer for AI agents: every action an agent takes is announced,\nchecked, run, reported and remembered by one state machine.",
    )
    .version(packageVersion(), "--version", "show the version")
    .helpOption("-h, --help", "show this text")
    .helpCommand(false)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));

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
    .addOption(
      new Option(
        "--agent <command>",
        "drive this ACP agent instead of our own; the command is read without a shell.\nWith --url, the name of the server's agent (default: its first)",
      ).conflicts(["model", "baseUrl", "script", "mcp"]),
    )
    .option("--auth <method>", "how to sign in to that agent, where it asks for it")
    .addOption(
      new Option("--url <url>", "use an agent that a server offers over AAP, at this address").conflicts([
        "model",
        "baseUrl",
        "script",
        "mcp",
        "mode",
        "ledger",
        "cwd",
        "sandbox",
        "auth",
      ]),
    )
    .option(
      "--token-file <file>",
      "where the server's token is, if not in TOOLGATE_TOKEN\nor, for a server on this machine, where it was made",
    )
    .option(
      "--trust <tool>",
      "let the server run this tool of its own unasked; may be given again",
      collected,
    )
    .option(
      "--insecure-url",
      "send the token without TLS beyond this machine: whoever is on the way can read it",
    )
    .option(
      "--resume [session]",
      "go on with a session: the newest of this folder, or the one of this id;\nwithout a prompt, with the turn that was left",
    )
    .action(async (words: string[], options: RunFlags, command: Command) => {
      // `--resume "and now"`: what is no session's id is what the agent should do.
      const { resume } = options;
      // Other servers name their sessions as they like.
      const isPrompt =
        typeof resume === "string" && options.url === undefined && !/^session_[\w-]*$/.test(resume);
      const prompt = [...(isPrompt ? [resume] : []), ...words].join(" ").trim();
      if (prompt === "" && resume === undefined)
        command.error("error: missing required argument 'prompt': say what the agent should do");
      if (
        options.url === undefined &&
        (options.tokenFile ?? options.trust ?? options.insecureUrl) !== undefined
      )
        command.error("error: --token-file, --trust and --insecure-url are for a server, so --url is needed");
      await logged(options, async () => {
        const { runPrompt } = await import("./run.js");
        process.exitCode = await runPrompt(prompt, isPrompt ? { ...options, resume: true } : options);
      });
    });

  const acp = agentOptions(program.command("acp"))
    .description("serve editors (Zed, JetBrains, Neovim, Emacs) over ACP on stdin and stdout")
    .option("--models <names...>", "further models that the editor may choose from in a session")
    .option("--acp-v2", "speak the draft of ACP v2 to editors that ask for it")
    .option(
      "--listen <[host:]port>",
      "serve over HTTP and WebSocket instead, to whoever brings the token;\non this machine only, unless a host is named; port 0 is any free one",
      listenAddress,
    );
  doorOptions(acp).action(async (options: AcpFlags & (ListenFlags | { readonly listen?: never })) => {
    if (options.listen)
      return logged(options, async () => (await import("./acp-listen.js")).listenForEditors(options));
    const { serveEditor } = await import("./acp.js");
    await serveEditor(async () => options, { v2: options.acpV2 ?? false });
  });

  const serve = agentOptions(program.command("serve"))
    .description(
      "serve apps over HTTP, to whoever brings the token: the Agent Application\nProtocol (AAP v3)",
    )
    .option("--port <number>", "the port to listen on; 0 for any free one", port, 4320)
    .option("--host <address>", "the address to listen on", "127.0.0.1")
    .option(
      "--agent <name=command>",
      "serve this ACP agent too, under your rules; the command is read without\na shell; may be given again",
      variable,
    );
  doorOptions(serve).action(async (options: ServeFlags) => {
    await logged(options, async () => (await import("./serve.js")).serveApps(options));
  });
  addConformanceCommand(program);
  addRulesCommands(program);
  addMcpCommands(program);
  addHistoryCommands(program);
  program
    .command("undo")
    .argument("<call>", "the call's id, as the history shows it")
    .description("put back the files that a call changed, if they have not changed since")
    .option("--session <id>", "the session of the call (default: the newest of this folder)")
    .option("--ledger <file>", "where sessions are remembered (default: in your state folder)")
    .option("--cwd <folder>", "the workspace (default: this folder)")
    .option("--json", "answer as JSON")
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
    .action((shell: Shell) => void process.stdout.write(completionScript(shell, program)));
  nameOwnHelp(program, "toolgate");
  addExamples(program);
  return program;
}

/** Whoever asked for a log finds there what a command failed with. Settings with a mistake start nothing at all. */
async function logged(flags: LogFlags, run: () => Promise<void>): Promise<void> {
  const [{ logFailure, openLog }, { readRedaction }] = await Promise.all([
    import("./open-log.js"),
    import("./redaction.js"),
  ]);
  readRedaction();
  await openLog(flags);
  try {
    await run();
  } catch (error) {
    await logFailure(flags, error);
    throw error;
  }
}

/** The flags of `toolgate acp`, without starting it. */
export async function readAcpFlags(argv: readonly string[]): Promise<AcpFlags> {
  const program = createProgram();
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

function addConformanceCommand(program: Command): void {
  program
    .command("conformance")
    .argument("<command...>", "the agent's command; put it after --")
    .description("test any ACP agent: what it does right, what not, and what could not be tested")
    .addOption(new Option("--protocol <version>", "the version of ACP").choices(["1", "2"]).default("1"))
    .option("--only <ids...>", "only these requirements, or those that begin so: ACP-INIT")
    .option("--prompt <text>", "a prompt that makes the agent call tools and ask for permission")
    .option("--cancel-prompt <text>", "a prompt that lasts until it is cancelled")
    .option("--cwd <folder>", "the folder of the sessions (default: an empty one for each)")
    .option("--env <name=value>", "a variable for the agent; may be given again", variable)
    .option("--auth-method <id>", "log in by this method of the agent before each session")
    .option("--timeout <seconds>", "how long an answer may take, a whole turn included", seconds, 30)
    .option("--json", "answer as JSON")
    .action(async (words: string[], options: ConformanceFlags) => {
      const { checkConformance } = await import("./conformance.js");
      process.exitCode = await checkConformance(words, options);
    });
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

const servers = () => import("./mcp.js");

function addMcpCommands(program: Command): void {
  const mcp = program
    .command("mcp")
    .description("see and take back which MCP servers you have approved")
    .helpCommand(false);
  mcp
    .command("list")
    .description("the servers that may be started, and where")
    .option("--json", "answer as JSON")
    .action(async (options) => void (process.exitCode = (await servers()).listServers(options)));
  mcp
    .command("revoke")
    .argument("<name>", "as `mcp list` shows it")
    .description("ask again before this server is started here")
    .option("--cwd <folder>", "the project that it was approved for (default: this folder)")
    .option("--everywhere", "in every project")
    .action(
      async (name: string, options) =>
        void (process.exitCode = await (await servers()).revokeServer(name, options)),
    );
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
    .option("--limit <number>", "how many, up to 1000 (default: 20)", pageSize)
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
    .option("--limit <number>", "how many, up to 1000 (default: 20)", pageSize)
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
    .description(
      "how often tools were called, how it ended, who decided, and how long it took;\nby model: the tokens that were used, and what they cost where that is known",
    )
    .addOption(
      new Option("--by <what>", "one line for each")
        .choices(["tool", "kind", "agent", "day", "rule", "model"])
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
export type AgentFlags = LogFlags & {
  readonly script?: string;
  readonly ledger?: string;
  readonly cwd?: string;
  readonly sandbox?: boolean;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly mode?: string;
  readonly mcp?: readonly string[];
};
export type AcpFlags = AgentFlags & { readonly models?: readonly string[]; readonly acpV2?: boolean };
export type ListenFlags = DoorFlags & { readonly listen: { readonly host: string; readonly port: number } };
/** Who may connect to what serves over HTTP. */
export type DoorFlags = {
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly insecureListen?: boolean;
  readonly allowHost?: readonly string[];
  readonly allowOrigin?: readonly string[];
};
export type RunFlags = AgentFlags & {
  readonly json?: boolean;
  readonly resume?: string | true;
  readonly agent?: string;
  readonly auth?: string;
  readonly url?: string;
  readonly tokenFile?: string;
  readonly trust?: readonly string[];
  readonly insecureUrl?: boolean;
};
export type UndoFlags = {
  readonly session?: string;
  readonly ledger?: string;
  readonly cwd?: string;
  readonly json?: boolean;
};
export type ServeFlags = AgentFlags &
  DoorFlags & {
    readonly port: number;
    readonly host: string;
    readonly agent?: Readonly<Record<string, string>>;
  };

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
    .option(
      "--log <file>",
      "write a log there, as JSON, one record a line; - is stderr.\nTOOLGATE_LOG=debug, info, warn or error says how much",
    )
    .option("--cwd <folder>", "the folder to work in (default: this one)")
    .option(
      "--sandbox",
      "run commands under bubblewrap: they change nothing outside of the folder,\nand have no network unless a rule allows a host",
    );
}

function doorOptions(command: Command): Command {
  return command
    .option("--tls-cert <file>", "the certificate to listen with, beyond this machine")
    .option("--tls-key <file>", "its key")
    .option(
      "--insecure-listen",
      "listen beyond this machine without TLS: whoever is on the way can read\nthe token and then run commands here; only behind a tunnel or a proxy",
    )
    .option("--allow-host <name>", "a further name of this server; may be given again", collected)
    .option("--allow-origin <origin>", "a site whose pages may connect; may be given again", collected);
}

const collected = (file: string, before: readonly string[] = []): readonly string[] => [...before, file];

function whole(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new InvalidArgumentError("It is a whole number.");
  return value;
}

function seconds(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0 || value > 3600)
    throw new InvalidArgumentError("It is a number of seconds, at most 3600.");
  return value;
}

function variable(text: string, before: Readonly<Record<string, string>> = {}) {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("It is a name, = and a value.");
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

function milliseconds(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 10_000)
    throw new InvalidArgumentError("It is a whole number from 0 to 10000.");
  return value;
}

function pageSize(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 1000)
    throw new InvalidArgumentError("It is a whole number from 1 to 1000.");
  return value;
}

function port(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535)
    throw new InvalidArgumentError("It is a whole number from 0 to 65535.");
  return value;
}

/** An IPv6 address stands in brackets, or its end could be the port. */
function listenAddress(text: string): ListenFlags["listen"] {
  const [, bracketed, plain, digits = ""] = /^(?:(?:\[([\da-f:.]+)\]|([\w.-]+)):)?(\d+)$/i.exec(text) ?? [];
  if (digits === "")
    throw new InvalidArgumentError("It is a port, or a host and a port: 4321, localhost:4321, [::1]:4321.");
  return { host: bracketed ?? plain ?? "127.0.0.1", port: port(digits) };
}
