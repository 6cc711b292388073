/** v2: updates that patch by id. */
import { isJsonObject, isNone } from "../../json.js";
import { isAbsolutePath } from "../call-rules.js";
import { callSteps } from "../call-steps.js";
import type { CallStep } from "../call-steps.js";
import { onReply, onTurn } from "../evidence.js";
import type { Evidence } from "../evidence.js";
import { failed, PASS, untested } from "../requirement.js";
import type { Finding, Requirement } from "../requirement.js";
import { updatesIn } from "../transcript.js";
import { each, named } from "./each-update.js";

const MESSAGES = /^(?:user|agent)_(?:message|thought)(?:_chunk)?$/;
const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const isBase64 = (value: unknown): boolean =>
  typeof value === "string" && /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value);

function steadyTerminals(evidence: Evidence): Finding {
  const folders = new Map<unknown, unknown>();
  return each(
    evidence,
    { what: "terminal_update", isIt: named("terminal_update") },
    ({ terminalId, cwd }) => {
      if (isNone(cwd)) return undefined;
      if (!isAbsolutePath(cwd)) return "cwd is not an absolute path";
      const before = folders.get(terminalId) ?? cwd;
      folders.set(terminalId, cwd);
      return before === cwd ? undefined : "cwd is another than before";
    },
  );
}

function titledCalls(evidence: Evidence): Finding {
  const names = new Map<unknown, unknown>();
  return each(
    evidence,
    { what: "tool_call_update", isIt: named("tool_call_update") },
    ({ toolCallId, title, name }) => {
      if (!names.has(toolCallId) && !isText(title)) return "the first update of a call has no title";
      const before = names.get(toolCallId) ?? name;
      names.set(toolCallId, before);
      return isNone(name) || before === name ? undefined : "the name of a call changed";
    },
  );
}

/** While the agent waits for us and nothing else, the state is requires_action, and running again afterwards. */
function stateWhileAsked(evidence: Evidence): Finding {
  return onTurn(evidence, ["turn", "prompt"], ({ reply: { lines }, end, sessionId }) => {
    const steps = callSteps(lines.slice(0, end), evidence.version).filter(
      (step) => step.sessionId === sessionId,
    );
    const question = steps.find((step) => step.type === "asked");
    if (!question)
      return untested("the agent asked for no permission; give it a --prompt that makes it do so");
    const answer = steps.find((step) => step.type === "answered" && step.requestId === question.requestId);
    if (!answer) return untested("the question was not answered");
    const isAtWork = (step: CallStep): boolean =>
      step.type === "reported" && step.line.at < answer.line.at && step.fields["status"] === "in_progress";
    if (steps.some(isAtWork)) return untested("another call was at work while the question was open");
    const states = (from: number, to?: number): readonly unknown[] =>
      updatesIn(lines.slice(from, to))
        .filter((one) => one.sessionId === sessionId && one.update["sessionUpdate"] === "state_update")
        .map(({ update }) => update["state"]);
    const before = states(0, answer.line.at).at(-1);
    if (before !== "requires_action")
      return failed(`the state is ${JSON.stringify(before)} while the question is open`);
    return states(answer.line.at, end).includes("running")
      ? PASS
      : failed("it is not running again after the answer");
  });
}

const session = { level: "capability", scenes: ["turn"] } as const;

export const PATCHES: readonly Requirement[] = [
  {
    ...session,
    id: "ACP-PATCH-201",
    text: "Every message and every chunk of one has a messageId that is not empty.",
    check: (evidence) =>
      each(
        evidence,
        { what: "message", isIt: ({ sessionUpdate }) => MESSAGES.test(String(sessionUpdate)) },
        ({ messageId }) => (isText(messageId) ? undefined : "no messageId"),
      ),
  },
  {
    ...session,
    id: "ACP-PATCH-203",
    text: "Two prompts of a session have different messageIds.",
    check: (evidence) =>
      onReply(evidence, ["turn", "prompt"], (first) =>
        onReply(evidence, ["turn", "prompt again"], (second) => {
          if (first.kind !== "result" || second.kind !== "result")
            return untested("a prompt was not accepted");
          const ids = [first, second].map(({ result }) =>
            isJsonObject(result) ? result["messageId"] : undefined,
          );
          return ids[0] === ids[1] ? failed(`both have ${JSON.stringify(ids[0])}`) : PASS;
        }),
      ),
  },
  {
    ...session,
    id: "ACP-PATCH-204",
    text: "Every report of a call has its toolCallId, and every chunk of one its content.",
    check: (evidence) =>
      each(
        evidence,
        { what: "tool call", isIt: named("tool_call_update", "tool_call_content_chunk") },
        ({ sessionUpdate, toolCallId, content }) => {
          if (!isText(toolCallId)) return "no toolCallId";
          return sessionUpdate === "tool_call_content_chunk" && !isJsonObject(content)
            ? "no content"
            : undefined;
        },
      ),
  },
  {
    ...session,
    id: "ACP-PATCH-205",
    text: "Every plan has a planId that is not empty.",
    check: (evidence) =>
      each(evidence, { what: "plan_update", isIt: named("plan_update") }, ({ plan }) =>
        isJsonObject(plan) && isText(plan["planId"]) ? undefined : "no planId",
      ),
  },
  {
    ...session,
    id: "ACP-PATCH-206",
    text: "The cwd of a terminal is absolute and stays.",
    check: steadyTerminals,
  },
  {
    ...session,
    id: "ACP-PATCH-207",
    text: "Output of terminals is base64, every chunk by itself.",
    check: (evidence) =>
      each(
        evidence,
        {
          what: "output of a terminal",
          isIt: (update) =>
            named("terminal_output_chunk")(update) ||
            (named("terminal_update")(update) && isJsonObject(update["output"])),
        },
        ({ data, output }) =>
          isBase64(isJsonObject(output) ? output["data"] : data) ? undefined : "not base64",
      ),
  },
  {
    id: "ACP-PATCH-208",
    level: "advisory",
    text: "The first report of a call has a title, and its name stays.",
    scenes: ["turn"],
    check: titledCalls,
  },
  {
    id: "ACP-PATCH-209",
    level: "advisory",
    text: "While a permission request is open the state is requires_action, and running again afterwards.",
    scenes: ["turn"],
    check: stateWhileAsked,
  },
];
