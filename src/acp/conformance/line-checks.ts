/** Questions about single lines, whatever the version: is it JSON-RPC, is it valid, what does it answer? */
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";
import { conversations, greeting, LOGIN, onReply, wantsLogin } from "./evidence.js";
import type { Evidence } from "./evidence.js";
import { failed, PASS, passed, untested } from "./requirement.js";
import type { Finding, SceneName } from "./requirement.js";
import { BATCHED } from "./scenes/handshake.js";
import { fromAgent, isResponse, shown, shownReply, updatesIn } from "./transcript.js";
import type { Line, Reply } from "./transcript.js";

/** The first line of the agent's that is not as it should be. */
export function everyLine(
  evidence: Evidence,
  trouble: (line: Line, lines: readonly Line[]) => string | undefined,
  names?: readonly SceneName[],
): Finding {
  let count = 0;
  for (const lines of conversations(evidence, names))
    for (const line of fromAgent(lines)) {
      count++;
      const how = trouble(line, lines);
      if (how !== undefined) return failed(`${how}: ${shown(line)}`);
    }
  return count > 0 ? PASS : untested("the agent wrote nothing");
}

export const isMessage = (message: unknown): boolean =>
  isJsonObject(message) &&
  message["jsonrpc"] === "2.0" &&
  (typeof message["method"] === "string" || "result" in message || "error" in message);

/** A message with an id and without a method is meant as a response, whatever else it lacks. */
const isAnswer = (message: unknown): message is JsonObject =>
  isResponse(message) || (isJsonObject(message) && "id" in message && !("method" in message));

const requestIds = (lines: readonly Line[]): readonly unknown[] =>
  lines.flatMap(({ from, message }) =>
    from === "client" && isJsonObject(message) && "method" in message && "id" in message
      ? [message["id"]]
      : [],
  );

export function sameId({ message, at }: Line, lines: readonly Line[]): string | undefined {
  if (!isAnswer(message)) return undefined;
  const { id } = message;
  const ids = requestIds(lines);
  if (!ids.includes(id))
    return ids.some((sent) => String(sent) === String(id)) ? "the id came back changed" : undefined;
  const isTwice = fromAgent(lines).some(
    (other) => other.at < at && isAnswer(other.message) && other.message["id"] === id,
  );
  return isTwice ? "one request was answered twice" : undefined;
}

export function wellFormedAnswer({ message }: Line): string | undefined {
  if (!isAnswer(message)) return undefined;
  if ("result" in message === "error" in message) return "not exactly one of result and error";
  if (!("error" in message)) return undefined;
  const { error } = message;
  return isJsonObject(error) && Number.isInteger(error["code"]) && typeof error["message"] === "string"
    ? undefined
    : "an error without an integer code and a message";
}

/** In this conversation only requests and notifications were sent, so every answer is to a request. */
export function answersARequest({ message }: Line, lines: readonly Line[]): string | undefined {
  if (!isAnswer(message)) return undefined;
  const isOurs = requestIds(lines).some((sent) => String(sent) === String(message["id"]));
  return isOurs ? undefined : "an answer to no request";
}

/** The definition that an agent's message must meet, and the part of it that must. */
function definitionOf({ schema }: Evidence, { message }: Line, lines: readonly Line[]) {
  if (!isJsonObject(message)) return undefined;
  if (typeof message["method"] === "string") {
    const definition = schema.paramsOf(message["method"]);
    return definition === undefined ? undefined : { definition, value: message["params"] };
  }
  const request = lines.find(
    (line) => line.from === "client" && isJsonObject(line.message) && line.message["id"] === message["id"],
  )?.message;
  if (!isJsonObject(request) || typeof request["method"] !== "string" || !("result" in message))
    return undefined;
  const definition = schema.responseOf(request["method"]);
  return definition === undefined ? undefined : { definition, value: message["result"] ?? {} };
}

export const validMessage =
  (evidence: Evidence) =>
  (line: Line, lines: readonly Line[]): string | undefined => {
    const meant = definitionOf(evidence, line, lines);
    return meant && evidence.schema.problem(meant.definition, meant.value);
  };

export const knownKeys =
  (evidence: Evidence) =>
  (line: Line, lines: readonly Line[]): string | undefined => {
    const meant = definitionOf(evidence, line, lines);
    const [stranger] = meant ? evidence.schema.unknownKeys(meant.definition, meant.value) : [];
    return stranger === undefined ? undefined : `${stranger} is no field of ${meant?.definition}; use _meta`;
  };

