/** The slash commands of the conversation. They run without the model. */
import { MODES } from "../commands/agent-options.js";
import { oneLine, pluralize, visibleText } from "../../call/index.js";
import { isSameProvider } from "../../model/model-name.js";
import { callText } from "../../view/index.js";
import type { Chat } from "./chat.js";
import type { Conversation } from "./conversation.js";
import { chooseOption, chooseSetting } from "./choose-setting.js";
import { NOT_HERE } from "./not-here.js";
import { ownOf } from "./own-of.js";
import { pickOne } from "./pick-one.js";
import type { PageSession } from "../page-session.js";
import { questionWithCall } from "./other-questions.js";
import { shortId } from "../short-id.js";

export type ChatCommand = {
  readonly name: string;
  /** Names by which other programs call the same. */
  readonly aliases?: readonly string[];
  readonly description: string;
  /** Refused while a turn runs. */
  readonly needsIdle?: boolean;
  /** Works only with one of these: our own agent, a foreign one, a gate that undoes calls, our history, a Toolgate server. */
  readonly needs?: readonly ("own" | "foreign" | "gate" | "ledger" | "page")[];
  /** Returns a text to print. */
  readonly run: (chat: Chat, words: string) => Promise<string | undefined> | string | undefined;
};

export const chatCommands: readonly ChatCommand[] = [
  { name: "help", description: "this list, and the keys", run: (chat) => helpText(chat) },
  {
    name: "model",
    aliases: ["models"],
    description: "choose the model; /model anthropic/… names it, --base-url after it its address",
    needs: ["own", "foreign", "page"],
    needsIdle: true,
    run: (chat, words) => chooseModel(chat, words),
  },
  {
    name: "mode",
    description: `what is asked about: ${MODES.join(", ")}`,
    needs: ["own", "foreign", "page"],
    run: (chat, words) => chooseMode(chat, words),
  },
  {
    name: "options",
    description: "the other options of the agent",
    needs: ["foreign"],
    run: (chat) => {
      const { foreign } = chat.conversation;
      return foreign ? chooseOption(chat, foreign) : NOT_HERE;
    },
  },
  {
    name: "sessions",
    aliases: ["resume", "continue"],
    description: "continue another conversation",
    needs: ["own", "foreign", "page"],
    needsIdle: true,
    run: async (chat) => (await import("./choose-session.js")).chooseSession(chat),
  },
  {
    name: "new",
    aliases: ["clear", "reset"],
    description: "start a new conversation",
    needsIdle: true,
    run: (chat) => startNew(chat),
  },
  {
    name: "questions",
    description: "answer the questions of other sessions",
    needs: ["ledger"],
    needsIdle: true,
    run: (chat) => answerElsewhere(chat),
  },
  {
    name: "undo",
    description:
      "restore the files of the last turn, of a call (/undo call_3), or of its hunks (/undo call_3 2)",
    needs: ["gate", "page"],
    needsIdle: true,
    run: async (chat, words) => (await import("./undo-in-chat.js")).undoInChat(chat, words),
  },
  {
    name: "back",
    aliases: ["rewind"],
    description: "restore all files as they were before one of your messages",
    needs: ["gate", "page"],
    needsIdle: true,
    run: async (chat) => (await import("./undo-in-chat.js")).goBack(chat),
  },
  {
    name: "ps",
    description: "the commands of this conversation that run, also in the background",
    needs: ["ledger", "page"],
    run: async (chat) => {
      const { ledger, session, page } = chat.conversation;
      const { psText, pagePsText } = await import("../ps.js");
      return page ? pagePsText(page) : ledger ? psText(ledger, session.sessionId) : NOT_HERE;
    },
  },
  {
    name: "stop",
    description: "end the command of the call that you name, as /ps shows it",
    needs: ["ledger", "page"],
    run: async (chat, words) => {
      const { ledger, session, page } = chat.conversation;
      const { stopText, pageStopText } = await import("../ps.js");
      return page
        ? pageStopText(page, words)
        : ledger
          ? stopText(ledger, session.sessionId, words)
          : NOT_HERE;
    },
  },
  {
    name: "rules",
    aliases: ["permissions"],
    description: "what is allowed, asked about and denied here",
    needs: ["ledger"],
    run: async (chat) => {
      const { session, own } = chat.conversation;
      const mode = session.book.modeId ?? own?.flags.mode;
      return (await import("../rules.js")).rulesText(chat.folder, session.sessionId, mode);
    },
  },
  {
    name: "history",
    description: "the calls of this conversation, with their ids",
    run: async (chat) => {
      const { callTable } = await import("../history.js");
      return callTable(chat.conversation.session.book.snapshot()).trim() || "No call was made yet.";
    },
  },
  {
    name: "stats",
    description: "how often each tool was called in this folder, and how it ended",
    needs: ["ledger"],
    run: async (chat) => {
      const ledger = chat.conversation.own?.flags.ledger;
      const { folderStatsText } = await import("../stats.js");
      return folderStatsText(chat.folder, ledger === undefined ? {} : { ledger }, chat.width);
    },
  },
  {
    name: "compact",
    description: "summarize the conversation, so that the model has room again",
    needs: ["own", "page"],
    needsIdle: true,
    run: async (chat) => {
      const { page } = chat.conversation;
      const isDone = page ? page.compact() : ownOf(chat).session.compact(new AbortController().signal);
      return (await isDone) ? undefined : "There was nothing to summarize.";
    },
  },
  { name: "agents", description: "the sub-agents of this conversation, and other agents", run: agentsText },
  { name: "quit", aliases: ["exit"], description: "leave; an open turn can be resumed", run: quit },
];

