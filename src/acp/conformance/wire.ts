/** What holds for every line, in both versions: JSON-RPC, the schema, errors, extensions, the end. */
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";
import { conversations, greeting, LOGIN, onReply, wantsLogin } from "./evidence.js";
import type { Evidence } from "./evidence.js";
import { failed, PASS, passed, untested } from "./requirement.js";
import type { Finding, ProtocolVersion, Requirement, SceneName } from "./requirement.js";
import { BATCHED } from "./scenes/first-words.js";
import { fromAgent, isResponse, shown, shownReply, updatesIn } from "./transcript.js";
import type { Line, Reply } from "./transcript.js";

/** The first line of the agent's that is not as it should be. */
function everyLine(
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

const isMessage = (message: unknown): boolean =>
  isJsonObject(message) &&
  message["jsonrpc"] === "2.0" &&
  (typeof message["method"] === "string" || "result" in message || "error" in message);

/** Has an id and no method: meant as an answer, whatever else it lacks. */
const isAnswer = (message: unknown): message is JsonObject =>
  isResponse(message) || (isJsonObject(message) && "id" in message && !("method" in message));

const requestIds = (lines: readonly Line[]): readonly unknown[] =>
  lines.flatMap(({ from, message }) =>
    from === "client" && isJsonObject(message) && "method" in message && "id" in message
      ? [message["id"]]
      : [],
  );

function sameId({ message, at }: Line, lines: readonly Line[]): string | undefined {
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

function wellFormedAnswer({ message }: Line): string | undefined {
  if (!isAnswer(message)) return undefined;
  if ("result" in message === "error" in message) return "not exactly one of result and error";
  if (!("error" in message)) return undefined;
  const { error } = message;
  return isJsonObject(error) && Number.isInteger(error["code"]) && typeof error["message"] === "string"
    ? undefined
    : "an error without an integer code and a message";
}

/** In this conversation only requests and notifications were sent, so every answer is to a request. */
function answersARequest({ message }: Line, lines: readonly Line[]): string | undefined {
  if (!isAnswer(message)) return undefined;
  const isOurs = requestIds(lines).some((sent) => String(sent) === String(message["id"]));
  return isOurs ? undefined : "an answer to no request";
}

/** The definition that an agent's message must meet, and the part of it that must. */
function definitionOf({ schema }: Evidence, { message }: Line, lines: readonly Line[]) {
  if (!isJsonObject(message)) return undefined;
  if (typeof message["method"] === "string") {
    const definition = schema.saidBy(message["method"]);
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

const validMessage =
  (evidence: Evidence) =>
  (line: Line, lines: readonly Line[]): string | undefined => {
    const meant = definitionOf(evidence, line, lines);
    return meant && evidence.schema.problem(meant.definition, meant.value);
  };

const knownKeys =
  (evidence: Evidence) =>
  (line: Line, lines: readonly Line[]): string | undefined => {
    const meant = definitionOf(evidence, line, lines);
    const [stranger] = meant ? evidence.schema.unknownKeys(meant.definition, meant.value) : [];
    return stranger === undefined ? undefined : `${stranger} is no field of ${meant?.definition}; use _meta`;
  };

/** The conversations in which the version that is tested was agreed on; in others another schema holds. */
const inThisVersion = (evidence: Evidence): readonly SceneName[] =>
  [...evidence.scenes.keys()].filter((name) => {
    const agreed = greeting(evidence, name)?.["protocolVersion"];
    // What is no version at all is a mistake to be found.
    return agreed === evidence.version || !Number.isInteger(agreed);
  });

function goodErrorText({ message }: Line): string | undefined {
  if (!isResponse(message) || !isJsonObject(message["error"])) return undefined;
  const { message: text } = message["error"];
  return typeof text === "string" && text.trim() !== "" && !/[\r\n]/.test(text)
    ? undefined
    : "an error message that is empty or has several lines";
}

/** Lines that are no JSON, but are together: one message over several lines. */
function isBroken({ at, message }: Line, lines: readonly Line[]): string | undefined {
  if (message !== undefined) return undefined;
  let text = "";
  for (const line of lines.slice(at)) {
    if (line.from !== "agent" || line.message !== undefined) break;
    text += `${line.text}\n`;
  }
  // The first of them is the start; the last one alone, such as "}", is not.
  return /^\s*[{[]/.test(text) && text.trim().includes("\n") ? "a message over several lines" : undefined;
}

function told(reply: Reply): string {
  if (reply.kind === "none") return reply.why;
  return reply.kind === "result" ? "answered with a result" : `answered with ${String(errorCode(reply))}`;
}

const errorCode = (reply: Reply): unknown =>
  reply.kind === "error" && isJsonObject(reply.error) ? reply.error["code"] : undefined;

/** What came back for a line that was no request, and whether the agent was still there. */
const survived =
  (step: string) =>
  (evidence: Evidence): Finding =>
    onReply(evidence, ["noise", step], (reply) => {
      const before = fromAgent(reply.lines.slice(0, reply.asked)).findLast(({ message }) =>
        isAnswer(message),
      );
      const isAbout = before !== undefined && isJsonObject(before.message) && before.message["id"] === null;
      return passed(`${isAbout ? `told ${shown(before)}` : "silent"}; then ${told(reply)}`);
    });

function survivesBatch(evidence: Evidence): Finding {
  return onReply(evidence, ["noise", "after a batch"], (reply) =>
    reply.kind === "none" ? failed(`after an array was sent: ${reply.why}`) : PASS,
  );
}

function answersBatch(evidence: Evidence): Finding {
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

function quietBeforeOpening(evidence: Evidence): Finding {
  return onReply(evidence, ["hello", "new"], (reply) => {
    if (wantsLogin(reply)) return untested(LOGIN);
    if (reply.kind !== "result" || !isJsonObject(reply.result))
      return untested(`no session: ${shownReply(reply)}`);
    const { sessionId } = reply.result;
    const early = updatesIn(reply.lines.slice(0, reply.at)).find((update) => update.sessionId === sessionId);
    return early ? failed(shown(early.line)) : PASS;
  });
}

export function wireRequirements(version: ProtocolVersion): readonly Requirement[] {
  const every = ["hello", "turn"] as const;
  const transport: Requirement = {
    id: version === 1 ? "ACP-TRANSPORT-001" : "ACP-TRANSPORT-201",
    level: "mandatory",
    text: "Every line on stdout is one JSON-RPC 2.0 message.",
    scenes: every,
    check: (evidence) =>
      everyLine(evidence, ({ message }) => {
        const parts: readonly unknown[] = version === 2 && Array.isArray(message) ? message : [message];
        return parts.length > 0 && parts.every(isMessage) ? undefined : "no JSON-RPC 2.0 message";
      }),
  };
  const oneLine: Requirement = {
    id: "ACP-TRANSPORT-203",
    level: "mandatory",
    text: "No message is written over several lines.",
    scenes: every,
    check: (evidence) => everyLine(evidence, isBroken),
  };
  const batch: Requirement = {
    id: "TOOLGATE-BATCH-002",
    // v1 says nothing of arrays; in v2 the SDK answers them with an error and the draft one by one.
    level: version === 1 ? "advisory" : "mandatory",
    text: "An array of requests is answered, with an error or one by one.",
    scenes: ["noise"],
    check: answersBatch,
  };
  return [transport, ...(version === 2 ? [oneLine] : []), ...SHARED, batch];
}

const SHARED: readonly Requirement[] = [
  {
    id: "ACP-TRANSPORT-002",
    level: "mandatory",
    text: "What is written to stdout is UTF-8.",
    scenes: ["hello", "turn"],
    check: (evidence) => everyLine(evidence, ({ isUtf8 }) => (isUtf8 ? undefined : "not UTF-8")),
  },
  {
    id: "ACP-JSONRPC-001",
    level: "mandatory",
    text: "An answer has the id of its request as it was, a number or a string, and comes once.",
    scenes: ["manners"],
    check: (evidence) => {
      const finding = everyLine(evidence, sameId);
      if (finding.verdict !== "pass") return finding;
      return onReply(evidence, ["manners", "bad params"], (reply) =>
        reply.kind === "none" ? failed(`a request with a string as id: ${reply.why}`) : PASS,
      );
    },
  },
  {
    id: "ACP-JSONRPC-002",
    level: "mandatory",
    text: "An answer has either a result or an error with an integer code and a message.",
    scenes: ["manners", "turn"],
    check: (evidence) => everyLine(evidence, wellFormedAnswer),
  },
  {
    id: "ACP-JSONRPC-003",
    level: "mandatory",
    text: "A notification is never answered.",
    scenes: ["manners", "hello"],
    check: (evidence) =>
      onReply(evidence, ["manners", "still there"], () =>
        // In the other scenes lines were sent that are no requests, and may be answered nevertheless.
        everyLine(evidence, answersARequest, ["manners", "hello"]),
      ),
  },
  {
    id: "ACP-JSONRPC-004",
    level: "advisory",
    text: "An unknown method is answered with error -32601.",
    scenes: ["manners"],
    check: (evidence) =>
      onReply(evidence, ["manners", "unknown method"], (reply) =>
        errorCode(reply) === -32601 ? PASS : failed(shownReply(reply)),
      ),
  },
  {
    id: "ACP-JSONRPC-005",
    level: "advisory",
    text: "After a request that failed, the connection goes on.",
    scenes: ["manners"],
    check: (evidence) =>
      onReply(evidence, ["manners", "still there"], (reply) =>
        reply.kind === "none" ? failed(reply.why) : PASS,
      ),
  },
  {
    id: "ACP-SCHEMA-001",
    level: "mandatory",
    text: "Every message is valid against the schema.",
    scenes: ["hello", "turn"],
    check: (evidence) => everyLine(evidence, validMessage(evidence), inThisVersion(evidence)),
  },
  {
    id: "ACP-SCHEMA-002",
    level: "advisory",
    text: "No message has fields of its own outside of _meta.",
    scenes: ["hello", "turn"],
    check: (evidence) => everyLine(evidence, knownKeys(evidence), inThisVersion(evidence)),
  },
  {
    id: "ACP-ERROR-001",
    level: "advisory",
    text: "The message of an error is one line, and not empty.",
    scenes: ["manners"],
    check: (evidence) => everyLine(evidence, goodErrorText),
  },
  {
    id: "ACP-EXT-001",
    level: "mandatory",
    text: "A request by a custom method, which begins with _, is answered somehow.",
    scenes: ["manners"],
    check: (evidence) =>
      onReply(evidence, ["manners", "custom method"], (reply) =>
        reply.kind === "none" ? failed(shownReply(reply)) : PASS,
      ),
  },
  {
    id: "ACP-SHUTDOWN-001",
    level: "advisory",
    text: "The agent ends by itself when its stdin is closed.",
    scenes: ["manners"],
    check: ({ scenes }) => {
      const manners = scenes.get("manners");
      if (manners?.endedByItself === undefined)
        return untested(manners?.stopped ?? "the conversation did not come so far");
      return manners.endedByItself ? PASS : failed("it was still there, and was killed");
    },
  },
  {
    id: "ACP-STDERR-001",
    level: "info",
    text: "How much is written to stderr.",
    scenes: ["manners"],
    check: ({ scenes }) => passed(`${scenes.get("manners")?.stderrBytes ?? 0} bytes`),
  },
  {
    id: "ACP-INFO-PARSE-001",
    level: "info",
    text: "What becomes of a line that is no JSON.",
    scenes: ["noise"],
    check: survived("after bad JSON"),
  },
  {
    id: "ACP-INFO-INVALIDREQ-001",
    level: "info",
    text: "What becomes of a line that is JSON and no request.",
    scenes: ["noise"],
    check: survived("after no request"),
  },
  {
    id: "ACP-INFO-UNKNOWNSESSION-001",
    level: "info",
    text: "What becomes of a prompt for a session that does not exist.",
    scenes: ["noise"],
    check: (evidence) => onReply(evidence, ["noise", "unknown session"], (reply) => passed(told(reply))),
  },
  {
    id: "TOOLGATE-BATCH-001",
    level: "mandatory",
    text: "An array of requests does not end the connection.",
    scenes: ["noise"],
    check: survivesBatch,
  },
  {
    id: "TOOLGATE-ORDER-001",
    level: "advisory",
    text: "No update about a session comes before the answer that names it.",
    scenes: ["hello"],
    check: quietBeforeOpening,
  },
];
