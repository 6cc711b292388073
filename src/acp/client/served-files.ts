/**
 * `fs/read_text_file` and `fs/write_text_file` for an agent: calls of `read_file` and `write_file` in its session,
 * with results in the agent's protocol. The record keeps no text that was read.
 */
import { ToolFailure } from "../../tools/index.js";
import { CODE, invalidParams, RpcError } from "../connection/message.js";
import { isNone } from "../json.js";
import type { JsonObject } from "../json.js";
import { absolutePathIn, builtInTool, callFor, sessionOf } from "./served-session.js";
import type { SessionsServed } from "./served-session.js";

/**
 * Agents that cannot tell why a file was not read, and then give up where they meant to make a new one. To them
 * a file that is not there is an empty one, as it is in the editors they were made for.
 */
const TAKES_NONE_FOR_EMPTY = /^gemini-cli/;

const NO_OUTPUT = { output: undefined };

export class ServedFiles {
  readonly #sessions: SessionsServed;

  constructor(sessions: SessionsServed) {
    this.#sessions = sessions;
  }

  async readTextFile(asked: unknown, signal: AbortSignal): Promise<{ readonly content: string }> {
    const { session, params } = sessionOf(this.#sessions, asked);
    const path = absolutePathIn(params, "path");
    const line = wholeNumber(params, "line");
    const limit = wholeNumber(params, "limit");
    const read: { text?: string; missing?: RpcError } = {};
    const tool = builtInTool("read_file", {
      run: async (_input, { workspace }) => {
        const text = await workspace.readText(await workspace.resolve(path));
        if (text !== undefined) read.text = text;
        else read.missing = new RpcError(CODE.notFound, `${path} does not exist. Nothing was read.`);
        if (read.missing) throw new ToolFailure(read.missing.message);
        return NO_OUTPUT;
      },
    });
    const input = { path, ...(line && { line }), ...(limit && { limit }) };
    await callFor(session, tool, input, signal).catch((error: unknown) => {
      if (!read.missing) throw error;
      if (!TAKES_NONE_FOR_EMPTY.test(session.agent)) throw read.missing;
    });
    return { content: linesOf(read.text ?? "", line, limit) };
  }

  async writeTextFile(asked: unknown, signal: AbortSignal): Promise<object> {
    const { session, params } = sessionOf(this.#sessions, asked);
    const path = absolutePathIn(params, "path");
    const { content } = params;
    if (typeof content !== "string") throw invalidParams('"content" must be a text. Nothing was written.');
    const tool = builtInTool("write_file", {
      run: async (_input, { workspace, signal: stopped }) => {
        const file = await workspace.resolve(path);
        stopped.throwIfAborted();
        await workspace.write(file, content);
        return NO_OUTPUT;
      },
    });
    await callFor(session, tool, { path, content }, signal);
    return {};
  }
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
