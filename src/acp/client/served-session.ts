/**
 * The services for a foreign agent: a session's workspace, under the rules. Each request becomes a call of one of our
 * tools, so that the same rules match both, and passes the gate before anything is read, written or run.
 */
import { visibleText } from "../../call/index.js";
import type { ToolCall } from "../../call/index.js";
import { refusalReason } from "../../run/outcome.js";
import { builtInTools } from "../../tools/index.js";
import type { Tool } from "../../tools/index.js";
import { CODE, invalidParams, RpcError } from "../connection/message.js";
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";
import type { ProxiedCalls } from "./proxied-calls.js";

export type ServedSession = {
  readonly proxied: Pick<ProxiedCalls, "call" | "terminalEnded">;
  /** The agent's name. */
  readonly agent: string;
  /** After how many milliseconds a command is ended. */
  readonly commandLimitMs: number;
};

/** Undefined for a session that the agent does not have. */
export type SessionsServed = (sessionId: string) => ServedSession | undefined;

export type ServedParams = JsonObject & { readonly sessionId: string };

export function sessionOf(
  sessions: SessionsServed,
  params: unknown,
): { readonly session: ServedSession; readonly params: ServedParams } {
  if (!isJsonObject(params) || typeof params["sessionId"] !== "string")
    throw invalidParams('"sessionId" must be a text. Nothing was done.');
  const { sessionId } = params;
  const session = sessions(sessionId);
  if (!session) throw new RpcError(CODE.notFound, "There is no such session here. Nothing was done.");
  return { session, params: { ...params, sessionId } };
}

/** A built-in tool of ours with another `run`, which does the work for the agent. */
export function builtInTool(name: string, changes: Pick<Tool, "run"> & Partial<Tool>): Tool {
  const tool = builtInTools.find((one) => one.name === name);
  if (!tool) throw new Error(`there is no built-in tool ${name}`);
  return { ...tool, ...changes };
}

/** Takes a call through the gate. Throws the answer for the agent when it was not done. */
export async function callFor(
  { proxied }: ServedSession,
  tool: Tool,
  input: object,
  signal: AbortSignal,
): Promise<void> {
  const parsed = tool.parse(input);
  if (!parsed.ok)
    throw invalidParams(`${parsed.problem.replace(/ Nothing was run\.$/, "")} Nothing was done.`);
  const call = await proxied.call(tool, input, signal);
  signal.throwIfAborted();
  if (call?.state.status !== "done") throw notDone(call);
}

function notDone(call: ToolCall | undefined): RpcError {
  if (!call) return refused("the turn is being cancelled");
  const { state } = call;
  if (state.status === "failed") return new RpcError(CODE.internal, state.error);
  if (state.status === "refused") return refused(refusalReason(call) ?? "it was refused");
  return refused("reason" in state ? state.reason : `it is ${state.status}`);
}

function refused(reason: string): RpcError {
  const sentence = visibleText(reason.endsWith(".") ? reason : `${reason}.`);
  return new RpcError(CODE.internal, `Refused: ${sentence} Nothing was done.`, { refused: true });
}

/** ACP's paths are absolute: nobody knows the base of a relative one. */
export function absolutePathIn(params: JsonObject, key: string): string {
  const path = params[key];
  if (typeof path !== "string" || !path.startsWith("/"))
    throw invalidParams(`"${key}" must be an absolute path. Nothing was done.`);
  return path;
}
