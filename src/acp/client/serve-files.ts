/**
 * `fs/read_text_file` and `fs/write_text_file` for an agent, from a session's workspace and under the rules.
 *
 * What must stay true: a path is resolved, then decided on, then used, and only while it leads where it did;
 * what is written replaces what was there when it was allowed, and nothing else.
 */
import { intentText } from "../../policy/index.js";
import type { Intent } from "../../policy/index.js";
import { CODE, invalidParams, RpcError } from "../connection/message.js";
import { isNone } from "../json.js";
import type { JsonObject } from "../json.js";
import { absolutePathIn, allowed, inRpcWords, sessionOf, toolIntent } from "./served-session.js";
import type { SessionsServed } from "./served-session.js";

export class ServedFiles {
  readonly #sessions: SessionsServed;
  /** One write after the other: between the last look at a file and its write nothing else of ours comes. */
  #writing: Promise<unknown> = Promise.resolve();

  constructor(sessions: SessionsServed) {
    this.#sessions = sessions;
  }

  async readTextFile(params: unknown, signal?: AbortSignal): Promise<{ readonly content: string }> {
    const session = sessionOf(this.#sessions, params);
    const path = absolutePathIn(session.params, "path");
    const line = wholeNumber(session.params, "line");
    const limit = wholeNumber(session.params, "limit");
    return inRpcWords(async () => {
      const input = { path, ...(line && { line }), ...(limit && { limit }) };
      const intent = await allowed(session, () => toolIntent("read_file", input, session.workspace), signal);
      const text = await session.workspace.readText(onlyPath(intent));
      if (text === undefined) throw new RpcError(CODE.notFound, `${path} does not exist. Nothing was read.`);
      return { content: linesOf(text, line, limit) };
    });
  }

  async writeTextFile(params: unknown, signal?: AbortSignal): Promise<object> {
    const session = sessionOf(this.#sessions, params);
    const path = absolutePathIn(session.params, "path");
    const { content } = session.params;
    if (typeof content !== "string") throw invalidParams('"content" must be a text. Nothing was written.');
    const resolve = () => toolIntent("write_file", { path, content }, session.workspace);
    return inRpcWords(async () => {
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const intent = await allowed(session, resolve, signal);
        const write = () => session.workspace.write(onlyPath(intent), content);
        if (await this.#inTurn(() => ifStill(intent, resolve, write))) return {};
      }
      throw new RpcError(
        CODE.internal,
        `${path} changed each time it was about to be written. It was not written. Read it and try again.`,
      );
    });
  }

  #inTurn<Result>(act: () => Promise<Result>): Promise<Result> {
    const turn = this.#writing.then(act);
    this.#writing = turn.catch(() => undefined);
    return turn;
  }
}

const MOST_TRIES = 3;

/** False when what is about to happen is no longer what was allowed; then nothing was done. */
async function ifStill(
  intent: Intent,
  resolve: () => Promise<Intent>,
  act: () => Promise<void>,
): Promise<boolean> {
  if (intentText(await resolve()) !== intentText(intent)) return false;
  await act();
  return true;
}

function onlyPath({ paths: [file] }: Intent): string {
  if (!file) throw new Error("the intent of a file tool names its file");
  return file.path;
}

/** Lines count from 1; some agents begin with 0. */
function linesOf(text: string, line: number | undefined, limit: number | undefined): string {
  if (line === undefined && limit === undefined) return text;
  let start = 0;
  for (let skipped = Math.max(1, line ?? 1) - 1; skipped > 0; skipped -= 1) {
    const end = text.indexOf("\n", start);
    if (end === -1) return "";
    start = end + 1;
  }
  const most = limit ?? Number.POSITIVE_INFINITY;
  let end = start;
  for (let taken = 0; taken < most; taken += 1) {
    const next = text.indexOf("\n", end);
    if (next === -1) return text.slice(start);
    end = next + 1;
  }
  return text.slice(start, end);
}

function wholeNumber(params: JsonObject, key: "line" | "limit"): number | undefined {
  const value = params[key];
  if (isNone(value)) return undefined;
  if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value);
  throw invalidParams(`"${key}" must be a whole number from 0. Nothing was read.`);
}
