/**
 * Toolgate as the client of an ACP agent: one connection, any number of its sessions.
 *
 * Invariants: messages for a session that is still being opened are buffered, up to a bound; an agent that does not
 * answer in time while a session opens is given up; every session is notified when the agent exits.
 */
import {
  AMOUNT,
  checkOptions,
  either,
  FLAG,
  FUNCTION,
  having,
  LIST,
  OBJECT,
  oneOf,
  required,
} from "../../call/check-options.js";
import type { OptionChecks } from "../../call/check-options.js";
import { emitWarning } from "../../run/emit-warning.js";
import { CODE, RpcError } from "../connection/message.js";
import { Peer } from "../connection/peer.js";
import type { Asked } from "../connection/peer.js";
import type { Wire } from "../connection/wire.js";
import { isJsonObject } from "../json.js";
import { AgentLine } from "./agent-line.js";
import { AgentProcess } from "./agent-process.js";
import { commandName } from "./command-name.js";
import { v1ClientDialect } from "../v1/client-dialect.js";
import { v2ClientDialect } from "../v2/client-dialect.js";
import { initializeParams } from "./initialize-params.js";
import type { AgentCommand } from "./agent-process.js";
import { AgentTrouble } from "./agent-trouble.js";
import { ForeignSession } from "./foreign-session.js";
import { FOREIGN_SESSION_OPTIONS } from "./foreign-session-options.js";
import type { ForeignSessionOptions } from "./foreign-session-options.js";
import type { AgentSide } from "./agent-side.js";
import { ServedWork } from "./served-work.js";
import { readAgent } from "./read-agent.js";
import { UnclaimedUpdates } from "./unclaimed-updates.js";
import type { KnownAgent } from "./read-agent.js";

export type ConnectOptions = {
  /** The agent's program, or a wire to an agent that runs elsewhere. */
  readonly agent: AgentCommand | Wire;
  /** The newest version of ACP to offer; 2 is the draft. The agent may choose an older one. */
  readonly protocol?: 1 | 2;
  /** Our name and version, sent to the agent. */
  readonly client?: { readonly name: string; readonly version: string };
  /** Whether a person can answer the agent's forms. */
  readonly canElicit?: boolean;
  /** Chooses how to sign in when the agent wants that; without it, or with nothing chosen, that is an error in words. */
  readonly signIn?: (methods: KnownAgent["authMethods"]) => string | undefined;
  /** How long the agent may take to answer `initialize`, or to open a session, in milliseconds. */
  readonly connectTimeoutMs?: number;
};

/** MCP servers for the agent to connect to, as ACP writes them. */
export type OpenOptions = ForeignSessionOptions & { readonly mcpServers?: readonly object[] };

export type ListedSession = {
  readonly sessionId: string;
  readonly cwd?: string;
  readonly title?: string;
  readonly updatedAt?: string;
};

const CONNECT_OPTIONS: OptionChecks<ConnectOptions> = {
  agent: required(
    either(
      {
        expected: "a command ({ argv, cwd })",
        isRight: (value) => OBJECT.isRight(value) && LIST.isRight((value as Partial<AgentCommand>).argv),
      },
      having("a wire", "send", "listen"),
    ),
  ),
  protocol: oneOf(1, 2),
  client: OBJECT,
  canElicit: FLAG,
  signIn: FUNCTION,
  connectTimeoutMs: AMOUNT,
};

const OPEN_OPTIONS: OptionChecks<OpenOptions> = { ...FOREIGN_SESSION_OPTIONS, mcpServers: LIST };

const CONNECT_TIMEOUT_MS = 60_000;
/** More than this waits to be taken in: the agent has to wait too. */
const MAX_BACKLOG = 5_000;
const RECHECK_MS = 5;

export class AgentConnection {
  readonly #options: ConnectOptions;
  readonly #peer: Peer;
  readonly #process: AgentProcess | undefined;
  readonly #sessions = new Map<string, ForeignSession>();
  readonly #unclaimed = new UnclaimedUpdates();
  readonly #line: AgentLine;
  /** Sessions that are being opened, by answers that have not come yet. */
  #opening: Promise<unknown> = Promise.resolve();
  #dialect = v1ClientDialect;
  #known: KnownAgent;
  #isGone = false;
  /** Why Toolgate ended the agent, where it did. */
  #endReason: string | undefined;
  readonly #work: ServedWork;
  /** Comes when the agent is gone and all its sessions know. */
  readonly closed: Promise<void>;

