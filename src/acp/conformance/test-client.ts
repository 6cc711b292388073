/**
 * The client's side of a conversation: the messages that an editor would send, in the version that is tested.
 *
 * Steps are recorded by name. A step without which nothing can follow ends the scene; every other missing
 * response is recorded and the conversation goes on.
 */
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";
import type { AgentProcess, Answer } from "./agent-process.js";
import { advertised, LOGIN, wantsLogin } from "./evidence.js";
import type { Turn } from "./evidence.js";
import type { ProtocolVersion } from "./requirement.js";
import { shownReply } from "./transcript.js";
import type { Line, Reply } from "./transcript.js";

export type TestClientSettings = {
  readonly version: ProtocolVersion;
  readonly cwd: string;
  readonly authMethod?: string;
  readonly responseTimeoutMs: number;
  /** The first response also contains the start of the program. */
  readonly startTimeoutMs: number;
  /** How long to wait before concluding that nothing more comes. */
  readonly quietMs: number;
};

/** How questions are answered. `hold` leaves them open until the turn is cancelled. */
export type Policy = "allow" | "reject" | "cancelled" | "unoffered" | "unknown-outcome" | "hold";

/** The rest of this scene cannot be tested. */
export class SceneOver extends Error {
  readonly code = "SCENE_OVER";
}

const CLIENT = { name: "toolgate-conformance", title: "Toolgate conformance suite", version: "1.0.0" };

export class TestClient {
  readonly replies: Map<string, Reply>;
  readonly turns: Map<string, Turn>;
  policy: Policy = "allow";
  readonly #agent: AgentProcess;
  readonly #settings: TestClientSettings;
  readonly #open = new Set<unknown>();
  #greeting: JsonObject = {};

  constructor(
    agent: AgentProcess,
    settings: TestClientSettings,
    kept: { readonly replies: Map<string, Reply>; readonly turns: Map<string, Turn> },
  ) {
    this.#agent = agent;
    this.#settings = settings;
    this.replies = kept.replies;
    this.turns = kept.turns;
    agent.answerRequest = (method, params, id) => {
      const answer = this.#answer(method, params, id);
      if (!answer || method !== "session/request_permission") return answer;
      // Answers late, as a person does, so that an agent that continues without the answer has the time to show it.
      setTimeout(() => agent.send({ id, ...answer }), Math.min(50, settings.quietMs / 3));
      return undefined;
    };
  }

  get greeting(): JsonObject {
    return this.#greeting;
  }