function quit(chat: Chat): undefined {
  chat.quit();
}

/** The commands that work in this conversation. */
export const commandsIn = (
  conversation: Pick<Conversation, "own" | "foreign" | "gate" | "ledger" | "page">,
): readonly ChatCommand[] =>
  chatCommands.filter(({ needs }) => !needs || needs.some((need) => conversation[need] !== undefined));

export const hasName = ({ name, aliases }: ChatCommand, wanted: string): boolean =>
  name === wanted || aliases?.includes(wanted) === true;

/** With the commands that the agent has itself: they go to it as messages. */
export function allCommandsIn(
  conversation: Conversation,
): readonly { readonly name: string; readonly description: string }[] {
  const ours = commandsIn(conversation);
  const { foreign } = conversation;
  const theirs = foreign?.session.settings.commands.filter(
    ({ name }) => !ours.some((one) => hasName(one, name)),
  );
  return [
    ...ours,
    ...(theirs ?? []).map(({ name, description }) => ({
      name,
      description: visibleText(`${description} (${foreign?.session.agent})`),
    })),
  ];
}

function helpText({ conversation }: Chat): string {
  const commands = allCommandsIn(conversation).map(
    ({ name, description }) => `  /${name.padEnd(10)} ${description}`,
  );
  return [...commands, ...KEYS].join("\n");
}

const KEYS = [
  "",
  "  Enter sends; Alt-Enter, Shift-Enter, Ctrl-J or a backslash before Enter starts a new line",
  "  ↑ ↓ earlier messages; @ names a file, which goes with the message; Tab completes",
  "  Shift-Tab changes the mode: ask, accept-edits, read-only",
  "  Esc interrupts the turn; a message sent meanwhile waits, and ↑ takes it back",
  "  Ctrl-C clears the line; twice with an empty line quits; Ctrl-D quits; Ctrl-Z suspends; Ctrl-L draws again",
];

async function chooseModel(chat: Chat, words: string): Promise<string | undefined> {
  const { page, foreign } = chat.conversation;
  if (foreign) return chooseSetting(chat, foreign, "model", words);
  if (page) return chooseAtServer(chat, page, words);
  const { flags, session } = ownOf(chat);
  const { localModels, reachableModels } = await import("../models.js");
  const { model: current } = flags;
  const known = [...(await localModels(flags)), ...(await reachableModels())];
  const others = known.filter(({ name }) => name !== current);
  if (words === "" && others.length === 0) return `${withModel(current)} ${OTHER_MODELS}`;
  const choices = others.map(({ name, note }) => ({ value: name, label: `${name}  ${note}` }));
  const title = current === undefined ? "Model:" : `Model in place of ${visibleText(current)}:`;
  const named = words === "" ? { model: await pickOne(chat.footer, title, choices) } : readModelWords(words);
  if (!named) return MODEL_WORDS;
  const { model } = named;
  if (model === undefined) return undefined;
  const { script: _, contextWindow: _window, baseUrl, ...kept } = flags;
  // The address is of the provider that was chosen with it.
  const isKept = baseUrl !== undefined && current !== undefined && isSameProvider(current, model);
  const address = named.baseUrl !== undefined ? { baseUrl: named.baseUrl } : isKept ? { baseUrl } : {};
  await chat.reopen({ ...kept, ...address, model, resume: session.sessionId });
  return undefined;
}

type NamedModel = { readonly model: string | undefined; readonly baseUrl?: string };

