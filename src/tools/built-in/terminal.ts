/**
 * A shell command, shown while it prints.
 *
 * The tool has a time limit of its own, since only it can report the progress of the command. However the command
 * ends, the result reports what really happened: the exit, the output so far, and how much of it is left out.
 */
import { z } from "zod";
import { appendText, EMPTY_TEXT, leftOut, shownText, textContent } from "../../call/index.js";
import type { BoundedText, TerminalContent } from "../../call/index.js";
import { defineTool } from "../define-tool.js";
import { ToolFailure } from "../tool.js";
import type { ToolContext, ToolResult } from "../tool.js";
import type { CommandExit, CommandOptions, Workspace } from "../workspace.js";
import { executorFor } from "../git/executor-for.js";
import { commandLinks } from "./command-links.js";
import { outsideLinks } from "./outside-links.js";
import { runContents } from "./run-contents.js";

const DEFAULT_TIMEOUT_S = 120;
const MAX_TIMEOUT_S = 3600;
const PTY_SIZE = { columns: 120, rows: 30 } as const;

const input = () =>
  z.object({
    command: z.string().min(1).describe("The command, as a shell reads it."),
    cwd: z
      .string()
      .min(1)
      .optional()
      .describe("The folder it runs in, absolute or from the workspace folder; without it, that folder."),
    env: z
      .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string())
      .optional()
      .describe("Variables to set for it."),
    timeout: z
      .number()
      .positive()
      .max(MAX_TIMEOUT_S)
      .optional()
      .describe(`After how many seconds it is ended; ${DEFAULT_TIMEOUT_S} when left out.`),
    background: z
      .boolean()
      .optional()
      .describe(
        "Lets it go on after this call, for servers and watchers, without a time limit: the result has its id for read_output. The command ends with the session.",
      ),
    pty: z
      .boolean()
      .optional()
      .describe("Gives it a terminal, for programs that need one. Its output then has control sequences."),
  });

export const terminal = defineTool({
  name: "terminal",
  description:
    "Runs a command with bash (sh where there is none) in the workspace folder and returns its output (stdout and stderr together) and exit code. " +
    "The command has no input to wait for. Long output comes back as its beginning and its end. " +
    "Start a server or a watcher with background: true, not with &.",
  scratchNote: (folder) =>
    `Put temporary files into ${folder} ($TMPDIR): files there can be written, read and deleted without a question.`,
  kind: "execute",
  input,
  timeLimit: Number.POSITIVE_INFINITY,
  async intent({ command, cwd, env, background = false }, workspace) {
    // Whether it is a folder is disclosed only when the command may run there.
    const folder = cwd === undefined ? undefined : await workspace.resolve(cwd);
    const at = folder ?? workspace.root;
    const paths = await commandLinks(command, at, workspace);
    const executor = await executorFor({ command, cwd: at, ...(env && { env }) }, workspace);
    const contents = await runContents({ command, cwd: at, executor }, workspace);
    const links = await outsideLinks({ command, cwd: at, executor }, workspace);
    return {
      command,
      executor,
      ...(background && { background }),
      ...(folder !== undefined && { cwd: folder }),
      ...(env && { env }),
      ...(paths.length > 0 && { paths }),
      ...(Object.keys(contents).length > 0 && { contents }),
      ...(links.length > 0 && { outsideLinks: links }),
    };
  },
  async run({ command, cwd, env, pty = false, background = false, timeout = DEFAULT_TIMEOUT_S }, call) {
    const { workspace, signal } = call;
    const folder = await folderOf(cwd, workspace);
    if (background)
      return startInBackground(command, call, {
        ...(folder !== undefined && { cwd: folder }),
        ...(env && { env }),
        ...(pty && { pty: PTY_SIZE }),
      });
    const shown = call.terminal();
    let content: TerminalContent = { type: "terminal", terminalId: shown.terminalId };
    let output = EMPTY_TEXT;
    const { exit, timedOut } = await withinTime(timeout, signal, (ending) =>
      workspace.runCommand(command, {
        ...(folder !== undefined && { cwd: folder }),
        ...(env && { env }),
        ...(pty && { pty: PTY_SIZE }),
        signal: ending,
        onOutput: (text) => {
          output = appendText(output, text);
          shown.print(text);
        },
        onTerminal: (clientTerminalId) => {
          content = { ...content, clientTerminalId };
          call.report({ content: [content] });
        },
      }),
    );
    shown.exit(exit);
    // A command that succeeded in spite of the cancel did its work; all others were ended.
    if (exit.exitCode !== 0) signal.throwIfAborted();
    return {
      ...modelResult(exit, output, timedOut ? timeout : undefined),
      content: [{ ...content, output, exit }],
    };
  },
});

