/** `/undo` and `/back`: puts back the files of turns, and names the commands whose changes cannot be put back. */
import { oneLine } from "../../call/index.js";
import type { Session, SessionBook, ToolCall } from "../../call/index.js";
import { keptCallsOf } from "../../run/kept-calls-of.js";
import { undoEach } from "../../run/undo-each.js";
import { keptCommands } from "../kept-commands.js";
import { undoByWords, undoneTurnsText } from "../undo.js";
import type { Chat } from "./chat.js";
import { NOT_HERE } from "./not-here.js";
import { pickOne } from "./pick-one.js";
import { undoAtServer, undoTurnsAtServer } from "./undo-at-server.js";

/** Undoes a call, or the newest turn. */
export async function undoInChat(chat: Chat, words: string): Promise<string> {
  const { gate, session, page } = chat.conversation;
  if (page && words !== "") return undoAtServer(page, words);
  if (!gate && !page) return NOT_HERE;
  if (gate && words !== "") return undoByWords(gate, words);
  return undoneSince(chat, session.book.turn?.turnId, "The last turn changed no file that can be restored.");
}

/** Undoes everything since a message of the user's, and puts that message into the input again. */
export async function goBack(chat: Chat): Promise<string | undefined> {
  const { session, own, page } = chat.conversation;
  const prompts = promptsIn(session.book.snapshot());
  if (prompts.length === 0) return "No message was sent yet.";
  const choices = prompts
    .toReversed()
    .map((value, at) => ({ value, label: `${at + 1}  ${oneLine(value.text, 70)}` }));
  const chosen = await pickOne(chat.footer, "Back to before:", choices);
  if (!chosen) return undefined;
  const undone = await undoneSince(chat, chosen.turnId, "No file was changed since that message.");
  chat.setMessage(chosen.text);
  const next = own || page ? "The next prompt says to the model which calls were undone. " : "";
  return `${undone}\n${next}Your message is in the input again.`;
}

/** Undoes the turns from this one on; `nothing`: the text where there was nothing to undo. */
async function undoneSince(chat: Chat, turnId: string | undefined, nothing: string): Promise<string> {
  const { session, own, gate, ledger, page } = chat.conversation;
  const { book, sessionId } = session;
  const all = book.snapshot().turns.map((turn) => turn.turnId);
  const turnIds = turnId === undefined ? [] : all.slice(all.indexOf(turnId));
  if (page) return undoTurnsAtServer(page, turnIds, nothing);
  if (!gate || !ledger) return NOT_HERE;
  const kept = await keptCallsOf(ledger, sessionId, turnIds);
  const text = undoneTurnsText(book, await undoEach(kept, (toolCallId) => gate.undo(toolCallId)));
  const isEachKept = own !== undefined && keptCommands(own.flags) === "writing";
  const lost = commandsNotKept(book, turnId, new Set(kept)).filter(
    (call) => !isEachKept || isBackground(call),
  );
  const names = lost.map(({ toolCallId, title }) => `${toolCallId} ${oneLine(title, 60)}`);
  const why = isEachKept ? "The command continued in the background." : own ? KEPT_WITH : RUN_BY_AGENT;
  const notKept = `Not restored, whatever it changed: ${names.join("; ")}. ${why}`;
  return [text === "" ? nothing : text, ...(lost.length === 0 ? [] : [notKept])].join("\n");
}

const RUN_BY_AGENT = "The agent ran it, and nothing was kept before it.";
const KEPT_WITH =
  "Changes of commands that you allow are kept with --undo-commands writing, or undoCommands in config.json.";

const isBackground = ({ rawInput }: ToolCall): boolean =>
  typeof rawInput === "object" &&
  rawInput !== null &&
  "background" in rawInput &&
  rawInput.background === true;

/** The commands that ran since the turn began, may have written, and before which nothing was kept. */
function commandsNotKept(
  book: SessionBook,
  turnId: string | undefined,
  kept: ReadonlySet<string>,
): readonly ToolCall[] {
  const since = book.snapshot().turns.find((turn) => turn.turnId === turnId)?.startedAt ?? Infinity;
  return [...book.calls()].filter(
    ({ kind, times, decision, toolCallId }) =>
      kind === "execute" &&
      times.started !== undefined &&
      times.announced >= since &&
      decision?.by !== "sandbox" &&
      decision?.rule !== "allow read" &&
      !kept.has(toolCallId),
  );
}

type Prompt = { readonly turnId: string; readonly text: string };

/** The user's message of each turn. */
function promptsIn({ turns, timeline }: Session): readonly Prompt[] {
  const messages = timeline.flatMap((entry) =>
    entry.type === "message" && entry.message.role === "user" ? entry.message : [],
  );
  return turns.flatMap(({ turnId, startedAt }, at) => {
    const end = turns[at + 1]?.startedAt ?? Infinity;
    const sent = messages.find((message) => message.at >= startedAt && message.at < end);
    const text = sent?.blocks.flatMap((block) => (block.type === "text" ? block.text : [])).join("\n");
    return text === undefined ? [] : [{ turnId, text }];
  });
}