/** A name, and the address of its provider if it is another than the usual one. Undefined for other words. */
export function readModelWords(words: string): NamedModel | undefined {
  const [, model, baseUrl] = /^(\S+)(?:\s+(?:--base-url[\s=]\s*)?([^\s-]\S*))?$/.exec(words) ?? [];
  return model === undefined ? undefined : { model, ...(baseUrl !== undefined && { baseUrl }) };
}

const MODEL_WORDS =
  "Name the model, and its address if it needs one: /model openai-compatible/NAME --base-url http://localhost:11434/v1. Nothing was changed.";

const withModel = (model: string | undefined): string =>
  model === undefined ? "A script plays instead of a model." : `You talk with ${visibleText(model)}.`;
const OTHER_MODELS =
  "No key for another model is set: toolgate models says which there are. Or name one: /model openai-compatible/NAME --base-url URL";

/** The server has the keys, and checks the name. */
async function chooseAtServer(chat: Chat, page: PageSession, words: string): Promise<string | undefined> {
  const models = words === "" ? await page.models() : [];
  if (words === "" && models.length === 0)
    return "The server has no key for another model. Nothing was changed.";
  const choices = models.map(({ name, note }) => ({ value: name, label: `${name}  ${note}` }));
  const model = words === "" ? await pickOne(chat.footer, "Model at the server:", choices) : words;
  if (model === undefined) return undefined;
  await page.setModel(model);
  return `This conversation continues with ${visibleText(model)}.`;
}

async function chooseMode(chat: Chat, words: string): Promise<string | undefined> {
  const { page, foreign } = chat.conversation;
  if (foreign) return chooseSetting(chat, foreign, "mode", words);
  const modes = page
    ? page.modes.map(({ id, description }) => ({ id, words: visibleText(description) }))
    : MODES.map((id) => ({ id, words: MODE_WORDS[id] }));
  const choices = modes.map((value) => ({ value, label: `${visibleText(value.id)}  ${value.words}` }));
  const mode =
    words === "" ? await pickOne(chat.footer, "Mode:", choices) : modes.find(({ id }) => id === words);
  if (mode === undefined)
    return words === ""
      ? undefined
      : `There is no mode "${visibleText(words)}", only ${modes.map(({ id }) => visibleText(id)).join(", ")}. Nothing was changed.`;
  await (page ?? ownOf(chat).session).setMode(mode.id);
  return `Mode ${visibleText(mode.id)}: ${mode.words.replace(/\.$/, "")}.`;
}

const MODE_WORDS: Readonly<Record<(typeof MODES)[number], string>> = {
  ask: "asks about all that no rule allows",
  "accept-edits": "edits in the folder run unasked",
  "read-only": "refuses all that changes something",
  "allow-all": "runs all that no rule denies, unasked",
};

async function startNew(chat: Chat): Promise<string | undefined> {
  const { resume: _, ...flags } = chat.conversation.own?.flags ?? chat.flags;
  await chat.reopen(flags);
  return undefined;
}

async function answerElsewhere(chat: Chat): Promise<string | undefined> {
  const { ledger } = chat.conversation;
  if (!ledger) return NOT_HERE;
  const { elsewhere } = chat.questions;
  if (elsewhere.length === 0) return "No other session waits for an answer.";
  const choices = elsewhere.map((value) => ({
    value,
    label: `${oneLine(value.title, 70)}  ${shortId(value.sessionId)}`,
  }));
  const [only, more] = elsewhere;
  const chosen = more === undefined ? only : await pickOne(chat.footer, "Question:", choices);
  if (!chosen) return undefined;
  const found = await questionWithCall(ledger, chosen);
  if (!found) return "The question was answered meanwhile.";
  const { question, call } = found;
  const answer = await chat.questions
    .askElsewhere(question, () =>
      chat.print(`Asked by ${shortId(question.sessionId)}:\n${callText(call, { question: "asked" })}\n`),
    )
    .catch(() => undefined);
  if (!answer) return "Nothing was answered.";
  const { counted } = await ledger.answer(question.questionId, {
    ...answer,
    intentHash: question.intentHash,
    at: Date.now(),
  });
  return counted
    ? "Answered; its session continues when it is open somewhere."
    : "Somebody else answered first.";
}

function agentsText(chat: Chat): string {
  const tasks = [...chat.conversation.session.book.calls()].filter(({ name }) => name === "task");
  const lines = tasks.map(
    ({ toolCallId, title, state }) => `  ${toolCallId}  ${state.status}  ${oneLine(title, 70)}`,
  );
  return [
    tasks.length === 0 ? "No sub-agent has worked here yet." : `${pluralize(tasks.length, "sub-agent")}:`,
    ...lines,
    'Talk with another agent: toolgate chat --agent "<its ACP command>", or --url for one on a server.',
  ].join("\n");
}
