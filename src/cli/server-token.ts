/**
 * The token that our servers require: from TOOLGATE_TOKEN, or generated once and stored in a file that only its owner can
 * read.
 */
import { randomBytes, randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { errorCode, withPath } from "../call/error-code.js";
import { isToken, TOKEN_RULE } from "../http/index.js";
import { createFolder, settingsFolder } from "../settings/index.js";

export type ServerToken = {
  readonly token: string;
  /** The file that stores it; missing when the token came from the environment. */
  readonly file?: string;
  /** True when it was generated just now, so that nobody has seen it. */
  readonly isNew: boolean;
};

const BYTES = 32;

export function openServerToken(env: NodeJS.ProcessEnv = process.env): ServerToken {
  const given = env["TOOLGATE_TOKEN"];
  if (given !== undefined) {
    if (isToken(given)) return { token: given, isNew: false };
    throw unusable(`TOOLGATE_TOKEN must be ${TOKEN_RULE}.`);
  }
  const file = join(settingsFolder(env), "token");
  const token = storedToken(file);
  if (token !== undefined) return { token, file, isNew: false };
  return { ...generate(file), file };
}

/** The stored token, if there is one; generates none. */
export const storedServerToken = (env: NodeJS.ProcessEnv = process.env): string | undefined =>
  storedToken(join(settingsFolder(env), "token"));

function generate(file: string): { readonly token: string; readonly isNew: boolean } {
  const token = randomBytes(BYTES).toString("base64url");
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    createFolder(dirname(file));
    writeFileSync(temporary, `${token}\n`, { flag: "wx", mode: 0o600 });
    // A link is atomic: when two servers start at once, both use the token of the first one.
    linkSync(temporary, file);
    return { token, isNew: true };
  } catch (error) {
    const theirs = storedToken(file);
    if (theirs === undefined) throw withPath(error, file);
    return { token: theirs, isNew: false };
  } finally {
    rmSync(temporary, { force: true });
  }
}

function storedToken(file: string): string | undefined {
  let descriptor: number | undefined;
  try {
    // The path may hold anything: a link could lead elsewhere, and a pipe never ends.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw unusable(`${file} is not a file.`);
    if (process.platform !== "win32" && (stats.mode & 0o077) !== 0)
      throw unusable(
        `${file} can be read or written by others, so it keeps no secret. Remove it, and a new token is made.`,
      );
    const token = readFileSync(descriptor, "utf8").trim();
    if (!isToken(token)) throw unusable(`${file} holds no token. Remove it, and a new one is made.`);
    return token;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    if (errorCode(error) === "ELOOP")
      throw unusable(`${file} is a link, which may lead to what others can read.`);
    throw error;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

const unusable = (problem: string): Error =>
  Object.assign(new Error(`${problem} Nothing was started.`), { code: "TOKEN_UNUSABLE" });
