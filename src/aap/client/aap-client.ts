/** A client of AAP v3, for browsers and for Node: typed requests, and turns as they stream. */
import { checkOptions, FLAG } from "../../call/check-options.js";
import type { OptionChecks } from "../../call/check-options.js";
import type { AnswerReceipt, QuestionPage } from "../../call/index.js";
import { AapError } from "./aap-error.js";
import { Connection, CONNECTION_OPTIONS } from "./connection.js";
import type { ConnectionOptions } from "./connection.js";
import { followSession } from "./follow-session.js";
import type { FollowOptions, RecordedSessionEvent } from "./follow-session.js";
import type {
  CancelRequest,
  HistoryMessage,
  Meta,
  NewSession,
  OpenQuestion,
  QuestionList,
  QuestionAnswer,
  SessionInfo,
  SessionPage,
  StreamMode,
  TurnRequest,
} from "./protocol.js";
import { randomKey } from "./random-key.js";
import { Turn } from "./turn.js";
import type { TurnOptions, TurnSetting } from "./turn.js";

export type AapClientOptions = ConnectionOptions & {
  /**
   * Whether requests that change something have an `Idempotency-Key`; true by default. A page on another origin than a
   * server without our extensions must do without, since the browser's preflight asks the server about each header.
   */
  readonly sendsKeys?: boolean;
};

const CLIENT_OPTIONS: OptionChecks<AapClientOptions> = {
  ...CONNECTION_OPTIONS,
  sendsKeys: FLAG,
};

const VERSION = 3;

/** `key` is the server's bearer token. */
export function connect(
  baseUrl: string,
  key?: string,
  options: Omit<AapClientOptions, "baseUrl" | "apiKey"> = {},
): AapClient {
  return new AapClient({ ...options, baseUrl, ...(key !== undefined && { apiKey: key }) });
}

export class AapClient {
  readonly #connection: Connection;
  readonly #sendsKeys: boolean;
  #extensions: Promise<readonly string[]> | undefined;

  constructor(given: AapClientOptions) {
    checkOptions("AapClient", given, CLIENT_OPTIONS);
    const { sendsKeys = true, ...options } = given;
    this.#connection = new Connection(options);
    this.#sendsKeys = sendsKeys;
  }