  private constructor(options: ConnectOptions, wire: Wire, process: AgentProcess | undefined) {
    this.#options = options;
    this.#process = process;
    this.#work = new ServedWork((sessionId) => this.#sessions.get(sessionId));
    this.#peer = new Peer(wire, {
      request: (asked) => this.#answer(asked),
      notification: (method, params) => this.#receive(method, params),
      trouble: emitWarning,
    });
    this.#line = new AgentLine({
      peer: this.#peer,
      name: () => this.#known.name,
      stderrTail: () => this.stderrTail(),
      connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    });
    this.#known = readAgent({}, this.#nameByCommand());
    this.closed = this.#peer.closed.then(() => this.#gone());
  }

  /** Starts or reaches the agent, and initializes the connection. */
  static async open(options: ConnectOptions): Promise<AgentConnection> {
    checkOptions("AgentConnection.open", options, CONNECT_OPTIONS);
    const { agent } = options;
    if (!("argv" in agent)) return new AgentConnection(options, agent, undefined).#initialized();
    // The process starts first: the connection that slows it down needs its wire.
    const pace: { connection?: AgentConnection } = {};
    const process = await AgentProcess.start(agent, async () => pace.connection?.waitForBacklog());
    pace.connection = new AgentConnection(options, process.wire, process);
    return pace.connection.#initialized();
  }

  /** The name, version and abilities that the agent reported in `initialize`. */
  get agent(): KnownAgent {
    return this.#known;
  }

  /** How the agent ended, if it has, and the end of its stderr. */
  async stderrTail(): Promise<string> {
    return (await this.#process?.exitReport()) ?? "";
  }

  /** Resolves when no session has many unread messages. */
  async waitForBacklog(): Promise<void> {
    while ([...this.#sessions.values()].some(({ backlog }) => backlog > MAX_BACKLOG))
      await new Promise((resolve) => setTimeout(resolve, RECHECK_MS));
  }

  async newSession(options: OpenOptions): Promise<ForeignSession> {
    checkOptions("AgentConnection.newSession", options, OPEN_OPTIONS);
    const { mcpServers = [], workspace } = options;
    const [, ...others] = workspace.roots;
    const params = {
      cwd: workspace.root,
      mcpServers,
      ...(others.length > 0 && this.#known.canAddFolders && { additionalDirectories: others }),
    };
    return this.#open(async () => {
      const result = await this.#signedIn("session/new", params);
      const sessionId = isJsonObject(result) ? result["sessionId"] : undefined;
      if (typeof sessionId !== "string")
        throw new AgentTrouble("AGENT_REFUSED", `${this.#known.name} opened a session and did not name it.`);
      if (this.#sessions.has(sessionId))
        throw new AgentTrouble(
          "AGENT_REFUSED",
          `${this.#known.name} gave a new session the name of one that is open. Nothing was started.`,
        );
      const session = await ForeignSession.open(options, this.#side(), sessionId);
      session.settings.take(result);
      return session;
    });
  }

  /**
   * Resumes a session of the agent. When our record has the conversation, the agent is not asked to replay it, and
   * messages that it replays anyway are dropped.
   */
  async resumeSession(agentSessionId: string, options: OpenOptions): Promise<ForeignSession> {
    checkOptions("AgentConnection.resumeSession", options, OPEN_OPTIONS);
    const { canResume, canLoad, name } = this.#known;
    if (!canResume && !canLoad)
      throw new AgentTrouble(
        "NOT_OFFERED",
        `${name} cannot go on with an earlier session. Nothing was started; begin a new one.`,
      );
    const { mcpServers = [], workspace } = options;
    const params = { sessionId: agentSessionId, cwd: workspace.root, mcpServers };
    return this.#open(async () => {
      const session = await ForeignSession.open(options, this.#side(), agentSessionId);
      const isKnown = session.book.turn !== undefined;
      session.isReplaying = isKnown;
      session.isLoading = true;
      this.#claim(session);
      try {
        const isV2 = this.#dialect.version === 2;
        const method = (canResume && isKnown) || !canLoad ? "session/resume" : "session/load";
        const replay = isV2 && !isKnown ? { replayFrom: { type: "start" } } : {};
        session.settings.take(await this.#signedIn(method, { ...params, ...replay }));
        await session.takenIn();
      } catch (error) {
        this.#sessions.delete(agentSessionId);
        await session.close();
        throw error;
      } finally {
        session.isReplaying = false;
        session.isLoading = false;
      }
      return session;
    });
  }

  /** The agent's own list of its sessions, a page at a time. */
  async listSessions(cursor?: string): Promise<{
    readonly sessions: readonly ListedSession[];
    readonly nextCursor?: string;
  }> {
    if (!this.#known.canList)
      throw new AgentTrouble("NOT_OFFERED", `${this.#known.name} does not list its sessions.`);
    const result = await this.#line.request("session/list", cursor === undefined ? {} : { cursor });
    const { sessions, nextCursor } = isJsonObject(result) ? result : {};
    const listed = Array.isArray(sessions) ? sessions.flatMap((one: unknown) => readListed(one)) : [];
    return { sessions: listed, ...(typeof nextCursor === "string" && { nextCursor }) };
  }

  /** Releases the session, and notifies the agent where its protocol has a message for that. */
  async closeSession(session: ForeignSession): Promise<void> {
    const { agentSessionId } = session;
    if (this.#known.canClose && !this.#isGone)
      await this.#line.request("session/close", { sessionId: agentSessionId }).catch(() => undefined);
    this.#sessions.delete(agentSessionId);
    await session.close();
  }

  /** Ends the agent, and still reads its last messages. */
  async close(): Promise<void> {
    if (this.#process) await this.#process.end();
    else await this.#peer.close();
    await this.closed;
    for (const session of this.#sessions.values()) await session.close();
    this.#sessions.clear();
  }

  async #initialized(): Promise<this> {
    const { client = { name: "toolgate", version: "0" }, canElicit = false, protocol = 1 } = this.#options;
    try {
      const result = await this.#line.request("initialize", initializeParams(protocol, client, canElicit));
      this.#known = readAgent(isJsonObject(result) ? result : {}, this.#nameByCommand());
      const { name, protocolVersion: chosen } = this.#known;
      if (chosen === 1 || (chosen === 2 && protocol === 2)) {
        this.#dialect = chosen === 1 ? v1ClientDialect : v2ClientDialect;
        return this;
      }
      throw new AgentTrouble(
        "AGENT_VERSION",
        `${name} chose version ${chosen} of ACP, which Toolgate does not support here (it offered version ${protocol}). Nothing was done.`,
      );
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  #nameByCommand(): string {
    const { agent } = this.#options;
    return "argv" in agent ? commandName(agent.argv) : "the agent";
  }

  #side(): AgentSide {
    const known = () => this.#known.name;
    const gone = this.#peer.closed;
    return {
      get name() {
        return known();
      },
      dialect: this.#dialect,
      takesReasons: this.#known.takesReasons,
      gone,
      stderrTail: () => this.stderrTail(),
      request: (method, params) => this.#peer.request(method, params),
      ask: (method, params) => this.#line.request(method, params),
      notify: (method, params) => this.#peer.notify(method, params),
      terminalEnd: (terminalId) => this.#work.terminalEnd(terminalId),
      endCommands: (agentSessionId) => this.#work.end(agentSessionId),
      endReason: () => this.#endReason,
      end: async (reason) => {
        this.#endReason ??= reason;
        if (this.#process) await this.#process.end({ politely: false });
        else await this.#peer.close();
        await this.closed;
      },
    };
  }

  #signedIn(method: string, params: object): Promise<unknown> {
    return this.#line.signedIn(method, params, {
      method: this.#dialect.signIn,
      offered: this.#known.authMethods,
      choose: this.#options.signIn,
    });
  }

  async #open(open: () => Promise<ForeignSession>): Promise<ForeignSession> {
    const opening = open().then((session) => {
      this.#claim(session);
      return session;
    });
    const others = this.#opening;
    this.#opening = Promise.allSettled([others, opening]);
    try {
      return await opening;
    } finally {
      if (this.#isGone) await this.#sessionsGone();
    }
  }

  /** Routes messages to the session from now on, beginning with those that have arrived already. */
  #claim(session: ForeignSession): void {
    const { agentSessionId } = session;
    this.#sessions.set(agentSessionId, session);
    for (const update of this.#unclaimed.claim(agentSessionId)) session.receive(update);
  }

  #receive(method: string, params: unknown): void {
    if (method !== "session/update" || !isJsonObject(params)) return;
    const { sessionId, update } = params;
    if (typeof sessionId !== "string") return;
    const session = this.#sessions.get(sessionId);
    if (session) return session.receive(update);
    this.#unclaimed.keep(sessionId, update);
  }

  #answer(asked: Asked): unknown {
    const { params } = asked;
    const sessionId = isJsonObject(params) ? params["sessionId"] : undefined;
    const session = typeof sessionId === "string" ? this.#sessions.get(sessionId) : undefined;
    if (session) return this.#answerFor(session, asked);
    return this.#answerWhenOpen(asked, sessionId);
  }

  #answerFor(session: ForeignSession, asked: Asked): unknown {
    // In v2 agents have files and terminals of their own.
    const isServed = this.#dialect.version === 1 && this.#work.serves(asked.method);
    return isServed ? this.#work.answer(asked) : session.answer(asked);
  }

  /** The session may be one whose opening has not been answered yet. */
  async #answerWhenOpen(asked: Asked, sessionId: unknown): Promise<unknown> {
    if (typeof sessionId === "string") {
      await this.#opening;
      const session = this.#sessions.get(sessionId);
      if (session) return this.#answerFor(session, asked);
      throw new RpcError(CODE.notFound, "There is no such session here. Nothing was done.");
    }
    throw new RpcError(CODE.methodNotFound, `There is no method ${asked.method} here. Nothing was done.`);
  }

  /** The agent's pipe may close while its process still runs: a process that nobody can read from is ended. */
  async #gone(): Promise<void> {
    this.#isGone = true;
    await Promise.allSettled([
      this.#sessionsGone(),
      this.#work.end(),
      this.#process?.end({ politely: false }),
    ]);
  }

  async #sessionsGone(): Promise<void> {
    await Promise.allSettled([...this.#sessions.values()].map((session) => session.agentGone()));
  }
}

function readListed(one: unknown): readonly ListedSession[] {
  if (!isJsonObject(one) || typeof one["sessionId"] !== "string") return [];
  const { sessionId, cwd, title, updatedAt } = one;
  return [
    {
      sessionId,
      ...(typeof cwd === "string" && { cwd }),
      ...(typeof title === "string" && { title }),
      ...(typeof updatedAt === "string" && { updatedAt }),
    },
  ];
}
