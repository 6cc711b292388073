/**
 * The structured log, for the operator and not for the user of the agent: JSON, one record a line, in a file
 * (`--log FILE`) or on stderr (`TOOLGATE_LOG=info`), never on stdout.
 *
 * Invariants: no prompt, input or output is logged, and no secret inside an error; the logger is loaded only when a log
 * is wanted; a log that cannot be written stops nothing.
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
  /** The text on one line, shortened and without secrets. */
  readonly redacted: (text: string) => string;
};

const LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];
const MAX_TEXT_LENGTH = 300;

/** Undefined when no log is wanted. Throws when it cannot be opened, before anything is started. */
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
  return { to, redacted: (text) => redactedLine(text, patterns) };
}

/** Logs the error that ended a command, if a log can be opened. */
export async function logFailure(flags: LogFlags, error: unknown): Promise<void> {
  const log = await openLog(flags).catch(() => undefined);
  log?.to.fatal(errorFields(error, log), "the command failed");
}

/** The message and code of an error; never its stack, which would name this machine's folders. */
export function errorFields(
  error: unknown,
  { redacted }: Log,
): { readonly error: string; readonly code?: string } {
  if (!(error instanceof Error)) return { error: redacted(String(error)) };
  return { error: redacted(error.message), ...("code" in error && { code: redacted(String(error.code)) }) };
}

/** Redacts before it shortens: half a secret matches no pattern. */
const redactedLine = (text: string, patterns: readonly RedactionPattern[]): string =>
  oneLine(redact(text, patterns), MAX_TEXT_LENGTH);

function levelOf(text = ""): string | undefined {
  if (text === "" || LEVELS.includes(text)) return text || undefined;
  throw Object.assign(
    new Error(
      `TOOLGATE_LOG is ${JSON.stringify(oneLine(text, 40))}, which is not a level. Nothing was started; set it to one of ${LEVELS.join(", ")}, or unset it.`,
    ),
    { code: "BAD_LOG_LEVEL" },
  );
}

/** No code logs these fields; this list redacts them in case some later code does. */
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

/** Removes the values of our own environment's keys, whatever their form. */
function keyRemover(env: NodeJS.ProcessEnv): (line: string) => string {
  const keys = Object.entries(env).flatMap(([name, value = ""]) =>
    /(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)$/i.test(name) && value.trim().length >= MIN_KEY_LENGTH
      ? [JSON.stringify(value.trim()).slice(1, -1)]
      : [],
  );
  return (line) => keys.reduce((rest, key) => rest.replaceAll(key, "[redacted key]"), line);
}

/** Shorter values also occur inside ordinary words. */
const MIN_KEY_LENGTH = 8;

/** Each record is one write at the end of the file, so that several processes can share it. */
function appendTo(file: string): (line: string) => void {
  const descriptor = openSync(file, "a", 0o600);
  let isReported = false;
  return (line) => {
    try {
      writeSync(descriptor, `${line}\n`);
    } catch (error) {
      if (!isReported)
        note(`the log ${file} cannot be written (${String(error)}). Work continues without it.`);
      isReported = true;
    }
  };
}
