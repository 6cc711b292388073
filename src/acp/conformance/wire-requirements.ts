/** The requirements for every line, in both versions: JSON-RPC, the schema, errors, extensions, the end. */
import { pluralize } from "../../call/index.js";
import { onReply } from "./evidence.js";
import {
  answersARequest,
  answersArray,
  answersBatch,
  replyCode,
  everyLine,
  goodErrorText,
  inThisVersion,
  isBroken,
  isMessage,
  knownKeys,
  quietBeforeOpening,
  sameId,
  survived,
  survivesBatch,
  outcomeOf,
  validMessage,
  wellFormedAnswer,
} from "./line-checks.js";
import { failed, PASS, passed, untested } from "./requirement.js";
import type { ProtocolVersion, Requirement } from "./requirement.js";
import { shownReply } from "./transcript.js";

export function wireRequirements(version: ProtocolVersion): readonly Requirement[] {
  const every = ["hello", "turn"] as const;
  const transport: Requirement = {
    id: version === 1 ? "ACP-TRANSPORT-001" : "ACP-TRANSPORT-201",
    level: "mandatory",
    text: "Every line on stdout is one JSON-RPC 2.0 message.",
    scenes: every,
    check: (evidence) =>
      everyLine(evidence, (line, lines) => {
        const { message } = line;
        const mayBeArray = version === 2 || answersArray(line, lines);
        const parts: readonly unknown[] = mayBeArray && Array.isArray(message) ? message : [message];
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
    text: "The bytes on stdout are UTF-8.",
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
        replyCode(reply) === -32601 ? PASS : failed(shownReply(reply)),
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
        return untested(manners?.stopped ?? "the conversation broke off before stdin was closed");
      return manners.endedByItself ? PASS : failed("it was still there, and was killed");
    },
  },
  {
    id: "ACP-STDERR-001",
    level: "info",
    text: "How much is written to stderr.",
    scenes: ["manners"],
    check: ({ scenes }) => passed(pluralize(scenes.get("manners")?.stderrBytes ?? 0, "byte")),
  },
  {
    id: "ACP-INFO-PARSE-001",
    level: "info",
    text: "How the agent treats a line that is no JSON.",
    scenes: ["noise"],
    check: survived("after bad JSON"),
  },
  {
    id: "ACP-INFO-INVALIDREQ-001",
    level: "info",
    text: "How the agent treats a line that is JSON and no request.",
    scenes: ["noise"],
    check: survived("after no request"),
  },
  {
    id: "ACP-INFO-UNKNOWNSESSION-001",
    level: "info",
    text: "How the agent treats a prompt for a session that does not exist.",
    scenes: ["noise"],
    check: (evidence) => onReply(evidence, ["noise", "unknown session"], (reply) => passed(outcomeOf(reply))),
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