/** The conversations in which the version that is tested was agreed on; in others another schema holds. */
export const inThisVersion = (evidence: Evidence): readonly SceneName[] =>
  [...evidence.scenes.keys()].filter((name) => {
    const agreed = greeting(evidence, name)?.["protocolVersion"];
    // A value that is no version at all must reach the check.
    return agreed === evidence.version || !Number.isInteger(agreed);
  });

export function goodErrorText({ message }: Line): string | undefined {
  if (!isResponse(message) || !isJsonObject(message["error"])) return undefined;
  const { message: text } = message["error"];
  return typeof text === "string" && text.trim() !== "" && !/[\r\n]/.test(text)
    ? undefined
    : "an error message that is empty or has several lines";
}

/** Lines that are no JSON, but are together: one message over several lines. */
export function isBroken({ at, message }: Line, lines: readonly Line[]): string | undefined {
  if (message !== undefined) return undefined;
  let text = "";
  for (const line of lines.slice(at)) {
    if (line.from !== "agent" || line.message !== undefined) break;
    text += `${line.text}\n`;
  }
  // The first of them is the start; the last one alone, such as "}", is not.
  return /^\s*[{[]/.test(text) && text.trim().includes("\n") ? "a message over several lines" : undefined;
}

export function outcomeOf(reply: Reply): string {
  if (reply.kind === "none") return reply.why;
  return reply.kind === "result" ? "answered with a result" : `answered with ${String(replyCode(reply))}`;
}

export const replyCode = (reply: Reply): unknown =>
  reply.kind === "error" && isJsonObject(reply.error) ? reply.error["code"] : undefined;

/** The response to a line that was no request, and whether the agent still ran. */
export const survived =
  (step: string) =>
  (evidence: Evidence): Finding =>
    onReply(evidence, ["noise", step], (reply) => {
      const before = fromAgent(reply.lines.slice(0, reply.asked)).findLast(({ message }) =>
        isAnswer(message),
      );
      const isAbout = before !== undefined && isJsonObject(before.message) && before.message["id"] === null;
      return passed(`${isAbout ? `responded ${shown(before)}` : "silent"}; then ${outcomeOf(reply)}`);
    });

export function survivesBatch(evidence: Evidence): Finding {
  return onReply(evidence, ["noise", "after a batch"], (reply) =>
    reply.kind === "none" ? failed(`after an array was sent: ${reply.why}`) : PASS,
  );
}

/** JSON-RPC answers an array with an array. Only the suite's own arrays can be meant. */
export function answersArray({ at, message }: Line, lines: readonly Line[]): boolean {
  if (!Array.isArray(message) || !message.every(isAnswer)) return false;
  return lines.some((line) => line.from === "client" && line.at < at && Array.isArray(line.message));
}

export function answersBatch(evidence: Evidence): Finding {
  return onReply(evidence, ["noise", "after a batch"], ({ lines }) => {
    const sent = lines.findIndex(({ from, message }) => from === "client" && Array.isArray(message));
    const answer = fromAgent(lines.slice(sent)).find(
      ({ message }) => Array.isArray(message) || isAboutBatch(message),
    );
    if (!answer) return failed("an array of requests was not answered at all");
    const parts: readonly unknown[] = Array.isArray(answer.message) ? answer.message : [answer.message];
    const isGood = (message: unknown): boolean =>
      isMessage(message) && wellFormedAnswer({ ...answer, message }) === undefined;
    return parts.length > 0 && parts.every(isGood) ? PASS : failed(shown(answer));
  });
}

const isAboutBatch = (message: unknown): boolean =>
  isAnswer(message) && (message["id"] === null || message["id"] === undefined || message["id"] === BATCHED);

export function quietBeforeOpening(evidence: Evidence): Finding {
  return onReply(evidence, ["hello", "new"], (reply) => {
    if (wantsLogin(reply)) return untested(LOGIN);
    if (reply.kind !== "result" || !isJsonObject(reply.result))
      return untested(`no session: ${shownReply(reply)}`);
    const { sessionId } = reply.result;
    const early = updatesIn(reply.lines.slice(0, reply.at)).find((update) => update.sessionId === sessionId);
    return early ? failed(shown(early.line)) : PASS;
  });
}
