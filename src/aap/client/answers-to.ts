/**
 * The answers to the calls that a turn stopped for: the app's are run here, the server's are permitted or not.
 *
 * Invariants: when one of them cannot be answered here, none is; a call that nobody permits is denied.
 */
import { AapError } from "./aap-error.js";
import type { PendingCalls } from "./pending-calls.js";
import type { MessageContent, ToolMessage, ToolPermission, ToolUseBlock } from "./protocol.js";
import { errorMessage } from "../../call/error-message.js";

/** An error that it throws goes to the model as the tool's failure. */
export type ClientTool = (
  input: unknown,
  context: { readonly call: ToolUseBlock; readonly signal: AbortSignal | undefined },
) => MessageContent | Promise<MessageContent>;

export type Permission = Omit<ToolPermission, "role" | "toolCallId">;

export type AnswerOptions = {
  /** How the app's own tools are run, by the names that the session declares. */
  readonly tools?: Readonly<Record<string, ClientTool>>;
  /**
   * Asked once for each call of the server's that waits; all are asked at once. Without it, all are denied. Undefined:
   * somebody else has answered it, over the extension for questions.
   */
  readonly permit?: (
    call: ToolUseBlock,
    signal: AbortSignal | undefined,
  ) => Permission | undefined | Promise<Permission | undefined>;
  /** Stops receiving and answering. The turn continues at the server. */
  readonly signal?: AbortSignal;
};

export type CallAnswer = ToolMessage | ToolPermission;

export async function answersTo(
  { client: own, server }: PendingCalls,
  { tools = {}, permit = deniesAll, signal }: AnswerOptions,
): Promise<readonly CallAnswer[]> {
  const runners = new Map(Object.entries(tools));
  const missing = own.filter(({ name }) => !runners.has(name)).map(({ name }) => `"${name}"`);
  if (missing.length > 0) throw toolsMissing(missing);
  const [results, permissions] = await Promise.all([
    Promise.all(own.map((call) => resultOf(call, runners.get(call.name), signal))),
    Promise.all(server.map(async (call) => permissionFor(call, await permit(call, signal)))),
  ]);
  signal?.throwIfAborted();
  return [...results, ...permissions.flat()];
}

async function resultOf(
  call: ToolUseBlock,
  run: ClientTool | undefined,
  signal: AbortSignal | undefined,
): Promise<ToolMessage> {
  const { toolCallId, name } = call;
  try {
    if (!run) throw toolsMissing([`"${name}"`]);
    return { role: "tool", toolCallId, content: await run(call.input, { call, signal }) };
  } catch (error) {
    // Stopped from here: nothing is submitted, and the call stays open.
    signal?.throwIfAborted();
    const why = errorMessage(error);
    return { role: "tool", toolCallId, content: `Tool ${name} failed: ${why}` };
  }
}

const permissionFor = (
  { toolCallId }: ToolUseBlock,
  permission: Permission | undefined,
): readonly ToolPermission[] => (permission ? [{ role: "tool_permission", toolCallId, ...permission }] : []);

const deniesAll = (): Permission => ({ granted: false, reason: "this app has nobody to ask" });

const toolsMissing = (names: readonly string[]): AapError =>
  new AapError(
    "TOOL_MISSING",
    `The session waits for tools of the app that this program cannot run: ${names.join(", ")}. Nothing was submitted; go on with it where they are.`,
  );
