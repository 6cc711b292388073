/** All messages and calls of a ledger as documents, the newest first, each with the facts and the text of the archive. */
import { readAll, allSessions } from "../../call/index.js";
import type { FoundCall, FoundSession, Ledger, RecordedEvent, Session, ToolCall } from "../../call/index.js";
import { isCounted, partsByCall } from "../../call/call-parts.js";
import type { CallFacts, SessionFacts } from "../archive-text.js";
import { callFacts, callText, messageText, sessionFacts, storable } from "../archive-text.js";
import type { RedactionPattern } from "../redaction/redaction-pattern.js";
import { replaySession } from "../replay-session.js";

export type ArchivedSession = {
  readonly found: FoundSession;
  readonly facts: SessionFacts;
  readonly session: Session;
  readonly events: readonly RecordedEvent[];
};

export type ArchivedCall = {
  readonly found: FoundCall;
  readonly facts: CallFacts;
  readonly of: ArchivedSession;
};

export type ArchivedDocument = {
  readonly at: number;
  readonly of: ArchivedSession;
  readonly text: string;
  readonly call?: ArchivedCall;
  readonly role?: string;
};

/** The most recently written first. */
export async function archivedSessions(
  ledger: Ledger,
  patterns: readonly RedactionPattern[],
): Promise<readonly ArchivedSession[]> {
  const sessions: ArchivedSession[] = [];
  for await (const { sessionId, createdAt, updatedAt } of allSessions(ledger)) {
    const events = await readAll(ledger, sessionId);
    const { session } = replaySession(sessionId, events);
    const facts = sessionFacts(session.info, patterns);
    const { title, agent, cwd } = facts;
    const calls = callsIn(session);
    const found = {
      sessionId,
      createdAt,
      updatedAt,
      ...(title !== null && { title }),
      ...(agent !== null && { agent }),
      ...(cwd !== null && { cwd }),
      calls: calls.filter(isCounted).length,
      messages: session.timeline.length - calls.length,
      breaches: calls.filter(({ breach }) => breach).length,
    };
    sessions.push({ found, facts, session, events });
  }
  return sessions;
}

export function archivedDocuments(
  sessions: readonly ArchivedSession[],
  patterns: readonly RedactionPattern[],
): readonly ArchivedDocument[] {
  const documents = sessions.flatMap((of) => {
    const parts = partsByCall(callsIn(of.session));
    return of.session.timeline.map((entry): ArchivedDocument => {
      if (entry.type === "message") {
        const { at, role } = entry.message;
        return { at: Math.floor(at), of, text: messageText(entry.message, patterns), role };
      }
      const facts = callFacts(entry.call, patterns, parts.get(entry.call.toolCallId));
      const call = archivedCall(entry.call, facts, of);
      return { at: call.found.at, of, text: callText(entry.call, patterns), call };
    });
  });
  return documents.toSorted((one, other) => one.at - other.at).toReversed();
}

function archivedCall(call: ToolCall, facts: CallFacts, of: ArchivedSession): ArchivedCall {
  const { decidedBy, who, rule, ranMs, waitedMs, breach } = facts;
  const found: FoundCall = {
    sessionId: of.found.sessionId,
    toolCallId: storable(call.toolCallId),
    at: Math.floor(call.times.announced),
    tool: facts.name,
    kind: facts.kind,
    title: facts.title,
    status: facts.status,
    ...(decidedBy !== null && { decidedBy }),
    ...(who !== null && { who }),
    ...(rule !== null && { rule }),
    ...(ranMs !== null && { ranMs }),
    ...(waitedMs !== null && { waitedMs }),
    outputSize: facts.outputSize,
    ...(breach !== null && { breach }),
  };
  return { found, facts, of };
}

const callsIn = ({ timeline }: Session): readonly ToolCall[] =>
  timeline.flatMap((entry) => (entry.type === "call" ? [entry.call] : []));
