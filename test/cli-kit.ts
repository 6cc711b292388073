/** The program as people use it, each with a home of its own. */
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ScriptStep } from "../src/model/index.js";
import { folder } from "./agent-kit.js";
import { runHere } from "./run-here.js";
import type { Ran } from "./run-here.js";

const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

export type Home = {
  readonly home: string;
  readonly project: string;
  /** The settings folder. */
  readonly settings: string;
  readonly run: (
    words: readonly string[],
    options?: {
      readonly env?: Readonly<Record<string, string>>;
      readonly input?: string;
      /** Its stdin is closed only once it has written this. */
      readonly openUntil?: string;
      readonly node?: readonly string[];
      /** Run by a shell before the program, in its process. */
      readonly limits?: string;
    },
  ) => Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }>;
  /** The same in this process, see run-here.ts. */
  readonly runHere: (
    words: readonly string[],
    options?: { readonly env?: Readonly<Record<string, string>>; readonly input?: string },
  ) => Promise<Ran>;
  /** A script of the scripted model, by its file. */
  readonly script: (steps: readonly ScriptStep[]) => string;
};

/** `files` are settings: `rules.json`, `config.json`. */
export async function atHome(files: Readonly<Record<string, unknown>> = {}): Promise<Home> {
  const home = await folder();
  const [project, settings] = [join(home, "project"), join(home, "config", "toolgate")];
  for (const path of [project, settings]) mkdirSync(path, { recursive: true });
  for (const [name, value] of Object.entries(files))
    writeFileSync(join(settings, name), typeof value === "string" ? value : JSON.stringify(value));
  const { NO_COLOR: _no, FORCE_COLOR: _force, TOOLGATE_CONFIG: _config, ...inherited } = process.env;
  const own = { ...inherited, HOME: home, XDG_CONFIG_HOME: join(home, "config"), XDG_STATE_HOME: home };
  let scripts = 0;
  return {
    home,
    project,
    settings,
    run: (words, { env = {}, input = "", openUntil = "", node = [], limits } = {}) =>
      new Promise((resolve) => {
        const argv = [process.execPath, ...node, main, ...words] as const;
        const [program, ...args] =
          limits === undefined ? argv : (["/bin/sh", "-c", `${limits}; exec "$@"`, "sh", ...argv] as const);
        const child = spawn(program, args, { cwd: project, env: { ...own, ...env } });
        let [stdout, stderr] = ["", ""];
        child.stdout.setEncoding("utf8").on("data", (text: string) => {
          stdout += text;
          if (stdout.includes(openUntil)) child.stdin.end();
        });
        child.stderr.setEncoding("utf8").on("data", (text: string) => void (stderr += text));
        child.on("close", (status) => resolve({ status, stdout, stderr }));
        child.stdin.write(input);
        if (openUntil === "") child.stdin.end();
      }),
    runHere: (words, { env = {}, input = "" } = {}) =>
      runHere(words, { cwd: project, env: { ...own, ...env }, input }),
    script: (steps) => {
      const file = join(home, `script-${(scripts += 1)}.json`);
      writeFileSync(file, JSON.stringify({ steps }));
      return file;
    },
  };
}

export const command = (text: string) => ({ tool: "terminal", input: { command: text } });
