/** The messages that a person sent in the newest sessions of a folder, the newest first. */
import { readAll, readSessionInfo } from "../../call/index.js";
import type { Ledger } from "../../call/index.js";

const MAX_SESSIONS = 30;
const MAX_PROMPTS = 200;

export async function recentPrompts(ledger: Ledger, folder: string): Promise<readonly string[]> {
  const prompts: string[] = [];
  for (const { sessionId } of await ledger.sessions({ limit: MAX_SESSIONS })) {
    if ((await readSessionInfo(ledger, sessionId)).cwd !== folder) continue;
    const events = await readAll(ledger, sessionId, { type: "message-chunk" });
    const own = events.flatMap(({ event }) =>
      event.type === "message-chunk" && event.role === "user" && event.block.type === "text"
        ? [event.block.text]
        : [],
    );
    prompts.push(...own.toReversed());
    if (prompts.length >= MAX_PROMPTS) break;
  }
  return prompts.filter((text, index) => text !== prompts[index - 1]).slice(0, MAX_PROMPTS);
}
