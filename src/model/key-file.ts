/**
 * Keys in a file, `{"anthropic": "…"}`, that no other user of this machine may read or write. A file that others can read
 * is refused, so that its owner learns of the mistake. No message quotes its content.
 */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { z } from "zod";
import { errorCode } from "../call/error-code.js";
import { oneLine } from "../call/index.js";
import { ModelError } from "./model-error.js";

const MAX_BYTES = 64 * 1024;

/** The key of a provider; undefined without a file, or without a key for this provider. */
export async function keyFromFile(path: string, provider: string): Promise<string | undefined> {
  return (await keysIn(path)).get(provider);
}

/** Throws when the file exists and cannot be used. */
export async function checkKeyFile(path: string): Promise<void> {
  await keysIn(path);
}

async function keysIn(path: string): Promise<ReadonlyMap<string, string>> {
  const text = await readOwnFile(path);
  if (text === undefined) return new Map();
  const read = z.record(z.string(), z.string()).safeParse(parsed(text));
  if (!read.success) throw refused(path, `it is not a JSON object of provider names and keys`);
  return new Map(Object.entries(read.data));
}

async function readOwnFile(path: string): Promise<string | undefined> {
  // Non-blocking: opening a pipe would wait for ever.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    if (isAbsence(error)) return undefined;
    throw refused(path, "it cannot be read");
  });
  if (!file) return undefined;
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw refused(path, "it is not a file");
    if (process.getuid === undefined)
      throw refused(
        path,
        "this system cannot tell who else may read it, so keys come from the environment here",
      );
    if (stats.uid !== process.getuid()) throw refused(path, "it belongs to someone else");
    if ((stats.mode & 0o077) !== 0)
      throw refused(path, "others may read or change it; make it yours alone with: chmod 600");
    if (stats.size > MAX_BYTES) throw refused(path, `it is larger than ${MAX_BYTES} bytes`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

/** The parser's message would quote the text, so it is dropped. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isAbsence = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "");

const refused = (path: string, why: string): ModelError =>
  new ModelError(
    "KEY_FILE_REFUSED",
    `The key file ${oneLine(path, 200)} was not used: ${why}. No model was opened.`,
  );
