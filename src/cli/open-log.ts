/**
 * The structured log, for whoever runs toolgate and not for whoever talks to the agent: JSON, one record a line,
 * in a file (`--log FILE`) or on stderr (`TOOLGATE_LOG=info`), never on stdout.
 *
 * What must stay true: no prompt, input or output gets into it, and no secret by way of an error; nothing of it
 * is loaded when nobody asked for it; a log that cannot be written stops nothing.
 */
import { openSync, writeSync } from "node:fs";
import type { Logger } from "pino";
import { oneLine } from "../call/index.js";
import { redact } from "../history/index.js";
import type { RedactionPattern } from "../history/index.js";
import { packageVersion } from "./package-version.js";
import { readRedaction } from "./redaction.js";
import { note, noteLine } from "./stderr.js";

export type LogFlags = { readonly log?: string };

export type Log = {
  readonly to: Logger;
  /** Someone's words, short and without secrets. */
  readonly said: (text: string) => string;
};

const LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];
const LONGEST_TEXT = 300;

/** Undefined when none is asked for. Throws when it cannot be opened, before anything is started. */
export async function openLog(
  { log: file }: LogFlags,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Log | undefined> {
  const level = levelOf(env["TOOLGATE_LOG"]) ?? (file === undefined ? "silent" : "info");
  if (level === "silent") return undefined;
  const { patterns } = readRedaction();
  const { pino } = await import("pino");
  const write = file === undefined || file === "-" ? noteLine : appendTo(file);
  const withoutKeys = keyRemover(env);
  const to = pino(
    {
      level,
      base: { pid: process.pid, version: packageVersion() },
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: NEVER_LOGGED, censor: "[redacted]" },
    },
    { write: (line: string) => write(withoutKeys(line.trimEnd())) },
  );
  return { to, said: (text) => said(text, patterns) };
}

/** What a command failed with, where a log can be opened at all. */
export async function logFailure(flags: LogFlags, error: unknown): Promise<void> {
  const log = await openLog(flags).catch(() => undefined);
  log?.to.fatal(errorFields(error, log), "the command failed");
}

/** The words of an error and its code; never where it came from, which would name this machine's folders. */
export function errorFields(
  error: unknown,
  { said: shown }: Log,
): { readonly error: string; readonly code?: string } {
  if (!(error instanceof Error)) return { error: shown(String(error)) };
  return { error: shown(error.message), ...("code" in error && { code: shown(String(error.code)) }) };
}

/** Redacted first and cut then: half a secret has no shape to know it by. */
const said = (text: string, patterns: readonly RedactionPattern[]): string =>
  oneLine(redact(text, patterns), LONGEST_TEXT);

function levelOf(text = ""): string | undefined {
  if (text === "" || LEVELS.includes(text)) return text || undefined;
  throw Object.assign(
    new Error(
      `TOOLGATE_LOG is ${JSON.stringify(oneLine(text, 40))}, which is no level. Nothing was started; set it to one of ${LEVELS.join(", ")}, or unset it.`,
    ),
    { code: "BAD_LOG_LEVEL" },
  );
}

/** Nobody logs these. Should somebody begin to, they are taken out all the same. */
const NEVER_LOGGED = [
  "apiKey",
  "authorization",
  "headers",
  "env",
  "prompt",
  "input",
  "output",
  "rawInput",
  "rawOutput",
  "content",
  "text",
].flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/** The keys that we were started with, whatever they look like. */
function keyRemover(env: NodeJS.ProcessEnv): (line: string) => string {
  const keys = Object.entries(env).flatMap(([name, value = ""]) =>
    /(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)$/i.test(name) && value.trim().length >= SHORTEST_KEY
      ? [JSON.stringify(value.trim()).slice(1, -1)]
      : [],
  );
  return (line) => keys.reduce((rest, key) => rest.replaceAll(key, "[redacted key]"), line);
}

/** What is shorter stands in other words too. */
const SHORTEST_KEY = 8;

/** Each record is one write at the end of the file, so that several processes can share it. */
function appendTo(file: string): (line: string) => void {
  const descriptor = openSync(file, "a", 0o600);
  let isTold = false;
  return (line) => {
    try {
      writeSync(descriptor, `${line}\n`);
    } catch (error) {
      if (!isTold) note(`the log ${file} cannot be written (${String(error)}). Work continues without it.`);
      isTold = true;
    }
  };
}
