/** v2: initialization, logins, new sessions. */
import { isJsonObject, isNone } from "../../json.js";
import type { JsonObject } from "../../json.js";
import { greeting, onReply, onResult, wantsLogin, whenAdvertised } from "../evidence.js";
import type { Evidence } from "../evidence.js";
import { failed, PASS, untested } from "../requirement.js";
import type { Finding, Requirement } from "../requirement.js";
import { isText, sessionIds } from "../session-checks.js";
import { shownReply } from "../transcript.js";

/** Judges a greeting that is of this version; another one may look as it likes. */
function onGreeting(evidence: Evidence, judge: (reply: JsonObject) => Finding): Finding {
  const reply = greeting(evidence);
  if (!reply) return untested(evidence.scenes.get("hello")?.stopped ?? "initialize gave no result");
  return reply["protocolVersion"] === 2 ? judge(reply) : untested("the agent does not answer with version 2");
}

const methodsIn = ({ authMethods }: JsonObject): readonly JsonObject[] =>
  Array.isArray(authMethods) ? authMethods.filter(isJsonObject) : [];

/** The markers that the protocol knows; all of them are objects. */
const MARKERS: readonly string[] = [
  "session",
  "auth",
  "session.prompt",
  "session.prompt.image",
  "session.prompt.audio",
  "session.prompt.embeddedContext",
  "session.mcp",
  "session.mcp.stdio",
  "session.mcp.http",
  "session.delete",
  "session.additionalDirectories",
];

function markersAreObjects({ capabilities }: JsonObject): Finding {
  if (isNone(capabilities)) return PASS;
  if (!isJsonObject(capabilities)) return failed(`capabilities is ${JSON.stringify(capabilities)}`);
  for (const path of MARKERS) {
    let value: unknown = capabilities;
    for (const key of path.split(".")) value = isJsonObject(value) ? value[key] : undefined;
    if (!isNone(value) && !isJsonObject(value)) return failed(`${path} is ${JSON.stringify(value)}`);
  }
  return PASS;
}

/** To a client that asked for 1. */
const ACCEPTED: ReadonlySet<unknown> = new Set([1, 2]);

const versionOf = (evidence: Evidence, scene: "hello" | "future" | "past"): unknown =>
  greeting(evidence, scene)?.["protocolVersion"];

const takesDirectories = (
  id: string,
  [scene, method]: readonly ["hello" | "resumed", string],
): Requirement => ({
  id,
  level: "capability",
  text: `session/${method} takes additionalDirectories when they are advertised.`,
  scenes: [scene],
  check: (evidence) =>
    whenAdvertised(evidence, [scene, "session.additionalDirectories"], () =>
      onResult(evidence, [scene, `${method} with directories`], () => PASS),
    ),
});

