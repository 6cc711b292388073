/**
 * The rules of tool calls that no other kit checks, for both versions. Each one has broken an editor: the
 * issues are named in docs/conformance.md.
 */
import { isJsonObject } from "../json.js";
import {
  absolutePaths,
  announcedFirst,
  closedBeforeTheEnd,
  idsOnce,
  noBackwardStatus,
  notApproved,
  nothingAfterCancel,
  nothingAfterTheEnd,
  questionNamesItsCall,
  stillWhileAsked,
  usableOptions,
  wrappedContent,
} from "./call-rules.js";
import type { Rule } from "./call-rules.js";
import { callSteps } from "./call-steps.js";
import type { CallStep } from "./call-steps.js";
import { conversations, onResult } from "./evidence.js";
import type { Evidence } from "./evidence.js";
import { failed, PASS, untested } from "./requirement.js";
import type { Finding, ProtocolVersion, Requirement, SceneName } from "./requirement.js";
import { shown, updatesIn } from "./transcript.js";
import type { Line } from "./transcript.js";

/** The sessions that were opened or prompted in a conversation. */
function sessionsOf(lines: readonly Line[]): ReadonlySet<unknown> {
  return new Set(
    lines.flatMap(({ message }) => {
      if (!isJsonObject(message)) return [];
      const inside = message["method"] === "session/prompt" ? message["params"] : message["result"];
      return isJsonObject(inside) ? [inside["sessionId"]] : [];
    }),
  );
}

function knownSessions(evidence: Evidence): Finding {
  let count = 0;
  for (const lines of conversations(evidence, CALL_SCENES)) {
    const known = sessionsOf(lines);
    for (const { type, sessionId, line } of callSteps(lines, evidence.version)) {
      if (type === "turn-started") continue;
      if (!known.has(sessionId)) return failed(`no such session: ${shown(line)}`);
      count++;
    }
  }
  return count > 0 ? PASS : untested(why(evidence, CALL_SCENES, "said nothing about a session"));
}

const isCancelled = (step: CallStep): boolean => step.type === "turn-ended" && step.isCancelled;

function quietAfterCancel(evidence: Evidence): Finding {
  const stories = conversations(evidence, CANCELLED).map((lines) => callSteps(lines, evidence.version));
  for (const steps of stories) {
    const offence = nothingAfterCancel(steps, evidence.version);
    if (offence) return failed(`${offence.how}: ${shown(offence.line)}`);
  }
  if (stories.some((steps) => steps.some(isCancelled))) return PASS;
  return untested(
    evidence.scenes.get("cancelled")?.stopped ??
      "no turn ended as cancelled; give a longer one with --cancel-prompt",
  );
}

/** The calls that were reported in one of the two processes of the scene. */
const callIds = ({ scenes }: Evidence, conversation: number): ReadonlySet<unknown> => {
  const updates = updatesIn(scenes.get("loaded")?.conversations[conversation] ?? []);
  return new Set(
    updates
      .filter(({ update }) => /^tool_call(?:_update)?$/.test(String(update["sessionUpdate"])))
      .map(({ update }) => update["toolCallId"]),
  );
};

function replaysCalls(evidence: Evidence): Finding {
  return onResult(evidence, ["loaded", "load"], () => {
    const live = callIds(evidence, 0);
    if (live.size === 0) return untested(why(evidence, ["loaded"], "made no tool call"));
    const replayed = callIds(evidence, 1);
    const lost = [...live].find((id) => !replayed.has(id));
    return lost === undefined ? PASS : failed(`the call ${JSON.stringify(lost)} was not shown again`);
  });
}

/** Looked at when they were held; one that calls tools is enough to judge. */
const CALL_SCENES: readonly SceneName[] = ["turn", "refused", "cancelled", "cancelled-question"];
const CANCELLED: readonly SceneName[] = ["cancelled", "cancelled-question"];

