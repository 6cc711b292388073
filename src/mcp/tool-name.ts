/**
 * The name by which the model calls a server's tool: `server__tool`.
 *
 * It is made from these two names alone, never from who else is there, so that it is the same in every
 * session; and no two pairs have the same one. Where the plain name could be read in two ways, is too long
 * or has strange characters, a hash of the pair is added. A plain name that looks as if it had a hash gets
 * one too, so that none can be made to meet another's.
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

/** What is wrong with a server's or a tool's own name, if anything; it goes after "its name". */
export function nameProblem(name: string): string | undefined {
  if (name === "") return "is empty";
  if (name.length > MAX_FOREIGN_NAME) return `has more than ${MAX_FOREIGN_NAME} characters`;
  return visibleText(name) === name ? undefined : "has characters in it that cannot be seen";
}
