/**
 * An agent as a process, spoken to in raw lines.
 *
 * No library of the protocol is in between: what must be seen is exactly what one would hide. Whatever the
 * agent does, a request ends: with an answer, with its time, or with the agent. Everything that it started is
 * killed at the end, also when a wrapper such as npx stands in front of it.
 */
import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";
import { isResponse } from "./transcript.js";
import type { Line, Reply } from "./transcript.js";

export type AgentCommand = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

/** What a request of the agent is answered with; `undefined` leaves it open. */
export type Answer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } };
export type AnswerRequest = (method: string, params: JsonObject, id: unknown) => Answer | undefined;

type Watcher = { readonly see: () => boolean; readonly done: () => void };

const MAX_LINE_BYTES = 64 * 1024 * 1024;
const MAX_BYTES = 256 * 1024 * 1024;
const OWN_GROUP = process.platform !== "win32";

export class AgentProcess {
  readonly lines: Line[] = [];
  answerRequest: AnswerRequest = () => undefined;
  /** Why there is no process at all. */
  notStarted: string | undefined;
  stderrBytes = 0;
  stderrEnd = "";
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #watchers = new Set<Watcher>();
  readonly #closed: Promise<void>;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #gone: string | undefined;
  #rest: Buffer[] = [];
  #restBytes = 0;
  #bytes = 0;
  #nextId = 0;

  constructor({ command, args, env }: AgentCommand) {
    this.#child = spawn(command, args, {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, ...env },
      detached: OWN_GROUP,
    });
    const { stdin, stdout, stderr } = this.#child;
    // A pipe whose reader is gone: the exit says it.
    stdin.on("error", () => undefined);
    stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    stderr.on("data", (chunk: Buffer) => {
      this.stderrBytes += chunk.length;
      this.stderrEnd = (this.stderrEnd + chunk.toString()).slice(-2000);
    });
    this.#closed = new Promise((resolve) => {
      this.#child.once("error", (error) => {
        this.notStarted = error.message;
        this.#end("it could not be started");
        resolve();
      });
      this.#child.once("close", (code, signal) => {
        if (this.#restBytes > 0) this.#take(Buffer.concat(this.#rest));
        this.#end(`it ended with ${code === null ? String(signal) : `exit code ${code}`}`);
        resolve();
      });
    });
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
    const rest = new AbortController();
    await Promise.race([
      this.#closed,
      sleep(milliseconds, undefined, { signal: rest.signal }).catch(() => 0),
    ]);
    rest.abort();
    return this.#gone !== undefined;
  }

  async kill(): Promise<void> {
    const { pid } = this.#child;
    if (pid === undefined) return;
    // The whole group, even when its leader has gone: what it left behind would hold the pipes open.
    if (!(OWN_GROUP && tellGroup(pid))) this.#child.kill("SIGKILL");
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
    await this.#closed;
  }

  #read(chunk: Buffer): void {
    this.#bytes += chunk.length;
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      this.#rest.push(chunk.subarray(from, end));
      this.#take(Buffer.concat(this.#rest));
      from = end + 1;
    }
    if (from < chunk.length) {
      this.#rest.push(chunk.subarray(from));
      this.#restBytes += chunk.length - from;
    }
    if (this.#restBytes > MAX_LINE_BYTES || this.#bytes > MAX_BYTES) {
      this.#end("it wrote more than this suite takes, and was stopped");
      void this.kill();
    }
    for (const watcher of this.#watchers) if (watcher.see()) watcher.done();
  }

  #take(bytes: Buffer): void {
    this.#rest = [];
    this.#restBytes = 0;
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

function tellGroup(pid: number): boolean {
  try {
    return process.kill(-pid, "SIGKILL");
  } catch {
    return false;
  }
}
