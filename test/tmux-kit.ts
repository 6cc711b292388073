/**
 * A person at a real terminal: a shell in tmux, keys typed into it and what is then to be read on the
 * screen. Each has a tmux server of its own, which ends with the test, and `toolgate` on its path.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { ScriptStep } from "../src/model/index.js";
import { folder } from "./agent-kit.js";
import { until } from "./until.js";

const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

export type Desk = {
  /** The person's home; their settings and their history lie below it. */
  readonly home: string;
  /** The folder that the shell is in. */
  readonly project: string;
  /** Types a command for the shell and Enter. */
  readonly starts: (command: string) => void;
  /** Types a line for the program that runs, and Enter. */
  readonly types: (line: string) => void;
  /** Pastes a text, as a terminal does it for a program that takes pastes. */
  readonly pastes: (text: string) => void;
  /** Presses a key by tmux's name for it: `C-c`, `Enter`. */
  readonly presses: (key: string) => void;
  /** Gives the terminal another width. */
  readonly resizes: (columns: number) => void;
  /** Waits until the text is on the screen that often, and returns all that was ever on it. */
  readonly sees: (text: string, times?: number) => Promise<string>;
  /** Waits until the text is no longer on the screen, and returns what is. */
  readonly loses: (text: string) => Promise<string>;
  /** All bytes that were written to the terminal. */
  readonly output: () => string;
  /** Waits until the command that was started last is over, and returns its exit code. */
  readonly ended: () => Promise<number>;
  /** Starts a command, waits until it is over, and returns its exit code and what came on the screen with it. */
  readonly runs: (command: string) => Promise<{ readonly code: number; readonly text: string }>;
  /** Ends the program that the shell runs, as `kill -9` does. */
  readonly kills: () => void;
};

type DeskOptions = {
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
};

const MAX_TRIES = 20;

/** Sits down at a terminal of 100 by 32 characters, in a folder with these files. */
export async function atDesk({ files = {}, env = {} }: DeskOptions = {}): Promise<Desk> {
  if (!existsSync(main)) throw new Error(`${main} does not exist. Build it first: node scripts/ready.mjs`);
  const home = await folder();
  const [project, bin] = [join(home, "project"), join(home, "bin")];
  for (const path of [project, bin]) mkdirSync(path);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  const command = join(bin, "toolgate");
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
  chmodSync(command, 0o755);
  // Stands on the screen once for each command that is over, with its exit code.
  const settings = join(home, "shell");
  writeFileSync(settings, "PS1='[$? done]$ '\nunset HISTFILE\n");
  const server = tmuxServer(home, {
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_STATE_HOME: join(home, "state"),
    TMPDIR: home,
    PATH: `${bin}${delimiter}${process.env["PATH"]}`,
    LANG: "C.UTF-8",
    ...env,
  });
  server("new-session", "-d", "-x", "100", "-y", "32", "-c", project, "bash", "--rcfile", settings);
  server("set-option", "-g", "history-limit", "10000");

  const screen = () => server("capture-pane", "-p", "-J", "-S", "-");
  // A look at the screen is a process: look again only when something was written to it.
  const output = join(home, "output");
  writeFileSync(output, "");
  server("pipe-pane", `cat >> '${output}'`);
  let last = { size: -1, text: "" };
  const changedScreen = (): string => {
    const { size } = statSync(output);
    if (size !== last.size) last = { size, text: screen() };
    return last.text;
  };
  /** On a busy machine tmux gets one write in pieces, and would show a drawing of which the end is missing. */
  const drawnScreen = async (): Promise<string> => {
    for (let tries = 0; ; tries += 1) {
      const { size } = statSync(output);
      const text = screen();
      await new Promise((resolve) => setTimeout(resolve, 10));
      const written = readFileSync(output);
      const isWhole = written.lastIndexOf("\u001B[?2026h") <= written.lastIndexOf("\u001B[?2026l");
      // A screen that changes all the time is taken as it is.
      if ((isWhole && written.length === size) || tries === MAX_TRIES) return text;
    }
  };
  const prompts = () => [...changedScreen().matchAll(/\[(\d+) done\]\$/g)].map(([, code]) => Number(code));
  let started = 0;
  const types = (line: string): void => {
    server("send-keys", "-l", line);
    server("send-keys", "Enter");
  };
  const ended = async (): Promise<number> => {
    await until(() => prompts().length > started, screen);
    return prompts()[started] ?? Number.NaN;
  };
  const starts = (line: string): void => {
    started += 1;
    types(line);
  };
  await ended();
  return {
    home,
    project,
    starts,
    types,
    pastes: (text) => {
      server("set-buffer", text);
      server("paste-buffer", "-p");
    },
    presses: (key) => void server("send-keys", key),
    resizes: (columns) => void server("resize-window", "-x", String(columns), "-y", "32"),
    sees: async (text, times = 1) => {
      await until(() => changedScreen().split(text).length > times, screen);
      return drawnScreen();
    },
    loses: async (text) => {
      for (;;) {
        await until(() => !changedScreen().includes(text), screen);
        const drawn = await drawnScreen();
        if (!drawn.includes(text)) return drawn;
      }
    },
    output: () => readFileSync(output, "utf8"),
    ended,
    runs: async (line) => {
      const before = screen().trimEnd().length;
      starts(line);
      const code = await ended();
      return { code, text: screen().slice(before) };
    },
    kills: () => process.kill(childOf(Number(server("display-message", "-p", "#{pane_pid}"))), "SIGKILL"),
  };
}

/** Drives a tmux of its own, without anybody's settings. */
function tmuxServer(home: string, env: Readonly<Record<string, string>>) {
  const { TMUX: _inside, NO_COLOR: _no, FORCE_COLOR: _force, CI: _ci, ...inherited } = process.env;
  const options = { encoding: "utf8", env: { ...inherited, TMUX_TMPDIR: home, ...env } } as const;
  onTestFinished(() => void spawnSync("tmux", ["-L", "desk", "kill-server"], options));
  return (...words: readonly string[]): string =>
    execFileSync("tmux", ["-L", "desk", "-f", "/dev/null", ...words], options);
}

function childOf(pid: number): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  if (child === undefined || child === "") throw new Error("The shell runs nothing.");
  return Number(child);
}

/** A file with what the scripted model says and asks for. */
export const script = (steps: readonly ScriptStep[]): string => JSON.stringify({ steps });
