/** The rows of one session in the index, written by the process whose token the session has. */
import { randomUUID } from "node:crypto";
import type { Message, ToolCall, Usage } from "../../../call/index.js";
import { callFacts, callText, messageText, storable } from "../../archive-text.js";
import { firstIdAt } from "./index-tables.js";
import type { RedactionPattern } from "../../redaction/redaction-pattern.js";
import { tagOf } from "./search-expression.js";
import type { SqlValue } from "../ledger-sql.js";
import type { SqliteDatabase } from "../sqlite-database.js";

const QUICK = { durable: false };

export type SessionRow = {
  readonly updated_at: number;
  readonly last_seq: number;
  readonly chain: string | null;
  readonly title: string | null;
  readonly agent: string | null;
  readonly cwd: string | null;
  readonly model: string | null;
  readonly is_elsewhere: number;
  readonly calls: number;
  readonly messages: number;
  readonly breaches: number;
};

/** A response of a model. */
export type IndexedStep = {
  readonly seq: number;
  readonly at: number;
  readonly model: string | undefined;
  readonly usage: Usage;
};

/** In the order of the columns. */
const USAGE_FIELDS = [
  "inputTokens",
  "outputTokens",
  "reasoningTokens",
  "cachedTokens",
  "cacheWrittenTokens",
] as const satisfies readonly (keyof Usage)[];

/** The log may have any value where a number should be. */
const wholeOrNull = (value: unknown): number | null =>
  Number.isSafeInteger(value) ? (value as number) : null;

export class SessionRows {
  readonly #index: SqliteDatabase;
  readonly #number: number;
  readonly #patterns: readonly RedactionPattern[];
  readonly #token = randomUUID();

  constructor(index: SqliteDatabase, number: number, patterns: readonly RedactionPattern[]) {
    this.#index = index;
    this.#number = number;
    this.#patterns = patterns;
  }

  /** False when another process has indexed more of the session since we looked. */
  begin(
    session: { readonly session_id: string; readonly created_at: number; readonly updated_at: number },
    expected: number | undefined,
  ): boolean {
    return this.#index.transaction(() => {
      const [row] = this.#index.select<{ last_seq: number }>(
        "select last_seq from sessions where number = ?",
        [this.#number],
      );
      if ((row?.last_seq ?? 0) !== (expected ?? 0)) return false;
      this.#index.change(
        `insert into sessions (number, session_id, created_at, updated_at, last_seq, token, calls, messages)
         values (?, ?, ?, ?, 0, ?, 0, 0) on conflict do update set token = excluded.token`,
        [this.#number, session.session_id, session.created_at, session.updated_at, this.#token],
      );
      return true;
    }, QUICK);
  }

  /** False when another process has taken over: then nothing was written. */
  together(work: () => void): boolean {
    return this.#index.transaction(() => {
      const [row] = this.#index.select<{ token: string | null }>(
        "select token from sessions where number = ?",
        [this.#number],
      );
      if (row?.token !== this.#token) return false;
      work();
      return true;
    }, QUICK);
  }

  end(row: SessionRow): boolean {
    return this.together(() => {
      const { updated_at, last_seq, chain, title, agent, cwd, model, is_elsewhere } = row;
      const { calls, messages, breaches } = row;
      this.#index.change(
        `update sessions set updated_at = ?, last_seq = ?, chain = ?, title = ?, agent = ?, cwd = ?, model = ?,
         is_elsewhere = ?, calls = ?, messages = ?, breaches = ?, token = null,
         signer = (select case when min(model) = max(model) then min(model) end from steps where session = number)
         where number = ?`,
        [
          updated_at,
          last_seq,
          chain,
          title,
          agent,
          cwd,
          model,
          is_elsewhere,
          calls,
          messages,
          breaches,
          this.#number,
        ],
      );
    });
  }

  putCall(call: ToolCall, parts: readonly ToolCall[] | undefined): void {
    const facts = callFacts(call, this.#patterns, parts);
    const toolCallId = storable(call.toolCallId);
    const [known] = this.#index.select<{ id: number }>(
      "select id from calls where session = ? and tool_call_id = ?",
      [this.#number, toolCallId],
    );
    const id = known?.id ?? this.#freeId(call.times.announced);
    this.#index.change(
      `insert or replace into calls (id, session, tool_call_id, name, kind, title, status, day, decided_by, who,
       rule, ran_ms, waited_ms, output_size, breach, is_part) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        id,
        this.#number,
        toolCallId,
        facts.name,
        facts.kind,
        facts.title,
        facts.status,
        facts.day,
        facts.decidedBy,
        facts.who,
        facts.rule,
        facts.ranMs,
        facts.waitedMs,
        facts.outputSize,
        facts.breach,
        Number(facts.isPart),
      ],
    );
    const tags = [tagOf("session", this.#number), tagOf("tool", facts.name), tagOf("kind", facts.kind)];
    this.#putDocument(id, tags, callText(call, this.#patterns), [null, null]);
  }

  putStep({ seq, at, model, usage }: IndexedStep): void {
    this.#index.change(
      `insert or replace into steps (session, seq, at, model, input_tokens, output_tokens, reasoning_tokens,
       cached_tokens, cache_written_tokens) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        this.#number,
        seq,
        at,
        model === undefined ? null : storable(model),
        ...USAGE_FIELDS.map((field) => wholeOrNull(usage[field])),
      ],
    );
  }

  putMessage(message: Message, number: number): void {
    const [known] = this.#index.select<{ id: number }>(
      "select id from documents where session = ? and message = ?",
      [this.#number, number],
    );
    const tags = [tagOf("session", this.#number), tagOf("role", message.role)];
    const text = messageText(message, this.#patterns);
    this.#putDocument(known?.id ?? this.#freeId(message.at), tags, text, [number, message.role]);
  }

  #putDocument(
    id: number,
    tags: readonly string[],
    text: string,
    [message, role]: readonly [SqlValue, SqlValue],
  ): void {
    this.#index.change(
      `insert into documents (id, session, message, role, tags, text) values (?, ?, ?, ?, ?, ?)
       on conflict do update set tags = excluded.tags, text = excluded.text
       where tags is not excluded.tags or text is not excluded.text`,
      [id, this.#number, message, role, tags.join(" "), text],
    );
  }

  /** The first free id from that time on. */
  #freeId(time: number): number {
    for (let first = firstIdAt(time); ;) {
      const end = first + firstIdAt(1);
      const [row] = this.#index.select<{ last: number | null }>(
        "select max(id) as last from documents where id >= ? and id < ?",
        [first, end],
      );
      const free = (row?.last ?? first - 1) + 1;
      if (free < end) return free;
      first = end;
    }
  }
}
