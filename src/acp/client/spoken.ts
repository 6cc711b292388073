/**
 * What the two versions of ACP say differently to and from an agent. In v1 a turn is over when its prompt is
 * answered, and the agent may use our files and terminals. In the v2 draft a prompt's answer only says that it
 * was heard, the session's state says when the turn is over, and the agent has its own files and terminals.
 */
import type { QuestionOption } from "../../call/index.js";
import { isJsonObject, isNone } from "../json.js";
import type { JsonObject } from "../json.js";
import type { SessionSoFar } from "../reading.js";
import { readV1Permission } from "../v1/permission.js";
import type { AskedPermission } from "../v1/permission.js";
import { V1Reader } from "../v1/reader.js";
import { V2Reader } from "../v2/reader.js";
import type { UpdateReader } from "./update-fold.js";

export type Spoken = {
  readonly version: 1 | 2;
  readonly signIn: "authenticate" | "auth/login";
  reader(session: SessionSoFar, cwd: string): UpdateReader;
  /** What the agent asks about and offers; undefined when it cannot be read. */
  readPermission(params: unknown): AskedPermission | undefined;
  /** How an update that replaces all a call shows, or makes a new one, is called. */
  readonly start: "tool_call" | "tool_call_update";
  /** What an update says the session is doing, where that is how a turn's end is told. */
  stateIn(update: unknown): JsonObject | undefined;
  /** Whether the agent repeats what the person says, which is on record already. */
  readonly echoesUser: boolean;
};

const V1: Spoken = {
  version: 1,
  signIn: "authenticate",
  reader: (session, cwd) => new V1Reader({ session, cwd, mode: "lenient" }),
  readPermission: readV1Permission,
  start: "tool_call",
  stateIn: () => undefined,
  echoesUser: false,
};

const V2: Spoken = {
  version: 2,
  signIn: "auth/login",
  reader: (session, cwd) => new V2Reader({ session, cwd, mode: "lenient" }),
  readPermission: readV2Permission,
  start: "tool_call_update",
  stateIn: (update) =>
    isJsonObject(update) && update["sessionUpdate"] === "state_update" ? update : undefined,
  echoesUser: true,
};

export const spoken = (version: 1 | 2): Spoken => (version === 1 ? V1 : V2);

/** Both versions' words in one greeting, so that an agent which only knows v1 understands it too. */
export function greeting(
  version: 1 | 2,
  client: { readonly name: string; readonly version: string },
  canElicit: boolean,
): object {
  const elicitation = canElicit ? { elicitation: { form: {}, url: {} } } : {};
  const served = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };
  return {
    protocolVersion: version,
    clientCapabilities: { ...served, ...elicitation },
    clientInfo: client,
    ...(version === 2 && { capabilities: elicitation, info: client }),
  };
}

/** A permission of the v2 draft has a subject, in place of a call. */
function readV2Permission(params: unknown): AskedPermission | undefined {
  if (!isJsonObject(params) || typeof params["title"] !== "string") return undefined;
  const toolCall = readSubject(params["subject"], params["title"]);
  return toolCall && readV1Permission({ ...params, toolCall, options: known(params["options"]) });
}

/** Kinds of options that a vendor or the future adds are none that we choose. */
function known(options: unknown): unknown {
  if (!Array.isArray(options)) return options;
  return options.filter((one) => isJsonObject(one) && KINDS.has(String(one["kind"])));
}

const KINDS: ReadonlySet<string> = new Set<QuestionOption["kind"]>([
  "allow_once",
  "allow_always",
  "reject_once",
  "reject_always",
]);

function readSubject(subject: unknown, title: string): JsonObject | undefined {
  if (isNone(subject)) return { toolCallId: UNNAMED, title };
  if (!isJsonObject(subject)) return undefined;
  const { type, toolCall, command, cwd, toolCallId } = subject;
  if (type === "tool_call" && isJsonObject(toolCall))
    return isNone(toolCall["title"]) ? { ...toolCall, title } : toolCall;
  if (type !== "command") return { toolCallId: UNNAMED, title };
  if (typeof command !== "string") return undefined;
  return {
    toolCallId: typeof toolCallId === "string" ? toolCallId : UNNAMED,
    title,
    kind: "execute",
    rawInput: { command, ...(typeof cwd === "string" && { cwd }) },
  };
}

/** What is asked about for no call at all. */
const UNNAMED = "permission";
