/** The questions in a conversation: of its own calls, of MCP servers, and of other sessions in the same history. */
import { screenTerminal } from "../screen-terminal.js";
import { visibleText } from "../../call/index.js";
import type { Question, ShownQuestion } from "../../call/index.js";
import type { Ask, Elicit } from "../../run/index.js";
import { askInTerminal } from "../ask-in-terminal.js";
import type { OpenDesk, Screen } from "../ask-in-terminal.js";
import { elicitInTerminal } from "../elicit-in-terminal.js";
import type { LiveText } from "../live-text.js";
import type { ChatFooter } from "./chat-footer.js";
import type { Conversation } from "./conversation.js";
import { editInput, EditFailed } from "./edit-input.js";
import { keyDesk } from "./key-desk.js";
import type { Keyboard } from "./keyboard.js";
import { readLine } from "./read-line.js";
import { otherQuestions } from "./other-questions.js";
import { whyAsked } from "./why-asked.js";

const POLL_ELSEWHERE_MS = 3_000;

export type QuestionPlaces = {
  readonly folder: string;
  readonly footer: ChatFooter;
  readonly keyboard: Keyboard;
  readonly print: (text: string) => void;
  readonly notify: (text: string) => void;
  readonly live: () => LiveText | undefined;
  readonly conversation: () => Conversation | undefined;
};

export class ChatQuestions {
  readonly #places: QuestionPlaces;
  #elsewhere: readonly Question[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(places: QuestionPlaces) {
    this.#places = places;
  }

  /** Open questions of other sessions. */
  get elsewhere(): readonly Question[] {
    return this.#elsewhere;
  }

  /** Looks for questions of other sessions until it is stopped. */
  start(): void {
    void this.#poll();
    this.#timer = setInterval(() => void this.#poll(), POLL_ELSEWHERE_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #poll(): Promise<void> {
    const { ledger, session } = this.#places.conversation() ?? {};
    if (!ledger || !session) return;
    const before = this.#elsewhere.length;
    // A ledger that is closing has none to show.
    this.#elsewhere = await otherQuestions(ledger, session.sessionId).catch(() => []);
    if (this.#elsewhere.length !== before) this.#places.footer.draw();
  }

  /** Asks about the calls of a turn; `onCancel`: the person presses Escape there. */
  asker(onCancel: () => void): Ask {
    const live = this.#places.live();
    return this.#ask((toolCallId) => live?.showCall(toolCallId), onCancel);
  }

  /** Asks about a question of another session. */
  async askElsewhere(question: ShownQuestion, showCall: () => void): Promise<Awaited<ReturnType<Ask>>> {
    const stop = new AbortController();
    return this.#ask(showCall, () => stop.abort())(question, stop.signal);
  }

  /** Asks what MCP servers want to know. */
  get elicit(): Elicit {
    const { footer, print, notify, live } = this.#places;
    return elicitInTerminal({
      line: (prompt, { isFirst, signal }) => readLine(footer, { prompt, isUnexpected: isFirst }, signal),
      width: () => screenTerminal.columns,
      cancelHint: "Escape cancels",
      write: print,
      pause: () => live()?.pause(),
      resume: () => live()?.resume(),
      onAsk: notify,
    });
  }

  #ask(showCall: Screen["showCall"], onCancel: () => void): Ask {
    const live = this.#places.live();
    const screen: Screen = {
      showCall,
      pause: () => live?.pause(),
      resume: () => live?.resume(),
      untilEnded: (toolCallId) => live?.untilEnded(toolCallId) ?? Promise.resolve(),
    };
    return askInTerminal(screen, this.#desk(onCancel));
  }

  #desk(onCancel: () => void): OpenDesk {
    const { footer, print, folder, notify, conversation } = this.#places;
    return keyDesk({
      footer,
      write: print,
      why: (question) => whyAsked(question, folder),
      onCancel,
      onAsk: (question) => notify(`A question: ${question.title}`),
      ...(conversation()?.canEditInput === true && { edit: (input: unknown) => this.#edit(input) }),
    });
  }

  async #edit(input: unknown): Promise<{ readonly input: unknown } | undefined> {
    const { keyboard, footer, print } = this.#places;
    keyboard.close();
    footer.hide();
    try {
      return await editInput(input);
    } catch (error) {
      if (!(error instanceof EditFailed)) throw error;
      print(`${visibleText(error.message)}\n`);
      return undefined;
    } finally {
      keyboard.open();
      footer.show();
    }
  }
}