export const HANDSHAKE_V2: readonly Requirement[] = [
  {
    id: "ACP-INIT-001",
    level: "mandatory",
    text: "initialize succeeds.",
    scenes: ["hello"],
    check: (evidence) =>
      onReply(evidence, ["hello", "initialize"], (reply) =>
        reply.kind === "result" && isJsonObject(reply.result) ? PASS : failed(shownReply(reply)),
      ),
  },
  {
    id: "ACP-INIT-201",
    level: "mandatory",
    text: "Asked for version 2, the agent answers with 2, or with the latest that it has.",
    scenes: ["hello", "future"],
    check: (evidence) =>
      onReply(evidence, ["hello", "initialize"], (reply) => {
        const version = versionOf(evidence, "hello");
        return Number.isInteger(version) && (version === 2 || version === versionOf(evidence, "future"))
          ? PASS
          : failed(shownReply(reply));
      }),
  },
  {
    id: "ACP-INIT-003",
    level: "mandatory",
    text: "Asked for version 65535, the agent answers with a version that it has, not below the one it gave for 2.",
    scenes: ["hello", "future"],
    check: (evidence) =>
      onReply(evidence, ["future", "initialize"], (reply) => {
        const version = versionOf(evidence, "future");
        const before = versionOf(evidence, "hello");
        const isGood =
          typeof version === "number" &&
          Number.isInteger(version) &&
          version !== 65_535 &&
          version >= (typeof before === "number" ? before : 0);
        return isGood ? PASS : failed(shownReply(reply));
      }),
  },
  {
    id: "ACP-INIT-202",
    level: "mandatory",
    text: "Asked for version 1, the agent answers with 1 or 2, not with an error.",
    scenes: ["past"],
    check: (evidence) =>
      onReply(evidence, ["past", "initialize"], (reply) =>
        ACCEPTED.has(versionOf(evidence, "past")) ? PASS : failed(shownReply(reply)),
      ),
  },
  {
    id: "ACP-INIT-203",
    level: "mandatory",
    text: "The result of initialize has info with a name and a version.",
    scenes: ["hello"],
    check: (evidence) =>
      onGreeting(evidence, ({ info }) =>
        isJsonObject(info) && isText(info["name"]) && isText(info["version"])
          ? PASS
          : failed(`info is ${JSON.stringify(info)}`),
      ),
  },
  {
    id: "ACP-INIT-204",
    level: "mandatory",
    text: "Every capability is an object or absent, never a boolean.",
    scenes: ["hello"],
    check: (evidence) => onGreeting(evidence, markersAreObjects),
  },
  {
    id: "ACP-EXT-202",
    level: "advisory",
    text: "Capabilities of the agent's own are in capabilities._meta.",
    scenes: ["hello"],
    check: (evidence) =>
      onGreeting(evidence, ({ capabilities }) => {
        const [stranger] = evidence.schema.unknownKeys("AgentCapabilities", capabilities);
        return stranger === undefined ? PASS : failed(`capabilities.${stranger}`);
      }),
  },
  {
    id: "ACP-AUTH-201",
    level: "advisory",
    text: "The methodIds of authMethods differ.",
    scenes: ["hello"],
    check: (evidence) =>
      onGreeting(evidence, (reply) => {
        const ids = methodsIn(reply).map(({ methodId }) => methodId);
        return new Set(ids).size === ids.length ? PASS : failed(JSON.stringify(ids));
      }),
  },
  {
    id: "ACP-AUTH-202",
    level: "mandatory",
    text: "No login by terminal is offered to a client that has none.",
    scenes: ["hello"],
    check: (evidence) =>
      onGreeting(evidence, (reply) => {
        const stray = methodsIn(reply).find(({ type }) => type === "terminal");
        return stray ? failed(JSON.stringify(stray)) : PASS;
      }),
  },
  {
    id: "ACP-AUTH-205",
    level: "advisory",
    text: "An agent without authMethods wants no login for session/new.",
    scenes: ["hello"],
    check: (evidence) =>
      onReply(evidence, ["hello", "new"], (reply) =>
        methodsIn(greeting(evidence) ?? {}).length === 0 && wantsLogin(reply)
          ? failed(shownReply(reply))
          : PASS,
      ),
  },
  {
    id: "ACP-AUTH-206",
    level: "mandatory",
    text: "The type of a login is agent, terminal, or begins with _.",
    scenes: ["hello"],
    check: (evidence) =>
      onGreeting(evidence, (reply) => {
        const odd = methodsIn(reply).find(
          ({ type }) => type !== "agent" && type !== "terminal" && !String(type).startsWith("_"),
        );
        return odd ? failed(JSON.stringify(odd)) : PASS;
      }),
  },
  ...sessionIds("capability"),
  {
    id: "ACP-SESSION-203",
    level: "capability",
    text: "session/new takes mcpServers that are absent as well as an empty list.",
    scenes: ["hello"],
    check: (evidence) =>
      onResult(evidence, ["hello", "new"], () => onResult(evidence, ["hello", "new again"], () => PASS)),
  },
  takesDirectories("ACP-ADDDIRS-201", ["hello", "new"]),
  takesDirectories("ACP-ADDDIRS-202", ["resumed", "resume"]),
];
