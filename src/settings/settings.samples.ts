/** Folders of their own for tests with real files, and real processes that run the built room. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Remembered } from "./grant-store.js";
import type { Rule } from "../policy/index.js";

const made: string[] = [];

export function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolgate-settings-")));
  made.push(folder);
  return folder;
}

export function removeFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export function write(path: string, content: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content, undefined, 2));
}

export const allowing = (word: string): Remembered => ({
  rules: [{ allow: "execute", command: [word], folder: "/ws", input: "" }],
  sentence: `Always allow \`${word}\``,
});

export const refusing = (word: string): Remembered => ({
  rules: [{ deny: "execute", command: `${word} *` }],
  sentence: `Always refuse \`${word}\` with anything after it`,
});

export const denialsIn = (rules: readonly Rule[]): readonly string[] =>
  rules.filter((rule) => "deny" in rule).map((rule) => JSON.stringify(rule));

/** The room for child processes, bundled by test/build-child-programs.ts. */
const main = new URL("../../node_modules/.toolgate-children/settings.mjs", import.meta.url).href;

/** Runs a program in a process of its own, to its end. In it, `main` is the built room and `args` are there. */
export async function runChild(
  program: string,
  ...args: readonly string[]
): Promise<{ readonly code: number | null; readonly signal: string | null; readonly output: string }> {
  const code = `const [main, ...args] = process.argv.slice(1);\n${program}`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", code, main, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const [exitCode, signal] = (await once(child, "close")) as [number | null, string | null];
  return { code: exitCode, signal, output };
}
