/** The requirements of both versions for the sessions that a connection opens. */
import { onResult } from "./evidence.js";
import { failed, PASS } from "./requirement.js";
import type { Level, Requirement } from "./requirement.js";
import { shownReply } from "./transcript.js";

export const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

export const sessionIds = (level: Level): readonly Requirement[] => [
  {
    id: "ACP-SESSION-001",
    level,
    text: "session/new succeeds, with a valid result and a sessionId that is not empty.",
    scenes: ["hello"],
    check: (evidence) =>
      onResult(evidence, ["hello", "new"], ({ sessionId }, reply) =>
        isText(sessionId) ? PASS : failed(shownReply(reply)),
      ),
  },
  {
    id: "ACP-SESSION-002",
    level,
    text: "Two sessions of a connection have different ids.",
    scenes: ["hello"],
    check: (evidence) =>
      onResult(evidence, ["hello", "new"], ({ sessionId: first }) =>
        onResult(evidence, ["hello", "new again"], ({ sessionId: second }, reply) =>
          first === second ? failed(shownReply(reply)) : PASS,
        ),
      ),
  },
];
