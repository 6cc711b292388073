/** v2: turns that are cancelled, or whose session is closed. */
import { isJsonObject } from "../../json.js";
import { onReply, onTurn } from "../evidence.js";
import type { Evidence, Turn } from "../evidence.js";
import { failed, PASS, untested } from "../requirement.js";
import type { Finding, Requirement, SceneName } from "../requirement.js";
import { fromAgent, isResponse, shown, shownReply, updatesIn } from "../transcript.js";
import { endLine, lastUpdate, STOP_REASONS } from "./turn-end.js";
import { TOO_LATE } from "../v1/prompts.js";

const onInterrupted =
  (scene: SceneName, judge: (turn: Turn, stopReason: unknown) => Finding) =>
  (evidence: Evidence): Finding =>
    onTurn(evidence, [scene, "prompt"], (turn) =>
      turn.interruptedAt === undefined ? untested(TOO_LATE) : judge(turn, lastUpdate(turn)?.["stopReason"]),
    );

const isCancelled = (turn: Turn, stopReason: unknown): Finding =>
  stopReason === "cancelled" ? PASS : failed(endLine(turn));

const cancelled = { level: "capability", scenes: ["cancelled"] } as const;

export const CANCEL_V2: readonly Requirement[] = [
  {
    ...cancelled,
    id: "ACP-CANCEL-201",
    text: "A cancelled turn becomes idle with stopReason cancelled.",
    check: onInterrupted("cancelled", isCancelled),
  },
  {
    ...cancelled,
    id: "ACP-CANCEL-202",
    text: "After the idle state of a cancelled turn no other state follows.",
    check: onInterrupted("cancelled", ({ reply, end, sessionId }) => {
      if (end === undefined) return untested("the turn did not become idle");
      const late = updatesIn(reply.lines.slice(end + 1)).find(
        (one) => one.sessionId === sessionId && one.update["sessionUpdate"] === "state_update",
      );
      return late ? failed(shown(late.line)) : PASS;
    }),
  },
  {
    ...cancelled,
    id: "ACP-CANCEL-203",
    text: "A cancelled turn does not end with an error or with another stopReason.",
    check: onInterrupted("cancelled", (turn, stopReason) => {
      if (turn.reply.kind === "error") return failed(shownReply(turn.reply));
      return STOP_REASONS.has(stopReason) && stopReason !== "cancelled" ? failed(endLine(turn)) : PASS;
    }),
  },
  {
    ...cancelled,
    id: "ACP-CANCEL-205",
    text: "session/cancel is not answered.",
    check: onInterrupted("cancelled", ({ reply: { lines } }) => {
      const ids = new Set(
        lines.map(({ from, message }) => (from === "client" && isJsonObject(message) ? message["id"] : "")),
      );
      const odd = fromAgent(lines).find(
        ({ message }) => isResponse(message) && !ids.has(message["id"] ?? null),
      );
      return odd ? failed(shown(odd)) : PASS;
    }),
  },
  {
    id: "ACP-CANCEL-206",
    level: "capability",
    text: "session/cancel with _meta works as without.",
    scenes: ["cancelled-question"],
    check: onInterrupted("cancelled-question", isCancelled),
  },
  {
    ...cancelled,
    id: "ACP-CANCEL-207",
    text: "A stopReason that is not of the protocol begins with _, also after a cancel.",
    check: onInterrupted("cancelled", (turn, stopReason) =>
      typeof stopReason === "string" && !STOP_REASONS.has(stopReason) && !stopReason.startsWith("_")
        ? failed(endLine(turn))
        : PASS,
    ),
  },
  ...["ACP-CANCEL-208", "ACP-CLOSE-202"].map((id): Requirement => ({
    id,
    level: "capability",
    text: "session/close cancels the turn that is under way.",
    scenes: ["closed"],
    check: onInterrupted("closed", isCancelled),
  })),
  {
    id: "ACP-CLOSE-201",
    level: "capability",
    text: "session/close of a session without a turn succeeds.",
    scenes: ["hello"],
    check: (evidence) =>
      onReply(evidence, ["hello", "close"], (reply) =>
        reply.kind === "result" && isJsonObject(reply.result) ? PASS : failed(shownReply(reply)),
      ),
  },
];
