/**
 * How one version of ACP is read and written by a client. The agent's side is agent-dialect.ts.
 *
 * In v1 a turn is over when its prompt is answered, and the agent may use our files and terminals. In the v2 draft
 * the answer to a prompt only confirms its receipt, the session's state shows when the turn is over, and the agent
 * has its own files and terminals.
 */
import type { JsonObject } from "./json.js";
import type { UpdateReader } from "./read-result.js";
import type { SessionSoFar } from "./reading.js";
import type { AskedPermission } from "./v1/permission.js";

export type ClientDialect = {
  readonly version: 1 | 2;
  readonly signIn: "authenticate" | "auth/login";
  reader(session: SessionSoFar, cwd: string): UpdateReader;
  /** The call and the options of a permission request; undefined when they cannot be read. */
  readPermission(params: unknown): AskedPermission | undefined;
  /** The name of an update that replaces all content of a call, or creates the call. */
  readonly start: "tool_call" | "tool_call_update";
  /** The session's state in an update, in a version where that shows the end of a turn. */
  stateIn(update: unknown): JsonObject | undefined;
  /** Whether the agent sends the user's prompts back, which are recorded already. */
  readonly echoesUser: boolean;
};