  /** Throws when the server has another version of the protocol. */
  async meta(): Promise<Meta> {
    return checked(await this.#connection.get<Meta>("/meta"));
  }

  /** Whether the server declares this extension. False when it cannot be reached. */
  async offers(
    extension: "idempotency-key" | "event-ids" | "session-events" | "cancel" | "questions",
  ): Promise<boolean> {
    // A lost answer may lead here, so the request retries while the network is down.
    this.#extensions ??= this.#connection
      .get<Meta>("/meta", { retriesWhileDown: true })
      .then((meta) => checked(meta).extensions ?? []);
    try {
      return (await this.#extensions).includes(extension);
    } catch {
      this.#extensions = undefined;
      return false;
    }
  }

  /** Returns one page; `after` is the `next` of the page before. */
  sessions({ after }: { readonly after?: string } = {}): Promise<SessionPage> {
    const query = after === undefined ? "" : `?after=${encodeURIComponent(after)}`;
    return this.#connection.get(`/sessions${query}`);
  }

  /** Iterates all sessions, a page at a time. */
  async *allSessions(): AsyncGenerator<SessionInfo, void, undefined> {
    let after: string | undefined;
    do {
      const page: SessionPage = await this.sessions(after === undefined ? {} : { after });
      yield* page.sessions;
      // Ends the loop when a server returns the same page again.
      after = page.next === after ? undefined : page.next;
    } while (after !== undefined);
  }

  createSession(session: NewSession): Promise<{ readonly sessionId: string }> {
    return this.#connection.json("POST", "/sessions", { body: session, headers: this.#key() });
  }

  session(sessionId: string): Promise<SessionInfo> {
    return this.#connection.get(sessionPath(sessionId));
  }

  async deleteSession(sessionId: string): Promise<void> {
    await this.#connection.send("DELETE", sessionPath(sessionId));
  }

  async history(sessionId: string, type: "full" | "compacted" = "full"): Promise<readonly HistoryMessage[]> {
    const path = `${sessionPath(sessionId)}/history?type=${type}`;
    const { history } = await this.#connection.get<{
      history?: { [key in typeof type]?: HistoryMessage[] };
    }>(path);
    return history?.[type] ?? [];
  }

  /** The full history where the server keeps it, else the compacted one. */
  async newestHistory(sessionId: string): Promise<readonly HistoryMessage[]> {
    try {
      return await this.history(sessionId, "full");
    } catch (error) {
      if (error instanceof AapError && error.status === 404) return this.history(sessionId, "compacted");
      throw error;
    }
  }

  /** Iterate it for the events as they come; await it for the whole result. */
  turn(sessionId: string, request: TurnRequest, options: TurnOptions = {}): Turn {
    return new Turn(this.#turnSetting(sessionId), request, options);
  }

  /** Extension: the turn that is under way, or the last one, started by any client; from its first event. */
  currentTurn(
    sessionId: string,
    {
      stream = "delta",
      ...options
    }: Omit<TurnOptions, "idempotencyKey"> & { readonly stream?: StreamMode } = {},
  ): Turn {
    return new Turn(this.#turnSetting(sessionId, `?stream=${stream}`), undefined, options);
  }

  /** Extension: ends the turn, or one call of it. False when there was nothing to end. */
  async cancel(sessionId: string, request: CancelRequest = {}): Promise<boolean> {
    const path = `${sessionPath(sessionId)}/cancel`;
    const { cancelled } = await this.#extension(
      this.#connection.json<{ cancelled: boolean }>("POST", path, { body: request }),
    );
    return cancelled;
  }

  /** Extension: the open questions of all sessions, of all pages. */
  async questions(): Promise<readonly OpenQuestion[]> {
    const all: OpenQuestion[] = [];
    let after: string | undefined;
    do {
      const query = after === undefined ? "" : `?after=${encodeURIComponent(after)}`;
      const page: QuestionList = await this.#extension(this.#connection.get(`/questions${query}`));
      all.push(...page.questions);
      after = page.next === after ? undefined : page.next;
    } while (after !== undefined);
    return all;
  }

  /** Extension: returns the whole text of an open question, also what its `about` leaves out. */
  async questionText(questionId: string): Promise<string> {
    const path = `/questions/${encodeURIComponent(questionId)}`;
    const read = (page: number) =>
      this.#extension(this.#connection.get<QuestionPage>(`${path}?page=${page}`));
    const { text, pages } = await read(1);
    let whole = text;
    for (let page = 2; page <= pages; page += 1) whole += (await read(page)).text;
    return whole;
  }

  /** Extension: the first answer counts; another one after it is refused with `ALREADY_ANSWERED`. */
  answerQuestion(questionId: string, answer: QuestionAnswer): Promise<AnswerReceipt> {
    const path = `/questions/${encodeURIComponent(questionId)}`;
    return this.#extension(this.#connection.json("POST", path, { body: answer }));
  }

  /** Extension: yields a session's recorded events and then each new one, until the signal aborts. */
  sessionEvents(
    sessionId: string,
    options: FollowOptions = {},
  ): AsyncGenerator<RecordedSessionEvent, void, undefined> {
    return followSession(this.#connection, `${sessionPath(sessionId)}/events`, options);
  }

  #turnSetting(sessionId: string, query = ""): TurnSetting {
    return {
      connection: this.#connection,
      sessionId,
      path: `${sessionPath(sessionId)}/turns${query}`,
      sendsKeys: this.#sendsKeys,
      keepsKeys: async () => this.#sendsKeys && (await this.offers("idempotency-key")),
      readHistory: () => this.newestHistory(sessionId),
    };
  }

  #key(): Readonly<Record<string, string>> {
    return this.#sendsKeys ? { "idempotency-key": randomKey() } : {};
  }

  async #extension<Answer>(answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer;
    } catch (error) {
      // Our server names the problem; a server without the extension does not know the path.
      const isPlain = error instanceof AapError && error.problem === undefined;
      if (!isPlain || (error.status !== 404 && error.status !== 405)) throw error;
      throw new AapError(
        "REFUSED",
        `The server does not have this; it is an extension of AAP v3. Its answer: ${error.message}`,
        { status: error.status },
      );
    }
  }
}

function checked(meta: Meta): Meta {
  if (meta.version === VERSION) return meta;
  throw new AapError(
    "WRONG_VERSION",
    `The server has AAP version ${meta.version}, this client version ${VERSION}.`,
  );
}

const sessionPath = (sessionId: string): string => `/sessions/${encodeURIComponent(sessionId)}`;
