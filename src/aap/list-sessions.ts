/** The sessions that apps have made, a page at a time, the most recently written first. */
import { z } from "zod";
import type { SessionSummary } from "../call/index.js";
import type { AapSetting } from "./aap-setting.js";
import type { SessionInfo, SessionPage } from "./client/protocol.js";
import { AapProblem } from "./problem.js";
import { storedSession, wireSession } from "./session-config.js";

const PAGE = 20;

const summary = z.object({ sessionId: z.string(), createdAt: z.number(), updatedAt: z.number() });

export async function listSessions(
  { ledger, agents }: Pick<AapSetting, "ledger" | "agents">,
  after: string | undefined,
): Promise<SessionPage> {
  let before = after === undefined ? undefined : readCursor(after);
  const found: { readonly at: SessionSummary; readonly session: SessionInfo }[] = [];
  for (;;) {
    const batch = await ledger.sessions({ limit: PAGE, ...(before && { before }) });
    for (const at of batch) {
      const stored = storedSession(await ledger.read(at.sessionId));
      if (!stored) continue;
      const { config } = stored;
      const options = agents.get(config.agent.name)?.options ?? [];
      found.push({ at, session: wireSession(at.sessionId, config, options) });
    }
    before = batch.at(-1);
    if (batch.length < PAGE || found.length > PAGE) break;
  }
  const page = found.slice(0, PAGE);
  const last = page.at(-1);
  const sessions = page.map(({ session }) => session);
  return found.length > PAGE && last ? { sessions, next: cursorAt(last.at) } : { sessions };
}

function cursorAt(at: SessionSummary): string {
  return Buffer.from(JSON.stringify(at)).toString("base64url");
}

function readCursor(cursor: string): SessionSummary {
  try {
    return summary.parse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
  } catch {
    throw new AapProblem("BAD_REQUEST", 'This "after" is not one that this server gave. Nothing was listed.');
  }
}
