/** v1: initialization, logins, new sessions. */
import { isJsonObject } from "../../json.js";
import { greeting, onReply, onResult, wantsLogin, whenAdvertised } from "../evidence.js";
import type { Evidence } from "../evidence.js";
import { failed, PASS, untested } from "../requirement.js";
import type { Finding, Requirement } from "../requirement.js";
import { isText, sessionIds } from "../session-checks.js";
import { shownReply } from "../transcript.js";

const methodsOf = (evidence: Evidence): readonly unknown[] => {
  const methods = greeting(evidence)?.["authMethods"];
  return Array.isArray(methods) ? methods : [];
};

/** Judges the agent's greeting, when there is one. */
function onGreeting(
  evidence: Evidence,
  judge: (reply: ReturnType<typeof greeting> & object) => Finding,
): Finding {
  const reply = greeting(evidence);
  return reply
    ? judge(reply)
    : untested(evidence.scenes.get("hello")?.stopped ?? "initialize gave no result");
}

export const HANDSHAKE: readonly Requirement[] = [
  {
    id: "ACP-INIT-001",
    level: "mandatory",
    text: "initialize succeeds, with a valid result and an integer protocolVersion.",
    scenes: ["hello"],
    check: (evidence) => onResult(evidence, ["hello", "initialize"], () => PASS),
  },
  {
    id: "ACP-INIT-002",
    level: "mandatory",
    text: "Asked for version 1, the agent answers with version 1.",
    scenes: ["hello"],
    check: (evidence) =>
      onReply(evidence, ["hello", "initialize"], (reply) =>
        reply.kind === "result" && isJsonObject(reply.result) && reply.result["protocolVersion"] === 1
          ? PASS
          : failed(shownReply(reply)),
      ),
  },
  {
    id: "ACP-INIT-003",
    level: "mandatory",
    text: "Asked for version 65535, the agent answers with a version that it has, not below the one it gave for 1.",
    scenes: ["hello", "future"],
    check: (evidence) =>
      onReply(evidence, ["future", "initialize"], (reply) => {
        const version = greeting(evidence, "future")?.["protocolVersion"];
        const before = greeting(evidence)?.["protocolVersion"];
        const isGood =
          Number.isInteger(version) && version !== 65_535 && Number(version) >= Number(before ?? 0);
        return isGood ? PASS : failed(shownReply(reply));
      }),
  },
  {
    id: "ACP-INIT-004",
    level: "advisory",
    text: "The result of initialize has agentInfo with a name and a version.",
    scenes: ["hello"],
    check: (evidence) =>
      onGreeting(evidence, ({ agentInfo: info }) =>
        isJsonObject(info) && isText(info["name"]) && isText(info["version"])
          ? PASS
          : failed(`agentInfo is ${JSON.stringify(info)}`),
      ),
  },
  {
    id: "ACP-AUTH-001",
    level: "advisory",
    text: "The ids of authMethods differ.",
    scenes: ["hello"],
    check: (evidence) =>
      onGreeting(evidence, () => {
        const ids = methodsOf(evidence).map((method) => (isJsonObject(method) ? method["id"] : method));
        return new Set(ids).size === ids.length ? PASS : failed(JSON.stringify(ids));
      }),
  },
  {
    id: "ACP-AUTH-002",
    level: "mandatory",
    text: "No login by terminal is offered to a client that has none.",
    scenes: ["hello"],
    check: (evidence) =>
      onGreeting(evidence, () => {
        const stray = methodsOf(evidence).find((one) => isJsonObject(one) && one["type"] === "terminal");
        return stray === undefined ? PASS : failed(JSON.stringify(stray));
      }),
  },
  {
    id: "ACP-AUTH-005",
    level: "advisory",
    text: "An agent without authMethods wants no login for session/new.",
    scenes: ["hello"],
    check: (evidence) =>
      onReply(evidence, ["hello", "new"], (reply) =>
        methodsOf(evidence).length === 0 && wantsLogin(reply) ? failed(shownReply(reply)) : PASS,
      ),
  },
  ...sessionIds("mandatory"),
  {
    id: "ACP-ADDDIRS-001",
    level: "capability",
    text: "session/new takes additionalDirectories when they are advertised.",
    scenes: ["hello"],
    check: (evidence) =>
      whenAdvertised(evidence, ["hello", "sessionCapabilities.additionalDirectories"], () =>
        onResult(evidence, ["hello", "new with directories"], () => PASS),
      ),
  },
];
