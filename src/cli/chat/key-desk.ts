/** Asks in the footer of the conversation: one key for each answer. */
import type { ShownQuestion } from "../../call/index.js";
import { hiddenWords } from "../../view/index.js";
import { offers, offersSession } from "../ask-in-terminal.js";
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

/** A key, its label in the prompt, and the word that it stands for. */
type AnswerKey = { readonly key: string; readonly label: string; readonly word: string };

export function keyDesk(options: KeyDeskOptions): OpenDesk {
  const { footer, write, why, edit, onCancel, onAsk } = options;
  return (signal) => {
    let isAsked = false;
    const line = async (prompt: string): Promise<string> => (await readLine(footer, prompt, signal)) ?? "b";
    return {
      write,
      line,
      ...(edit && { edit }),
      ...(why && { why }),
      reply: async (question, alike) => {
        if (!isAsked) onAsk(question);
        isAsked = true;
        const choices = answerKeys(question, alike, edit !== undefined);
        const keys = new Set(choices.map(({ key }) => key));
        const prompt = `Allow this? ${choices.map(({ label }) => label).join(", ")}`;
        for (;;) {
          const key = await readKey(footer, { prompt, keys }, { signal, onCancel });
          const word = choices.find((one) => one.key === key)?.word ?? "";
          if (word !== REASON) return word;
          const reason = await readLine(
            footer,
            "Why not? The agent reads your reason. Escape goes back.",
            signal,
          );
          if (reason !== undefined && reason.trim() !== "") return `no ${reason.trim()}`;
        }
      },
      close: () => write("\n"),
    };
  };
}

const REASON = "reason";

const key = (one: string, label: string, word: string): AnswerKey => ({ key: one, label, word });

function answerKeys(question: ShownQuestion, alike: number, canEdit: boolean): readonly AnswerKey[] {
  return [
    key("y", "[y]es", "yes"),
    ...(alike > 0 ? [key("A", `[A]ll ${alike + 1}`, "all")] : []),
    ...(offersSession(question) ? [key("s", "this [s]ession", "session")] : []),
    ...(offers(question, "allow_always") ? [key("a", "[a]lways", "always")] : []),
    key("n", "[n]o", "no"),
    key("r", "no with a [r]eason", REASON),
    ...(alike > 0 ? [key("N", "[N]one", "none")] : []),
    ...(offers(question, "reject_always") ? [key("d", "always [d]eny", "never")] : []),
    ...(canEdit ? [key("e", "[e]dit", "edit")] : []),
    ...(hiddenWords(question) === undefined ? [] : [key("v", "[v]iew all", "view")]),
    key("w", "[w]hy", "why"),
    key("?", "[?]", "?"),
  ];
}
