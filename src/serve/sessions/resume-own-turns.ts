/**
 * Continues the turns that were started here and ran when the server died, or whose question expired meanwhile. Editors, terminals and apps continue theirs
 * themselves; a ledger that instances share names the work of the dead.
 */
import type { ServeContext } from "../server/serve-context.js";
import type { PageTurns } from "./page-turns.js";
import type { SessionIndex } from "./session-index.js";

const RECENT_SESSIONS = 50;
const OWN_DOORS: ReadonlySet<string> = new Set(["page", "demo"]);

export async function resumeOwnTurns(
  { ledger, onError, now }: ServeContext,
  index: SessionIndex,
  turns: Pick<PageTurns, "takeOver">,
): Promise<void> {
  if (ledger.work) return;
  for (const { sessionId, lastSeq } of await ledger.sessions({ limit: RECENT_SESSIONS })) {
    const facts = (await index.read(sessionId, lastSeq))?.facts;
    if (!facts || !OWN_DOORS.has(facts.door)) continue;
    const questions = [...facts.openQuestions.values()];
    const isExpired = questions.some(({ expiresAt = Infinity }) => expiresAt <= now());
    if (facts.turn?.status !== "running" && !(facts.turn?.status === "parked" && isExpired)) continue;
    // Another process that has the session goes on with it.
    void turns.takeOver(sessionId).catch(onError);
  }
}
