/** The agent's door as lines of JSON, in one process: for messages that no well-made client would send. */
import { PassThrough } from "node:stream";
import { onTestFinished } from "vitest";
import { serveWire, stdioWire } from "../src/acp/index.js";
import type { AcpHost } from "../src/acp/index.js";
import { until } from "./until.js";

/** A message of the agent, with the fields that tests read. */
export type Said = {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly update?: Update; readonly options?: readonly { readonly optionId: string }[] };
  readonly result?: {
    readonly sessionId?: string;
    readonly messageId?: string;
    readonly stopReason?: string;
    readonly sessions?: readonly object[];
  };
  readonly error?: { readonly code: number; readonly message: string };
};

type Update = {
  readonly sessionUpdate: string;
  readonly messageId?: string;
  readonly content?: { readonly text?: string };
  readonly state?: string;
};

type RawAgentOptions = { readonly v2?: boolean };

const HELLO = {
  v1: { protocolVersion: 1 },
  v2: { protocolVersion: 2, info: { name: "an editor", version: "1" }, capabilities: {} },
};

/** Serves the host, and has said hello. */
export async function rawAgent(host: AcpHost, { v2 = false }: RawAgentOptions = {}): Promise<RawAgent> {
  const agent = new RawAgent(host, v2);
  onTestFinished(() => agent.leave());
  await agent.request("initialize", v2 ? HELLO.v2 : HELLO.v1);
  return agent;
}

export class RawAgent {
  /** All that the agent said, in order. */
  readonly said: Said[] = [];
  /** Comes when the agent has closed everything. */
  readonly served: Promise<void>;
  isOver = false;
  readonly #toAgent = new PassThrough();
  readonly #toClient = new PassThrough();
  #rest = "";
  #lastId = 0;

  constructor(host: AcpHost, v2: boolean) {
    this.#toClient.setEncoding("utf8").on("data", (text: string) => this.#read(text));
    const wire = stdioWire(this.#toAgent, this.#toClient);
    this.served = serveWire(wire, { name: "tester", version: "1", v2, openHost: async () => host }).finally(
      () => {
        this.isOver = true;
      },
    );
  }

  /** Sends requests in one chunk of bytes, without waiting. Returns their ids. */
  begin(...requests: readonly (readonly [method: string, params: object])[]): readonly number[] {
    const sent = requests.map(([method, params]) => ({ id: ++this.#lastId, method, params }));
    this.send(...sent);
    return sent.map(({ id }) => id);
  }

  send(...messages: readonly object[]): void {
    const lines = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    this.#toAgent.write(lines.join(""));
  }

  async request(method: string, params: object): Promise<Said> {
    const [id] = this.begin([method, params]);
    return this.answer(id);
  }

  async answer(id: number | undefined): Promise<Said> {
    return this.hear((said) => said.id === id && said.method === undefined);
  }

  /** The first that fits, from what was said or will be. */
  async hear(fits: (said: Said) => boolean): Promise<Said> {
    await until(() => this.said.some(fits));
    return this.said.find(fits) ?? {};
  }

  /** The next thing that the agent asks about. */
  async question(): Promise<Said> {
    return this.hear(({ method }) => method === "session/request_permission");
  }

  async newSession(cwd: string): Promise<string> {
    const { result } = await this.request("session/new", { cwd, mcpServers: [] });
    return result?.sessionId ?? "";
  }

  get updates(): readonly Update[] {
    return this.said.flatMap(({ params }) => params?.update ?? []);
  }

  /** From here on nothing is read. */
  stopReading(): void {
    this.#toClient.removeAllListeners("data").pause();
  }

  /** Disconnects the client. `served` resolves when the agent has finished. */
  end(): void {
    this.#toAgent.end();
  }

  async leave(): Promise<void> {
    this.end();
    this.#toClient.resume();
    await this.served;
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    // Any of the fields may be missing, and tests look at what they need.
    for (const line of lines) this.said.push(JSON.parse(line) as Said);
  }
}

/** A promise that the test resolves. */
export function deferred(): { readonly resolve: () => void; readonly promise: Promise<void> } {
  let resolvePromise: (() => void) | undefined;
  const promise = new Promise<void>((resolve) => {
    resolvePromise = resolve;
  });
  return { resolve: () => resolvePromise?.(), promise };
}

/** Long enough for what should not happen to happen. */
export const aWhile = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 30));
