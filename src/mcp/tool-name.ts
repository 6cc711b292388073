/**
 * The name by which the model calls a server's tool: `server__tool`.
 *
 * The name depends on these two names alone, not on other tools, so that it is the same in every session; and no two
 * pairs share a name. A hash of the pair is added when the plain name is ambiguous, too long or has unusual
 * characters. A plain name that looks as if it had a hash gets one too, so that nobody can choose a name that collides
 * with another.
 */
import { createHash } from "node:crypto";
import { visibleText } from "../call/index.js";

const MAX_NAME = 64;
const MAX_FOREIGN_NAME = 128;
const HASH_LENGTH = 10;

export function toolName(server: string, tool: string): string {
  const plain = `${server}__${tool}`;
  if (isClear(server, plain)) return plain;
  const hash = createHash("sha256")
    .update(JSON.stringify([server, tool]))
    .digest("hex")
    .slice(0, HASH_LENGTH);
  const readable = plain.replace(/[^A-Za-z0-9_-]/gu, "_").slice(0, MAX_NAME - HASH_LENGTH - 1);
  return `${readable}_${hash}`;
}

/** Whether the server ends at the first `__`, nothing had to be changed, and it has no hash's look. */
function isClear(server: string, plain: string): boolean {
  if (plain.length > MAX_NAME || !/^[A-Za-z0-9_-]+$/.test(plain)) return false;
  return plain.indexOf("__") === server.length && !/_[0-9a-f]{10}$/.test(plain);
}

/** The mistake in a server's or a tool's own name, or undefined; the text follows "its name". */
export function nameProblem(name: string): string | undefined {
  if (name === "") return "is empty";
  if (name.length > MAX_FOREIGN_NAME) return `has more than ${MAX_FOREIGN_NAME} characters`;
  return visibleText(name) === name ? undefined : "has invisible characters";
}
