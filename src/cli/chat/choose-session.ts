/** `/sessions`: continues another conversation, of this folder or of the server that one talks with. */
import { allSessions, oneLine, readSessionInfo } from "../../call/index.js";
import type { Ledger } from "../../call/index.js";
import { hasTurn } from "../find-session.js";
import { localTime } from "../local-time.js";
import { isForeign } from "../session-flags.js";
import { shortId } from "../short-id.js";
import type { Chat } from "./chat.js";
import { pickOne } from "./pick-one.js";

const MAX_LISTED = 100;

type Listed = { readonly sessionId: string; readonly title?: string; readonly updatedAt: number };

export async function chooseSession(chat: Chat): Promise<string | undefined> {
  const { ledger, session, own, page } = chat.conversation;
  const found = page
    ? await page.others()
    : ledger
      ? await othersIn(ledger, session.sessionId, chat.folder)
      : [];
  if (found.length === 0)
    return `There is no other conversation ${page ? "at this server" : "in this folder"}.`;
  const choices = found.map(({ sessionId, title = "(no title)", updatedAt }) => ({
    value: sessionId,
    label: `${localTime(updatedAt)}  ${oneLine(title, 60)}  ${shortId(sessionId)}`,
  }));
  const chosen = await pickOne(chat.footer, "Conversation:", choices);
  if (chosen !== undefined) await chat.reopen({ ...withoutModel(own?.flags ?? chat.flags), resume: chosen });
  return undefined;
}

async function othersIn(ledger: Ledger, current: string, folder: string): Promise<readonly Listed[]> {
  const found: Listed[] = [];
  for await (const { sessionId, updatedAt } of allSessions(ledger)) {
    if (sessionId === current) continue;
    const info = await readSessionInfo(ledger, sessionId);
    const { cwd, title } = info;
    if (cwd !== folder || isForeign(info) || !(await hasTurn(ledger, sessionId))) continue;
    found.push({ sessionId, updatedAt, ...(title !== undefined && { title }) });
    if (found.length === MAX_LISTED) break;
  }
  return found;
}

/** A resumed session has a model of its own. */
function withoutModel<Flags extends { readonly model?: string; readonly script?: string }>(flags: Flags) {
  const { model: _model, script: _script, ...kept } = flags;
  return kept;
}
