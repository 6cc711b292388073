/**
 * What an agent of someone else's may use here: a session's workspace, under the rules. Each request becomes
 * the intent that a tool of ours would have, so that one rule speaks of both, and is decided on before
 * anything is read, written or run.
 */
import { visibleText } from "../../call/index.js";
import { intentText } from "../../policy/index.js";
import type { Intent } from "../../policy/index.js";
import { builtInTools, ToolFailure } from "../../tools/index.js";
import type { Tool, Workspace } from "../../tools/index.js";
import { CODE, invalidParams, RpcError } from "../connection/message.js";
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";

/** What the rules, or whoever is asked, say of it. */
export type Allow = (intent: Intent) => Promise<"yes" | { readonly no: string }>;

export type ServedSession = { readonly workspace: Workspace; readonly allow: Allow };

/** Undefined for a session that the agent does not have. */
export type SessionsServed = (sessionId: string) => ServedSession | undefined;

export type ServedParams = JsonObject & { readonly sessionId: string };

export function sessionOf(
  sessions: SessionsServed,
  params: unknown,
): ServedSession & { params: ServedParams } {
  if (!isJsonObject(params) || typeof params["sessionId"] !== "string")
    throw invalidParams('"sessionId" must be a text. Nothing was done.');
  const { sessionId } = params;
  const session = sessions(sessionId);
  if (!session) throw new RpcError(CODE.notFound, "There is no such session here. Nothing was done.");
  return { ...session, params: { ...params, sessionId } };
}

/** How often what is about to happen may change while it is asked about. */
const MOST_QUESTIONS = 3;

/**
 * Resolves what is about to happen, has it decided on, and resolves it again: what has become something else
 * in the meantime is another question. Comes back with the intent that was allowed.
 */
export async function allowed(
  { allow }: ServedSession,
  resolve: () => Promise<Intent>,
  signal: AbortSignal | undefined,
): Promise<Intent> {
  let intent = await resolve();
  for (let asked = 0; asked < MOST_QUESTIONS; asked += 1) {
    const verdict = await allow(intent);
    if (verdict !== "yes")
      throw new RpcError(CODE.internal, `Refused: ${visibleText(verdict.no)} Nothing was done.`, {
        refused: true,
      });
    signal?.throwIfAborted();
    const now = await resolve();
    if (intentText(now) === intentText(intent)) return now;
    intent = now;
  }
  throw new RpcError(CODE.internal, "It changed each time it was allowed. Nothing was done. Try it again.");
}

/** The intent of one of our own tools. */
export async function toolIntent(name: string, input: object, workspace: Workspace): Promise<Intent> {
  const tool = builtIn(name);
  const parsed = tool.parse(input);
  if (!parsed.ok)
    throw invalidParams(`${parsed.problem.replace(/ Nothing was run\.$/, "")} Nothing was done.`);
  const own = (await tool.intent?.(parsed.input, workspace)) ?? {};
  const { cwd = workspace.root, paths = [], hosts = [], baseHashes = {}, ...others } = own;
  return { tool: name, kind: tool.kind, input, cwd, ...others, paths, hosts, baseHashes };
}

function builtIn(name: string): Tool {
  const tool = builtInTools.find((one) => one.name === name);
  if (!tool) throw new Error(`there is no built-in tool ${name}`);
  return tool;
}

/** A failure that a workspace has words for is told in them. */
export async function inRpcWords<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof ToolFailure) throw new RpcError(CODE.internal, error.message);
    throw error;
  }
}

/** ACP's paths are absolute: what a relative one is meant from nobody knows. */
export function absolutePathIn(params: JsonObject, key: string): string {
  const path = params[key];
  if (typeof path !== "string" || !path.startsWith("/"))
    throw invalidParams(`"${key}" must be an absolute path. Nothing was done.`);
  return path;
}
