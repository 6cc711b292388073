/** Asks in the footer of the conversation: one key for each answer. */
import type { ShownQuestion } from "../../call/index.js";
import { hiddenWords } from "../../view/index.js";
import { offers, offersAlways, offersSession } from "../ask-in-terminal.js";
import type { AnswerDesk, OpenDesk } from "../ask-in-terminal.js";
import type { ChatFooter } from "./chat-footer.js";
import { readKey } from "./read-key.js";
import { readLine } from "./read-line.js";

export type KeyDeskOptions = Pick<AnswerDesk, "write" | "why"> & {
  readonly footer: ChatFooter;
  /** Escape at a question: the turn is to be stopped. */
  readonly onCancel: () => void;
  /** Missing where an agent of others runs the call. */
  readonly edit?: AnswerDesk["edit"];
  /** Called when a question waits for the person. */
  readonly onAsk: (question: ShownQuestion) => void;
};

/** A key, its label in the prompt, the word that it stands for, and what it does. */
type AnswerKey = {
  readonly key: string;
  readonly label: string;
  readonly word: string;
  readonly does: string;
};

export function keyDesk(options: KeyDeskOptions): OpenDesk {
  const { footer, write, why, edit, onCancel, onAsk } = options;
  return (signal) => {
    let isAsked = false;
    const line = async (prompt: string): Promise<string> =>
      (await readLine(footer, { prompt }, signal)) ?? "b";
    return {
      write,
      line,
      ...(edit && { edit }),
      ...(why && { why }),
      refresh: () => footer.draw(),
      reply: async (question, { alike, place }) => {
        if (!isAsked) onAsk(question);
        isAsked = true;
        const choices = answerKeys(question, alike, edit !== undefined);
        const keys = new Set(choices.map(({ key }) => key));
        const prompt = (): string => `Allow this${place()}? ${choices.map(({ label }) => label).join(", ")}`;
        for (;;) {
          const key = await readKey(footer, { prompt, keys }, { signal, onCancel });
          const word = choices.find((one) => one.key === key)?.word ?? "";
          if (word !== REASON) return word;
          const reason = await readLine(
            footer,
            { prompt: "Why not? The agent reads your reason. Escape goes back." },
            signal,
          );
          if (reason !== undefined && reason.trim() !== "") return `no ${reason.trim()}`;
        }
      },
      help: (question, { alike }) => helpText(answerKeys(question, alike, edit !== undefined)),
      close: () => write("\n"),
    };
  };
}

const REASON = "reason";

const key = (one: string, label: string, word: string, does: string): AnswerKey => ({
  key: one,
  label,
  word,
  does,
});

const YES = key("y", "[y]es", "yes", "allow this call, once");
const SESSION = key(
  "s",
  "this [s]ession",
  "session",
  'allow it, and for this session what "always" or "session" above names',
);
const ALWAYS = key(
  "a",
  "[a]lways",
  "always",
  "allow it and store a rule: you choose how wide, where, for how long",
);
const NO = key("n", "[n]o", "no", "refuse this call; the agent continues without it");
const NO_BECAUSE = key("r", "no with a [r]eason", REASON, "refuse it, with a reason that the agent reads");
const NEVER = key("d", "always [d]eny", "never", 'refuse it, and store the rule after "never" above');
const EDIT = key("e", "[e]dit", "edit", "change its input in your editor; it is then checked again");
const HUNKS = key("h", "[h]unks", "hunks", "choose the hunks of the edit to keep; the others are rejected");
const VIEW = key(
  "v",
  "[v]iew all",
  "view",
  "show all of the call, and of those that are listed: command, input and preview",
);
const WHY = key("w", "[w]hy", "why", "why it is asked");
const HELP = key("?", "[?]", "?", "this list");

function answerKeys(
  question: ShownQuestion,
  alike: readonly ShownQuestion[],
  canEdit: boolean,
): readonly AnswerKey[] {
  const all = key("A", `[A]ll ${alike.length + 1}`, "all", "allow, once, all the calls that are listed");
  const none = key("N", "[N]one", "none", "refuse all the calls that are listed");
  return [
    YES,
    ...(alike.length > 0 ? [all] : []),
    ...(offersSession(question) ? [SESSION] : []),
    ...(offersAlways(question) ? [ALWAYS] : []),
    NO,
    NO_BECAUSE,
    ...(alike.length > 0 ? [none] : []),
    ...(offers(question, "reject_always") ? [NEVER] : []),
    ...(canEdit ? [EDIT] : []),
    ...(question.hunks === undefined ? [] : [HUNKS]),
    ...(hiddenWords(question, alike) === undefined ? [] : [VIEW]),
    WHY,
    HELP,
  ];
}

const helpText = (keys: readonly AnswerKey[]): string =>
  [...keys.map((one) => `  ${one.key}    ${one.does}`), "  Esc  interrupt the turn", "", ""].join("\n");
