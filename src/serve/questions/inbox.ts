/**
 * The questions of all sessions: the open ones, and those settled in the last hour. Each change is reported once:
 * asked, answered, withdrawn, aged.
 */
import type { Question, RecordedEvent } from "../../call/index.js";
import type { OpenCall } from "../../call/open-calls.js";
import type {
  Inbox as InboxBody,
  InboxQuestion,
  QuestionState,
  TurnLiveness,
} from "../api/question-bodies.js";
import type { ServeContext } from "../server/serve-context.js";
import type { SessionFacts } from "../sessions/session-facts.js";
import type { QuestionNews } from "../sessions/session-index.js";
import { answeredState, inboxRow } from "./inbox-row.js";

export type QuestionChange = "asked" | "answered" | "withdrawn" | "aged";

type Kept = {
  readonly question: Question;
  readonly call: OpenCall | undefined;
  readonly facts: SessionFacts;
  readonly row: InboxQuestion;
};

/** The fields of an open question that change with time. */
const AGES = ["liveness", "isAnswerable", "isAged"] as const;
const SETTLED_SHOWN_MS = 60 * 60_000;
const MAX_SETTLED = 200;

export class Inbox {
  readonly #context: ServeContext;
  readonly #liveness: (facts: SessionFacts) => Promise<TurnLiveness>;
  readonly #onChange: (change: QuestionChange, row: InboxQuestion) => void;
  /** In the order in which they were asked. */
  readonly #kept = new Map<string, Kept>();

  constructor(
    context: ServeContext,
    liveness: (facts: SessionFacts) => Promise<TurnLiveness>,
    onChange: (change: QuestionChange, row: InboxQuestion) => void,
  ) {
    this.#context = context;
    this.#liveness = liveness;
    this.#onChange = onChange;
  }

  body(state: "open" | "settled" | "all" = "all"): InboxBody {
    this.#dropOld();
    const rows = [...this.#kept.values()].map(({ row }) => row);
    return {
      questions: rows.filter(
        (row) => state === "all" || (row.state.status === "open") === (state === "open"),
      ),
      answerable: this.answerable,
    };
  }

  get answerable(): number {
    let count = 0;
    for (const { row } of this.#kept.values()) if (row.isAnswerable) count += 1;
    return count;
  }

  find(questionId: string): Pick<Kept, "question" | "row"> | undefined {
    return this.#kept.get(questionId);
  }

  /** The answerable questions that are alike with this one: of all sessions in the same folder. */
  alike({ questionId, sessionId, folder, likeness }: InboxQuestion): readonly Question[] {
    if (likeness === undefined) return [];
    const isBeside = (row: InboxQuestion): boolean =>
      row.sessionId === sessionId || (folder !== undefined && row.folder === folder);
    return [...this.#kept.values()].flatMap(({ question, row }) =>
      row.isAnswerable && row.likeness === likeness && row.questionId !== questionId && isBeside(row)
        ? [question]
        : [],
    );
  }

  /** Takes question events. Settled questions of a session that was not known before are no news. */
  async take(
    news: readonly QuestionNews[],
    facts: SessionFacts,
    { isFirst }: { readonly isFirst: boolean },
  ): Promise<void> {
    const liveness = await this.#liveness(facts);
    for (const { event, call } of news) {
      if (event.type === "question-asked") {
        const { questionId } = event.question;
        if (this.#kept.has(questionId) || (isFirst && !facts.openQuestions.has(questionId))) continue;
        this.#onChange("asked", this.#ask(event.question, facts, liveness, call));
      } else if (event.type === "question-answered" || event.type === "question-withdrawn")
        this.#settle(event.questionId, event, liveness);
    }
  }

  /** Questions that have been open for long, expired, or whose turn ended or was parked meanwhile. */
  async age(): Promise<void> {
    for (const kept of this.#kept.values()) {
      if (kept.row.state.status !== "open") continue;
      const liveness = await this.#liveness(kept.facts);
      const row = this.#row(kept, kept.row.state, liveness);
      // The question may have been settled meanwhile.
      if (this.#kept.get(row.questionId) !== kept) continue;
      if (AGES.every((field) => row[field] === kept.row[field])) continue;
      this.#kept.set(row.questionId, { ...kept, row });
      this.#onChange("aged", row);
    }
    this.#dropOld();
  }

  removeSession(sessionId: string): void {
    for (const [questionId, { question }] of this.#kept)
      if (question.sessionId === sessionId) this.#kept.delete(questionId);
  }

  #ask(
    question: Question,
    facts: SessionFacts,
    liveness: TurnLiveness,
    call: OpenCall | undefined = facts.call(question.toolCallId),
  ): InboxQuestion {
    const row = this.#row({ question, facts, call }, { status: "open" }, liveness);
    this.#kept.set(question.questionId, { question, facts, call, row });
    return row;
  }

  #settle(
    questionId: string,
    event: RecordedEvent["event"] & { type: "question-answered" | "question-withdrawn" },
    liveness: TurnLiveness,
  ): void {
    const kept = this.#kept.get(questionId);
    if (kept?.row.state.status !== "open") return;
    const { redactPatterns } = this.#context;
    const state: QuestionState =
      event.type === "question-answered"
        ? answeredState(kept.question, event.answer, redactPatterns)
        : { status: "withdrawn", at: event.at, reason: event.reason };
    const row = this.#row(kept, state, liveness);
    this.#kept.set(questionId, { ...kept, row });
    this.#onChange(state.status === "answered" ? "answered" : "withdrawn", row);
  }

  #row(
    { question, call, facts }: Omit<Kept, "row">,
    state: QuestionState,
    liveness: TurnLiveness,
  ): InboxQuestion {
    const { now, redactPatterns: patterns } = this.#context;
    return inboxRow(question, call, facts, { state, liveness, now: now(), patterns });
  }

  #dropOld(): void {
    const settled = [...this.#kept.values()].filter(({ row }) => row.state.status !== "open");
    const since = this.#context.now() - SETTLED_SHOWN_MS;
    for (const [index, { row }] of settled.entries())
      if (index < settled.length - MAX_SETTLED || ("at" in row.state && row.state.at < since))
        this.#kept.delete(row.questionId);
  }
}