/** How long a command may take to fail at once, so that the model need not ask for that. */
const FIRST_OUTPUT_MS = 500;

async function startInBackground(
  command: string,
  { background, workspace, signal, toolCallId: id, terminal: openTerminal }: ToolContext,
  options: Pick<CommandOptions, "cwd" | "env" | "pty">,
): Promise<ToolResult> {
  if (!background)
    throw new ToolFailure(
      "terminal: no command can go on after its call here. Nothing was run. Leave out background.",
    );
  await background.start(id, (run) => workspace.runCommand(command, { ...options, ...run }));
  const { state, output } = (await background.read(id, FIRST_OUTPUT_MS, signal)) ?? GONE;
  if (state.status === "failed") throw new ToolFailure(state.error);
  const shown = openTerminal();
  const content: TerminalContent = { type: "terminal", terminalId: shown.terminalId, output };
  if (state.status === "running")
    return {
      output: { id, running: true, output: shownText(output) },
      content: [content, textContent(`The command continues in the background as ${id}.`)],
    };
  shown.exit(state.exit);
  return { ...modelResult(state.exit, output, undefined), content: [{ ...content, exit: state.exit }] };
}

const GONE = { state: { status: "running" }, output: EMPTY_TEXT } as const;

/** The real path; undefined when it is left to the workspace. */
async function folderOf(cwd: string | undefined, workspace: Workspace): Promise<string | undefined> {
  if (cwd === undefined) return undefined;
  const folder = await workspace.resolve(cwd);
  if ((await workspace.look(folder))?.type === "folder") return folder;
  throw new ToolFailure(
    `terminal: ${cwd} is not a folder. Nothing was run. Give a folder that exists, or leave cwd out.`,
  );
}

async function withinTime(
  seconds: number,
  signal: AbortSignal,
  run: (ending: AbortSignal) => Promise<CommandExit>,
): Promise<{ readonly exit: CommandExit; readonly timedOut: boolean }> {
  const timeUp = new AbortController();
  const timer = setTimeout(() => timeUp.abort(), seconds * 1000);
  try {
    const exit = await run(AbortSignal.any([signal, timeUp.signal]));
    return { exit, timedOut: timeUp.signal.aborted };
  } finally {
    clearTimeout(timer);
  }
}

/** The result for the model. `timedOut`: the time limit in seconds, when the command exceeded it. */
function modelResult(exit: CommandExit, text: BoundedText, timedOut: number | undefined): ToolResult {
  const truncated = leftOut(text);
  const shown = shownText(text);
  const output = {
    ...exit,
    output: truncated > 0 ? withNotice(shown, HOW_TO_GET_THE_REST) : shown,
    ...(timedOut !== undefined && { timedOut: true }),
    ...(truncated > 0 && { truncated }),
  };
  if (timedOut === undefined) return { output };
  const isError = `terminal: timed out after ${timedOut} s; the command and its child processes were ended. Its effects until then remain. Set a longer timeout, or split the work.`;
  return { output, isError };
}

const HOW_TO_GET_THE_REST =
  "The output is too long to be returned whole. To see the rest of it, send it to a file (… > file 2>&1) and read parts of that with read_file.";

function withNotice(text: string, notice: string): string {
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}[${notice}]`;
}
