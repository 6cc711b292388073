/**
 * An agent as a process, with raw lines in both directions.
 *
 * No library of the protocol is in between, since it would hide the mistakes that the suite looks for. Whatever
 * the agent does, a request ends: with an answer, with its timeout, or with the agent. The whole process tree is
 * killed at the end, also when a wrapper such as npx started the agent.
 */
import type { Writable } from "node:stream";
import { LineSplitter, settlesWithin, startChildWithStdin, TailBuffer } from "../../process/index.js";
import type { Child } from "../../process/index.js";
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";
import { isResponse } from "./transcript.js";
import type { Line, Reply } from "./transcript.js";
import { errorMessage } from "../../call/error-message.js";

export type AgentCommand = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

/** The response to a request of the agent; `undefined` leaves it open. */
export type Answer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } };
export type AnswerRequest = (method: string, params: JsonObject, id: unknown) => Answer | undefined;

type Watcher = { readonly see: () => boolean; readonly done: () => void };

const MAX_LINE_BYTES = 64 * 1024 * 1024;
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_STDERR_BYTES = 2000;

export class AgentProcess {
  readonly lines: Line[] = [];
  answerRequest: AnswerRequest = () => undefined;
  /** Why there is no process at all. */
  notStarted: string | undefined;
  stderrBytes = 0;
  readonly #stderr = new TailBuffer(MAX_STDERR_BYTES);
  readonly #child: Child<Writable>;
  readonly #watchers = new Set<Watcher>();
  readonly #closed: Promise<void>;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #gone: string | undefined;
  readonly #splitter = new LineSplitter({
    maxBytes: MAX_LINE_BYTES,
    onLine: (line) => this.#take(line),
    onTooLong: () => this.#stop(),
  });
  #bytes = 0;
  #nextId = 0;

  constructor({ command, args, env }: AgentCommand) {
    this.#child = startChildWithStdin([command, ...args], { env: { ...process.env, ...env } });
    this.#child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    this.#child.stderr.on("data", (chunk: Buffer) => {
      this.stderrBytes += chunk.length;
      this.#stderr.add(chunk);
    });
    this.#closed = this.#whenClosed();
  }

  get stderrEnd(): string {
    return this.#stderr.text;
  }

  /** Why it is not there any more; undefined while it is. */
  get gone(): string | undefined {
    return this.#gone;
  }

  write(text: string): void {
    this.lines.push({ at: this.lines.length, from: "client", text, message: parsed(text), isUtf8: true });
    if (this.#gone === undefined) this.#child.stdin.write(`${text}\n`);
  }

  send(message: JsonObject): void {
    this.write(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  /** Sends a request and waits for its answer at most so long. Never rejects. */
  async ask(
    method: string,
    params: unknown,
    { milliseconds, id = this.#nextId++ }: { readonly milliseconds: number; readonly id?: number | string },
  ): Promise<Reply> {
    const asked = this.lines.length;
    this.send({ id, method, params });
    const line = await this.waitFor(
      ({ from, message }) => from === "agent" && isResponse(message) && message["id"] === id,
      milliseconds,
      asked,
    );
    const head = { lines: this.lines, asked, method };
    if (line && isJsonObject(line.message)) {
      const { message, at } = line;
      return "result" in message && !("error" in message)
        ? { ...head, kind: "result", result: message["result"], at }
        : { ...head, kind: "error", error: message["error"], at };
    }
    const why =
      this.#gone === undefined ? `no answer within ${inSeconds(milliseconds)}` : `no answer: ${this.#gone}`;
    return { ...head, kind: "none", why };
  }

  /** The first line from `start` on that is so, or undefined when the time is up or the agent is gone. */
  async waitFor(isIt: (line: Line) => boolean, milliseconds: number, start = 0): Promise<Line | undefined> {
    let next = start;
    let found: Line | undefined;
    const see = (): boolean => {
      for (; next < this.lines.length && !found; next++) {
        const line = this.lines[next];
        if (line && isIt(line)) found = line;
      }
      return found !== undefined || this.#gone !== undefined;
    };
    if (see()) return found;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#watchers.delete(watcher);
        resolve();
      };
      const watcher: Watcher = { see, done };
      const timer = setTimeout(done, milliseconds);
      this.#watchers.add(watcher);
    });
    return found;
  }

  /** Closes its stdin; true when it ended by itself within the time. */
  async closeInput(milliseconds: number): Promise<boolean> {
    this.#child.stdin.end();
    await settlesWithin(this.#closed, milliseconds);
    return this.#gone !== undefined;
  }

  async kill(): Promise<void> {
    // Also when the agent itself has gone: a process that it left behind would keep the pipes open.
    await this.#child.tree?.end({ graceMs: 0 });
    this.#child.closePipes();
    await this.#closed;
  }

  async #whenClosed(): Promise<void> {
    try {
      await this.#child.started;
    } catch (error) {
      this.notStarted = errorMessage(error);
      return this.#end("it could not be started");
    }
    await this.#child.closed;
    this.#splitter.end();
    const { exitCode, signal } = await this.#child.exit;
    this.#end(`it ended with ${exitCode === undefined ? signal : `exit code ${exitCode}`}`);
  }

  #read(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#splitter.add(chunk);
    if (this.#bytes > MAX_BYTES || this.#splitter.pendingBytes > MAX_LINE_BYTES) this.#stop();
    this.#wakeWatchers();
  }

  #stop(): void {
    this.#end("it wrote more than this suite takes, and was stopped");
    void this.kill();
  }

  #take(bytes: Buffer): void {
    let isUtf8 = true;
    let text: string;
    try {
      text = this.#decoder.decode(bytes);
    } catch {
      isUtf8 = false;
      text = bytes.toString("utf8");
    }
    // An empty line says nothing, and hurts nobody.
    if (text.trim() === "") return;
    const message = parsed(text);
    this.lines.push({ at: this.lines.length, from: "agent", text, message, isUtf8 });
    if (!isJsonObject(message) || typeof message["method"] !== "string" || !("id" in message)) return;
    const params = isJsonObject(message["params"]) ? message["params"] : {};
    const answer = this.answerRequest(message["method"], params, message["id"]);
    if (answer) this.send({ id: message["id"], ...answer });
  }

  #end(why: string): void {
    this.#gone ??= why;
    this.#wakeWatchers();
  }

  #wakeWatchers(): void {
    for (const watcher of this.#watchers) if (watcher.see()) watcher.done();
  }
}

const inSeconds = (milliseconds: number): string => `${milliseconds / 1000} s`;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
