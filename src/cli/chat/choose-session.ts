/** `/sessions`: continues another conversation, of this folder, of the agent or of the server that one talks with. */
import { allSessions, oneLine, readSessionInfo, visibleText } from "../../call/index.js";
import type { Ledger, SessionInfo } from "../../call/index.js";
import { hasTurn } from "../find-session.js";
import { localTime } from "../local-time.js";
import { agentSessionOf, isForeign } from "../session-flags.js";
import { shortId } from "../short-id.js";
import type { Chat } from "./chat.js";
import type { Conversation } from "./conversation.js";
import { pickOne } from "./pick-one.js";

const MAX_LISTED = 100;

/** `updatedAt` is undefined where the agent does not say. */
type Listed = {
  readonly sessionId: string;
  readonly title?: string;
  readonly updatedAt: number | undefined;
};

export async function chooseSession(chat: Chat): Promise<string | undefined> {
  const { own, page, foreign } = chat.conversation;
  if (foreign && !foreign.agent.canLoad && !foreign.agent.canResume)
    return `${visibleText(foreign.agent.name)} cannot continue an earlier conversation. Nothing was done.`;
  const found = page ? await page.others() : await othersIn(chat);
  if (found.length === 0)
    return `There is no other conversation ${page ? "at this server" : foreign ? "of this agent here" : "in this folder"}.`;
  const choices = found.map(({ sessionId, title = "(no title)", updatedAt }) => ({
    value: sessionId,
    label: `${updatedAt === undefined ? NO_TIME : localTime(updatedAt)}  ${oneLine(title, 60)}  ${shortId(sessionId)}`,
  }));
  const chosen = await pickOne(chat.footer, "Conversation:", choices);
  if (chosen !== undefined) await chat.reopen({ ...withoutModel(own?.flags ?? chat.flags), resume: chosen });
  return undefined;
}

const NO_TIME = "                ";

async function othersIn({ conversation, folder }: Chat): Promise<readonly Listed[]> {
  const { ledger, session, foreign } = conversation;
  if (!ledger) return [];
  const current = session.sessionId;
  if (!foreign) return recorded(ledger, { current, folder, isWanted: (info) => !isForeign(info) });
  const { agent } = session.book.info;
  const known = new Set<string | undefined>([current, foreign.session.agentSessionId]);
  const ours = await recorded(ledger, {
    current,
    folder,
    isWanted: (info) => {
      const isTheirs = isForeign(info) && info.agent === agent;
      if (isTheirs) known.add(agentSessionOf(info));
      return isTheirs;
    },
  });
  for (const { sessionId } of ours) known.add(sessionId);
  return [...ours, ...(await ofAgent(foreign, folder)).filter(({ sessionId }) => !known.has(sessionId))]
    .toSorted((one, other) => (other.updatedAt ?? 0) - (one.updatedAt ?? 0))
    .slice(0, MAX_LISTED);
}

/** Conversations in the agent's own list, which may be from elsewhere. */
async function ofAgent(
  { sessions }: NonNullable<Conversation["foreign"]>,
  folder: string,
): Promise<readonly Listed[]> {
  const here = (await sessions()).filter(({ cwd = folder }) => cwd === folder);
  return here.map(({ sessionId, title, updatedAt = "" }) => {
    const time = Date.parse(updatedAt);
    return {
      sessionId,
      ...(title !== undefined && { title }),
      updatedAt: Number.isNaN(time) ? undefined : time,
    };
  });
}

async function recorded(
  ledger: Ledger,
  wanted: {
    readonly current: string;
    readonly folder: string;
    readonly isWanted: (info: SessionInfo) => boolean;
  },
): Promise<readonly Listed[]> {
  const found: Listed[] = [];
  for await (const { sessionId, updatedAt } of allSessions(ledger)) {
    if (sessionId === wanted.current) continue;
    const info = await readSessionInfo(ledger, sessionId);
    const { cwd, title } = info;
    if (cwd !== wanted.folder || !(await hasTurn(ledger, sessionId)) || !wanted.isWanted(info)) continue;
    found.push({ sessionId, updatedAt, ...(title !== undefined && { title }) });
    if (found.length === MAX_LISTED) break;
  }
  return found;
}

/** A resumed session keeps its own model. */
function withoutModel<Flags extends { readonly model?: string; readonly script?: string }>(flags: Flags) {
  const { model: _model, script: _script, ...kept } = flags;
  return kept;
}
