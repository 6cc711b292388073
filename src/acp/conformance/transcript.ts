/** The lines on the wire, in the order in which we wrote and read them. */
import { visibleText } from "../../call/index.js";
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";

export type Line = {
  readonly at: number;
  readonly from: "agent" | "client";
  readonly text: string;
  /** The line as JSON; undefined when it is none. */
  readonly message: unknown;
  /** Whether the agent wrote it as UTF-8. */
  readonly isUtf8: boolean;
};

/** How a request ended. `asked` and `at` are places in `lines`. */
export type Reply = { readonly lines: readonly Line[]; readonly asked: number; readonly method: string } & (
  | { readonly kind: "result"; readonly result: unknown; readonly at: number }
  | { readonly kind: "error"; readonly error: unknown; readonly at: number }
  | { readonly kind: "none"; readonly why: string }
);

const MAX_SHOWN_LENGTH = 300;

/** A line for people: without the fields that all lines have, visible, and cut. */
export function shown({ text }: Line): string {
  const shortened = text.replace('"jsonrpc":"2.0",', "").replace(/("sessionId":")[^"]{12,}(")/, "$1…$2");
  return shortened.length > MAX_SHOWN_LENGTH
    ? `${visibleText(shortened.slice(0, MAX_SHOWN_LENGTH))}…`
    : visibleText(shortened);
}

export function shownReply(reply: Reply): string {
  if (reply.kind === "none") return `${reply.method}: ${reply.why}`;
  const line = reply.lines[reply.at];
  return line ? shown(line) : reply.method;
}

export const fromAgent = (lines: readonly Line[]): readonly Line[] =>
  lines.filter(({ from }) => from === "agent");

export type Update = { readonly line: Line; readonly sessionId: unknown; readonly update: JsonObject };

/** The session/update notifications among them that have an update at all. */
export function updatesIn(lines: readonly Line[]): readonly Update[] {
  return fromAgent(lines).flatMap((line) => {
    const { message } = line;
    if (!isJsonObject(message) || message["method"] !== "session/update") return [];
    const { params } = message;
    if (!isJsonObject(params) || !isJsonObject(params["update"])) return [];
    return { line, sessionId: params["sessionId"], update: params["update"] };
  });
}

export type AgentRequest = {
  readonly line: Line;
  readonly id: unknown;
  readonly method: string;
  readonly params: JsonObject;
};

/** The agent's requests. */
export function requestsIn(lines: readonly Line[]): readonly AgentRequest[] {
  return fromAgent(lines).flatMap((line) => {
    const { message } = line;
    if (!isJsonObject(message) || typeof message["method"] !== "string" || !("id" in message)) return [];
    const params = isJsonObject(message["params"]) ? message["params"] : {};
    return { line, id: message["id"], method: message["method"], params };
  });
}

/** Answers have an id and no method. */
export const isResponse = (message: unknown): message is JsonObject =>
  isJsonObject(message) && !("method" in message) && ("result" in message || "error" in message);