  /** Whether the agent advertises this capability, by its path in the version that is tested. */
  can(path: string): boolean {
    const root = this.#settings.version === 1 ? "agentCapabilities" : "capabilities";
    return advertised(this.#greeting, `${root}.${path}`);
  }

  /** Initializes, and logs in when there is an `authMethod`. */
  async initialize(protocolVersion: number = this.#settings.version): Promise<void> {
    const { version, startTimeoutMs: milliseconds, authMethod } = this.#settings;
    const v1 = { clientCapabilities: {}, clientInfo: CLIENT };
    const v2 = { capabilities: {}, info: CLIENT };
    // A client of a later version sends its own fields, and those of v1 for an agent that knows no other.
    const params =
      protocolVersion === 1 ? v1 : version === 2 && protocolVersion === 2 ? v2 : { ...v1, ...v2 };
    const reply = await this.#agent.ask("initialize", { protocolVersion, ...params }, { milliseconds });
    this.replies.set("initialize", reply);
    if (reply.kind !== "result") throw new SceneOver(`initialize failed: ${shownReply(reply)}`);
    this.#greeting = isJsonObject(reply.result) ? reply.result : {};
    if (protocolVersion !== version) return;
    const { protocolVersion: agreed } = this.#greeting;
    if (agreed !== version)
      throw new SceneOver(
        `the agent answers with protocol version ${JSON.stringify(agreed)}, not ${version}`,
      );
    if (authMethod !== undefined)
      await this.request("authenticate", version === 1 ? "authenticate" : "auth/login", {
        methodId: authMethod,
      });
  }

  /** Opens a session and returns its id. */
  async openSession(step = "new", more: JsonObject = {}): Promise<string> {
    const { version, cwd } = this.#settings;
    if (version === 2 && !this.can("session")) throw new SceneOver("the agent does not advertise session");
    const params = { cwd, ...(version === 1 && { mcpServers: [] }), ...more };
    const reply = await this.request(step, "session/new", params);
    const sessionId =
      reply.kind === "result" && isJsonObject(reply.result) ? reply.result["sessionId"] : undefined;
    if (wantsLogin(reply)) throw new SceneOver(LOGIN);
    if (typeof sessionId !== "string") throw new SceneOver(`session/new failed: ${shownReply(reply)}`);
    return sessionId;
  }

  async request(
    step: string,
    method: string,
    params: unknown,
    {
      id,
      milliseconds = this.#settings.responseTimeoutMs,
    }: { readonly id?: string; readonly milliseconds?: number } = {},
  ): Promise<Reply> {
    const reply = await this.#agent.ask(method, params, { milliseconds, ...(id !== undefined && { id }) });
    this.replies.set(step, reply);
    return reply;
  }

  notify(method: string, params: unknown): void {
    this.#agent.send({ method, params });
  }

  write(text: string): void {
    this.#agent.write(text);
  }

  /** Prompts and waits until the turn is over. */
  async runTurn(
    step: string,
    sessionId: string,
    prompt: string | readonly JsonObject[],
    more: JsonObject = {},
  ) {
    const blocks = typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt;
    const asked = this.#agent.lines.length;
    const reply = await this.request(step, "session/prompt", { sessionId, prompt: blocks, ...more });
    const end = await this.#endOf(reply, sessionId, asked);
    const turn: Turn = { sessionId, reply, end, interruptedAt: this.#interruptedAt(asked, end) };
    this.turns.set(step, turn);
    return turn;
  }

  /**
   * Prompts, and interrupts the turn when it is well under way: while the agent asks us something, or a while after its
   * first update. `until: "question"` waits for the question as long as it takes.
   */
  async runInterruptedTurn(
    step: string,
    { sessionId, prompt, until }: { sessionId: string; prompt: string; until: "question" | "under way" },
    interrupt: () => Promise<unknown> | void,
  ): Promise<void> {
    const { responseTimeoutMs, quietMs } = this.#settings;
    const start = this.#agent.lines.length;
    let isOver = false;
    const turn = this.runTurn(step, sessionId, prompt).then(() => (isOver = true));
    const isLeftOpen = (line: Line): boolean => this.policy === "hold" && isQuestion(line);
    if (until === "under way") {
      const isAbout = (line: Line): boolean => isQuestion(line) || updateOf(line, sessionId) !== undefined;
      await Promise.race([turn, this.#agent.waitFor(isAbout, responseTimeoutMs, start)]);
    }
    const timeoutMs = until === "question" ? responseTimeoutMs : quietMs;
    await Promise.race([turn, this.#agent.waitFor(isLeftOpen, timeoutMs, start)]);
    // Checked after an await: the turn may have ended meanwhile, which the compiler cannot know.
    if (!(isOver as boolean)) {
      this.policy = "cancelled";
      const interrupted = interrupt();
      for (const id of this.#open) this.#agent.send({ id, result: { outcome: { outcome: "cancelled" } } });
      this.#open.clear();
      await interrupted;
    }
    await turn;
    await this.waitQuietly();
  }

  async waitQuietly(): Promise<void> {
    await this.#agent.waitFor(() => false, this.#settings.quietMs);
  }

  async #endOf(reply: Reply, sessionId: string, asked: number): Promise<number | undefined> {
    if (this.#settings.version === 1) return reply.kind === "none" ? undefined : reply.at;
    if (reply.kind !== "result") return undefined;
    let hasRun = false;
    const line = await this.#agent.waitFor(
      (one) => {
        const update = updateOf(one, sessionId);
        if (update?.["sessionUpdate"] !== "state_update") return false;
        if (update["state"] === "running") hasRun = true;
        return update["state"] === "idle" && (hasRun || typeof update["stopReason"] === "string");
      },
      this.#settings.responseTimeoutMs,
      asked,
    );
    return line?.at;
  }

  /** The line in which we cancelled or closed while the turn went on. */
  #interruptedAt(asked: number, end: number | undefined): number | undefined {
    return this.#agent.lines
      .slice(asked, end)
      .find(
        ({ from, message }) =>
          from === "client" &&
          isJsonObject(message) &&
          (message["method"] === "session/cancel" || message["method"] === "session/close"),
      )?.at;
  }

  #answer(method: string, params: JsonObject, id: unknown): Answer | undefined {
    if (method !== "session/request_permission")
      return { error: { code: -32601, message: `This client does not offer ${method}.` } };
    const options = (Array.isArray(params["options"]) ? params["options"] : []).filter(isJsonObject);
    const chosen = (...kinds: readonly string[]): Answer => {
      const option = kinds
        .map((kind) => options.find((one) => one["kind"] === kind))
        .find((one) => one !== undefined);
      return outcome(
        option ? { outcome: "selected", optionId: option["optionId"] } : { outcome: "cancelled" },
      );
    };
    switch (this.policy) {
      case "allow":
        return chosen("allow_once", "allow_always");
      case "reject":
        return chosen("reject_once", "reject_always");
      case "unoffered":
        return outcome({ outcome: "selected", optionId: "this-option-was-not-offered" });
      case "unknown-outcome":
        return outcome({ outcome: "_toolgate.dev/later" });
      case "cancelled":
        return outcome({ outcome: "cancelled" });
      case "hold":
        this.#open.add(id);
        return undefined;
      default:
        return this.policy satisfies never;
    }
  }
}

const outcome = (value: JsonObject): Answer => ({ result: { outcome: value } });

/** The update, if this line has one for this session. */
function updateOf({ from, message }: Line, sessionId: string): JsonObject | undefined {
  if (from !== "agent" || !isJsonObject(message) || message["method"] !== "session/update") return undefined;
  const { params } = message;
  if (!isJsonObject(params) || params["sessionId"] !== sessionId) return undefined;
  return isJsonObject(params["update"]) ? params["update"] : undefined;
}

const isQuestion = ({ from, message }: Line): boolean =>
  from === "agent" && isJsonObject(message) && message["method"] === "session/request_permission";
