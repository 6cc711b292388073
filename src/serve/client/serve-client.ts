/**
 * Typed requests of the page's API. A device has a cookie, which only the browser sees, and a key, which only pages of
 * this origin see: a cookie alone would go to every other port of this host.
 */
import { checkOptions, having } from "../../call/check-options.js";
import type { OptionChecks } from "../../call/check-options.js";
import { Connection, CONNECTION_OPTIONS } from "../../aap/client/connection.js";
import type { ConnectionOptions } from "../../aap/client/connection.js";
import type { FollowOptions, RecordedSessionEvent } from "../../aap/client/follow-session.js";
import { followSession } from "../../aap/client/follow-session.js";
import type * as Api from "../api/index.js";
import { liveFrames, withQuery } from "./live-frames.js";
import type { LiveOptions, Query } from "./live-frames.js";
import { browserKeys, withKey } from "./device-key.js";
import type { KeyStore } from "./device-key.js";

const ID = encodeURIComponent;

/** `keys`: where the key of this device is kept; in the browser's storage unless given. */
export type ServeClientOptions = ConnectionOptions & { readonly keys?: KeyStore };

const CLIENT_OPTIONS: OptionChecks<ServeClientOptions> = {
  ...CONNECTION_OPTIONS,
  keys: having("a store of the key ({ get, set })", "get", "set"),
};

export class ServeClient {
  readonly #connection: Connection;

  readonly #keys: KeyStore;

  /** In a page: `new ServeClient({ baseUrl: location.origin })`. A program gives the server's token as `apiKey`. */
  constructor(given: ServeClientOptions) {
    checkOptions("ServeClient", given, CLIENT_OPTIONS);
    const { keys = browserKeys(), ...options } = given;
    const { fetch: send = (request) => fetch(request) } = options;
    this.#keys = keys;
    this.#connection = new Connection({ ...options, fetch: (request) => send(withKey(request, keys.get())) });
  }

  // Access

  /** Exchanges a one-time code for the cookie. */
  async login(request: Api.LoginRequest): Promise<Api.Me> {
    const me = await this.#post<Api.Me>("/api/login", request);
    this.#keys.set(me.key);
    return me;
  }

  async logout(): Promise<void> {
    await this.#connection.send("POST", "/api/logout");
    this.#keys.set(undefined);
  }

  /** Refused with the problem UNAUTHORIZED where this device is not logged in. */
  me(): Promise<Api.Me> {
    return this.#get("/api/me");
  }

  devices(): Promise<Api.Devices> {
    return this.#get("/api/devices");
  }

  pair(request: Api.PairingRequest): Promise<Api.Pairing> {
    return this.#post("/api/devices/pair", request);
  }

  async revokeDevice(deviceId: string): Promise<void> {
    await this.#connection.send("DELETE", `/api/devices/${ID(deviceId)}`);
  }

  notifications(): Promise<Api.Notifications> {
    return this.#get("/api/notifications");
  }

  testNotifications(): Promise<Api.NotifyTest> {
    return this.#post("/api/notifications/test", {});
  }

  /** `subscription`: as the browser's `PushSubscription.toJSON()` gives it. */
  async subscribePush(subscription: Api.PushSubscription): Promise<void> {
    await this.#connection.send("POST", "/api/push", { body: subscription });
  }

  async unsubscribePush(): Promise<void> {
    await this.#connection.send("DELETE", "/api/push");
  }

  // Live

