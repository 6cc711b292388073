/** The params of `terminal/create`, which are an agent's: each is looked at before it is believed. */
import { invalidParams } from "../connection/message.js";
import { isJsonObject, isNone } from "../json.js";
import type { JsonObject } from "../json.js";
import { unwrappedCommand } from "../wrapped-command.js";
import { absolutePathIn } from "./served-session.js";

const USUAL_BYTES = 1024 * 1024;
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
const MAX_ARGS = 10_000;

export type WantedCommand = {
  /** A text for a shell, or words that no shell reads. */
  readonly command: string | readonly string[];
  /** The session's folder when left out. */
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: string };
  readonly outputByteLimit: number;
};

export function readCommand(params: JsonObject): WantedCommand {
  const { command, args, env, cwd, outputByteLimit } = params;
  if (typeof command !== "string" || command === "")
    throw invalidParams('"command" must be a text that is not empty. Nothing was run.');
  const words = readWords(args);
  const variables = isNone(env) ? undefined : readEnv(env);
  // Many agents put a whole shell line into `command`. The rules judge it as a shell line, too.
  const given = words.length === 0 && !isProgram(command) ? command : [command, ...words];
  const plain = typeof given === "string" ? undefined : unwrappedCommand(given, variables ?? {});
  return {
    command: given,
    ...(!isNone(cwd) && { cwd: absolutePathIn(params, "cwd") }),
    ...(variables && { env: variables }),
    ...plain,
    outputByteLimit: readLimit(outputByteLimit),
  };
}

const isProgram = (command: string): boolean => /^[\w@%+:,./-]+$/.test(command);

function readWords(args: unknown): readonly string[] {
  if (isNone(args)) return [];
  if (!Array.isArray(args) || !args.every((word): word is string => typeof word === "string"))
    throw invalidParams('"args" must be a list of texts. Nothing was run.');
  if (args.length > MAX_ARGS)
    throw invalidParams(
      `"args" has more than ${MAX_ARGS} words (E2BIG). Nothing was run. Give it less: a list in a file, for one.`,
    );
  return args;
}

function readEnv(env: unknown): { readonly [name: string]: string } {
  const variables = Array.isArray(env) ? env.map(readVariable) : [undefined];
  if (variables.every((one) => one !== undefined)) return Object.fromEntries(variables);
  throw invalidParams('"env" must be a list of { name, value }, with texts in both. Nothing was run.');
}

function readVariable(variable: unknown): readonly [string, string] | undefined {
  if (!isJsonObject(variable)) return undefined;
  const { name, value } = variable;
  return typeof name === "string" && typeof value === "string" ? [name, value] : undefined;
}

function readLimit(limit: unknown): number {
  if (isNone(limit)) return USUAL_BYTES;
  if (Number.isSafeInteger(limit) && Number(limit) >= 0) return Math.min(Number(limit), MAX_OUTPUT_BYTES);
  throw invalidParams('"outputByteLimit" must be a whole number from 0. Nothing was run.');
}
