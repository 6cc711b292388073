/**
 * Asks a client about the calls of a session. A person may page through a long question, choose among more answers, and
 * give one answer to all open questions.
 */
import type { Question, SessionBook } from "../../call/index.js";
import { linkAbort } from "../../run/linked-abort.js";
import type { Ask } from "../../run/index.js";
import type { AgentDialect } from "../agent-dialect.js";
import type { Peer } from "../connection/peer.js";
import { moreAnswer } from "../more-answers.js";
import type { MoreAnswer, OtherQuestions } from "../more-answers.js";
import { nextView, selectedOption } from "../show-more.js";
import type { AskedView } from "../show-more.js";

export type AskClientOptions = {
  readonly book: SessionBook;
  readonly peer: Peer;
  readonly dialect: AgentDialect;
  readonly clientName: string;
  /** Brings the client's view of the call up to date: it must know the call before the question about it. */
  readonly sendCall: (toolCallId: string) => void;
};

type Given = Awaited<ReturnType<Ask>>;

type Open = { readonly question: Question; readonly give: (answer: Given) => void };

export class AskClient {
  readonly #options: AskClientOptions;
  /** The questions that the client shows, by their id. */
  readonly #open = new Map<string, Open>();

  constructor(options: AskClientOptions) {
    this.#options = options;
  }

  readonly ask: Ask = async (question, signal) => {
    const { stop, unlink } = linkAbort(signal);
    const given = new Promise<Given>((resolve) => {
      const give = (answer: Given) => {
        resolve(answer);
        stop.stop(new Error("it was answered with another question"));
      };
      this.#open.set(question.questionId, { question, give });
    });
    try {
      return await Promise.race([given, this.#answered(question, stop.signal)]);
    } finally {
      this.#open.delete(question.questionId);
      unlink();
    }
  };

  async #answered(question: Question, signal: AbortSignal): Promise<Given> {
    const { book, peer, dialect, clientName, sendCall } = this.#options;
    const call = book.call(question.toolCallId);
    if (!call) throw new Error(`call ${question.toolCallId} is not known`);
    sendCall(question.toolCallId);
    for (let view: AskedView | undefined = {}, result: unknown; ;) {
      const others = this.#others(question);
      const shown: AskedView = { ...view, others };
      result = await peer.request("session/request_permission", dialect.permission(question, call, shown), {
        signal,
      });
      view = nextView(result, question, shown);
      if (view) continue;
      const by = { by: "person", who: clientName } as const;
      const { outcome, reason } = dialect.answer(result, question);
      const more = shown.isMore ? moreAnswer(selectedOption(result), question, others) : undefined;
      const answer = { outcome: more?.outcome ?? outcome, ...(reason !== undefined && { reason }), ...by };
      if (more?.forOthers) this.#giveOthers(question, more, answer);
      return answer;
    }
  }

  /** Counted without a list: a hundred questions asked at once are each counted for every other. */
  #others(question: Question): OtherQuestions {
    let [open, alike] = [0, 0];
    for (const one of this.#options.book.openQuestions()) {
      if (one.questionId === question.questionId) continue;
      open += 1;
      if (isAlike(question, one)) alike += 1;
    }
    return { open, alike };
  }

  /** The same option of each other question, for this once. */
  #giveOthers(question: Question, { outcome, forOthers }: MoreAnswer, answer: Given): void {
    for (const { question: other, give } of this.#open.values()) {
      const isMeant = other !== question && (forOthers === "open" || isAlike(question, other));
      const isOffered = other.options.some(({ optionId }) => optionId === outcome.optionId);
      if (isMeant && isOffered) give(answer);
    }
  }
}

const isAlike = (one: Question, other: Question): boolean =>
  one.likeness !== undefined && one.likeness === other.likeness;