  /** Questions and sessions as they change, and the entries of one session where the query names it. */
  live(options: LiveOptions = {}): AsyncGenerator<Api.LiveFrame, void, undefined> {
    return liveFrames(this.#connection, options);
  }

  // Sessions

  sessions(query: Api.SessionQuery = {}): Promise<Api.SessionPage> {
    return this.#get("/api/sessions", query);
  }

  session(sessionId: string): Promise<Api.SessionDetail> {
    return this.#get(`/api/sessions/${ID(sessionId)}`);
  }

  /** The session as it was at a moment of its record; at its last one unless the query names another. */
  replay(sessionId: string, query: Partial<Api.ReplayQuery> = {}): Promise<Api.ReplayMoment> {
    return this.#get(`/api/sessions/${ID(sessionId)}/replay`, query);
  }

  entries(sessionId: string, query: Api.EntriesQuery = {}): Promise<Api.EntriesPage> {
    return this.#get(`/api/sessions/${ID(sessionId)}/entries`, query);
  }

  /** The recorded events themselves, from the start or after an id, and then live. */
  events(
    sessionId: string,
    options: FollowOptions = {},
  ): AsyncGenerator<RecordedSessionEvent, void, undefined> {
    return followSession(this.#connection, `/api/sessions/${ID(sessionId)}/events`, options);
  }

  createSession(request: Api.NewSessionRequest): Promise<Api.NewSession> {
    return this.#post("/api/sessions", request);
  }

  /** Starts the sample agent on a new sample project. */
  startDemo(): Promise<Api.NewSession> {
    return this.#post("/api/demo", {});
  }

  prompt(sessionId: string, request: Api.PromptRequest): Promise<Api.Prompted> {
    return this.#post(`/api/sessions/${ID(sessionId)}/prompt`, request);
  }

  /** Summarizes it for its model. */
  compact(sessionId: string): Promise<Api.Compacted> {
    return this.#post(`/api/sessions/${ID(sessionId)}/compact`, {});
  }

  /** Paths of files that a prompt can name as `@path`. */
  files(query: Api.FileQuery = {}): Promise<Api.FileNames> {
    return this.#get("/api/files", query);
  }

  /** Renames it, or changes its mode or model. */
  changeSession(sessionId: string, change: Api.SessionChange): Promise<Api.SessionDetail> {
    return this.#post(`/api/sessions/${ID(sessionId)}`, change);
  }

  async deleteSession(sessionId: string): Promise<void> {
    await this.#connection.send("DELETE", `/api/sessions/${ID(sessionId)}`);
  }

  cancel(sessionId: string, request: Api.CancelRequest = {}): Promise<Api.Cancelled> {
    return this.#post(`/api/sessions/${ID(sessionId)}/cancel`, request);
  }

  /** The commands that run now. */
  commands(query: Api.CommandQuery = {}): Promise<Api.Commands> {
    return this.#get("/api/commands", query);
  }

  /** The output of a background command. Refused with NOT_FOUND where another process runs it. */
  commandOutput(sessionId: string, toolCallId: string): Promise<Api.CommandOutput> {
    return this.#get(`/api/sessions/${ID(sessionId)}/calls/${ID(toolCallId)}/output`);
  }

  stopCommand(sessionId: string, request: Api.StopRequest): Promise<Api.Stopped> {
    return this.#post(`/api/sessions/${ID(sessionId)}/stop`, request);
  }

  undo(sessionId: string, request: Api.UndoRequest): Promise<Api.Undone> {
    return this.#post(`/api/sessions/${ID(sessionId)}/undo`, request);
  }

  /** A session as text, to be saved as a file. */
  async exportSession(sessionId: string, format: Api.ExportFormat): Promise<string> {
    const path = withQuery(`/api/sessions/${ID(sessionId)}/export`, { format });
    return (await this.#connection.send("GET", path)).text();
  }

  // Calls

  call(sessionId: string, toolCallId: string): Promise<Api.CallDetail> {
    return this.#get(`/api/sessions/${ID(sessionId)}/calls/${ID(toolCallId)}`);
  }

  callEvents(sessionId: string, toolCallId: string): Promise<Api.CallEvents> {
    return this.#get(`/api/sessions/${ID(sessionId)}/calls/${ID(toolCallId)}/events`);
  }

  /** The bytes of a kept file. */
  async blob(hash: string): Promise<Uint8Array> {
    const response = await this.#connection.send("GET", `/api/blobs/${ID(hash)}`);
    return new Uint8Array(await response.arrayBuffer());
  }

  // Questions

  questions(query: Api.QuestionQuery = {}): Promise<Api.Inbox> {
    return this.#get("/api/questions", query);
  }

  question(questionId: string): Promise<Api.QuestionDetail> {
    return this.#get(`/api/questions/${ID(questionId)}`);
  }

  earlierAnswers(questionId: string): Promise<Api.EarlierAnswers> {
    return this.#get(`/api/earlier/${ID(questionId)}`);
  }

  /** Refused with the problem ALREADY_ANSWERED and `details.recorded` where another answer came first. */
  answer(questionId: string, request: Api.AnswerRequest): Promise<Api.Answered> {
    return this.#post(`/api/questions/${ID(questionId)}/answer`, request);
  }

  /** A link that answers this question once, without a paired device. */
  questionLink(questionId: string, request: Api.QuestionLinkRequest = {}): Promise<Api.QuestionLink> {
    return this.#post(`/api/questions/${ID(questionId)}/link`, request);
  }

  /** The question of a link, by the key behind its #. Reading it does not use the link up. */
  async linkedQuestion(questionId: string, key: string): Promise<Api.QuestionDetail> {
    return this.#connection.json("GET", `/api/link/${ID(questionId)}`, {
      headers: { "x-toolgate-link": key },
    });
  }

  /** Answers by a link, which uses it up. */
  async answerLinked(questionId: string, key: string, body: Api.LinkedAnswerRequest): Promise<Api.Answered> {
    const headers = { "x-toolgate-link": key };
    return this.#connection.json("POST", `/api/link/${ID(questionId)}`, { headers, body });
  }

  // History and statistics

  history(query: Api.HistoryQuery = {}): Promise<Api.HistoryPage> {
    return this.#get("/api/history", query);
  }

  statistics(query: Api.StatisticsQuery = {}): Promise<Api.Statistics> {
    return this.#get("/api/statistics", query);
  }

  // Rules

  rules(query: Api.FolderQuery = {}): Promise<Api.RuleList> {
    return this.#get("/api/rules", query);
  }

  /** Decides on an action without doing it. */
  testRule(test: Api.RuleTest): Promise<Api.RuleTested> {
    return this.#post("/api/rules/test", test);
  }

  addRule(rule: Api.NewRule): Promise<Api.AddedRule> {
    return this.#post("/api/rules", rule);
  }

  async revokeRule(grantId: string): Promise<void> {
    await this.#connection.send("DELETE", `/api/rules/${ID(grantId)}`);
  }

  trustProject(request: Api.TrustRequest): Promise<Api.RuleList> {
    return this.#post("/api/rules/trust", request);
  }

  suggestions(query: Api.SuggestionQuery = {}): Promise<Api.Suggestions> {
    return this.#get("/api/rules/suggestions", query);
  }

  #get<Body>(path: string, query: Query = {}): Promise<Body> {
    return this.#connection.get(withQuery(path, query));
  }

  #post<Body>(path: string, body: object): Promise<Body> {
    return this.#connection.json("POST", path, { body });
  }
}