function judged(rule: Rule, scenes: readonly SceneName[], needs: "calls" | "questions" | "answers") {
  return (evidence: Evidence): Finding => {
    const stories = conversations(evidence, scenes).map((lines) => callSteps(lines, evidence.version));
    const has = (type: CallStep["type"]): boolean =>
      stories.some((steps) => steps.some((one) => one.type === type));
    for (const steps of stories) {
      const offence = rule(steps, evidence.version);
      if (offence) return failed(`${offence.how}: ${shown(offence.line)}`);
    }
    if (needs === "calls" && !has("reported")) return untested(why(evidence, scenes, "made no tool call"));
    if (needs !== "calls" && !has("asked")) return untested(why(evidence, scenes, "asked for no permission"));
    return PASS;
  };
}

/** Why there was nothing to judge: the agent did not do it, or the conversation did not come so far. */
function why({ scenes }: Evidence, names: readonly SceneName[], what: string): string {
  const stopped = names.map((name) => scenes.get(name)?.stopped);
  const [reason] = stopped;
  return reason !== undefined && stopped.every((one) => one !== undefined)
    ? reason
    : `the agent ${what}; give it a --prompt that makes it do so`;
}

type Row = readonly [id: string, text: string, rule: Rule, needs?: "questions"];

const ROWS: readonly Row[] = [
  ["002", "Content items of a call are wrapped: content, diff or terminal.", wrappedContent],
  ["003", "The status of a call never goes back.", noBackwardStatus],
  ["004", "Nothing is said about a call after its final status.", nothingAfterTheEnd],
  ["005", "Every call of a turn has a final status before the turn is over.", closedBeforeTheEnd],
  ["006", "The id of a call is never given to another call of the session.", idsOnce],
  ["007", "A permission request names an open call by its own id.", questionNamesItsCall, "questions"],
  ["008", "Paths of diffs and locations are absolute.", absolutePaths],
  ["009", "A call stays pending while its permission request is open.", stillWhileAsked, "questions"],
];

export function toolCallRequirements(version: ProtocolVersion): readonly Requirement[] {
  const call = ([id, text, rule, needs]: Row): Requirement => ({
    id: `TOOLGATE-CALL-${id}`,
    level: "capability",
    text,
    scenes: ["turn"],
    check: judged(rule, CALL_SCENES, needs ?? "calls"),
  });
  const announced: Row = [
    "001",
    "A call is announced by tool_call before any update or permission request about it.",
    announcedFirst,
  ];
  return [
    ...(version === 1 ? [call(announced)] : []),
    ...ROWS.map(call),
    {
      id: "TOOLGATE-CALL-010",
      level: "capability",
      text: "Every update and permission request carries the id of a session of this connection.",
      scenes: ["turn"],
      check: knownSessions,
    },
    {
      id: "TOOLGATE-CALL-011",
      level: "capability",
      text: "No update follows the end of a cancelled turn.",
      scenes: CANCELLED,
      check: quietAfterCancel,
    },
    {
      id: "TOOLGATE-PERM-001",
      level: "capability",
      text: "A call whose permission was refused or cancelled is never completed.",
      scenes: ["refused", "cancelled-question"],
      check: judged(
        notApproved("reject_once", "reject_always", "cancelled"),
        ["refused", "cancelled-question"],
        "answers",
      ),
    },
    {
      id: "TOOLGATE-PERM-002",
      level: "advisory",
      text: "A permission request can be allowed and rejected, and its option ids differ.",
      scenes: ["turn"],
      check: judged(usableOptions, CALL_SCENES, "questions"),
    },
    {
      id: "TOOLGATE-PERM-003",
      level: version === 1 ? "advisory" : "capability",
      text: "An option that was not offered, or an unknown outcome, is no permission.",
      scenes: ["unoffered"],
      check: judged(notApproved("unoffered", "_toolgate.dev/later"), ["unoffered"], "answers"),
    },
    {
      id: "TOOLGATE-LOAD-001",
      level: "advisory",
      text: "A session that is loaded again shows every tool call that was seen live.",
      scenes: ["loaded"],
      check: replaysCalls,
    },
  ];
}
