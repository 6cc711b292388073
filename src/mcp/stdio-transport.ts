/**
 * The transport to a server that runs as a child process: messages over its stdin and stdout, one per line.
 *
 * Invariants: no shell reads the command; the program gets only the few variables that are safe to inherit and those
 * configured for it; its output, however long or broken, uses bounded memory; when the program ends, its whole process
 * tree ends too; closing the transport always ends the program.
 */
import type { Writable } from "node:stream";
import { deserializeMessage, serializeMessage } from "@modelcontextprotocol/client";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { getDefaultEnvironment } from "@modelcontextprotocol/client/stdio";
import {
  exitReport,
  LineSplitter,
  settlesWithin,
  startChildWithStdin,
  TailBuffer,
} from "../process/index.js";
import type { Child, ChildExit, ProcessTree } from "../process/index.js";
import type { StdioServerConfig } from "./config.js";

/** A result of four megabytes fits, with room for its escapes. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const MAX_STDERR_BYTES = 8192;
const CLOSE_GRACE_MS = 300;
const MAX_DRAIN_MS = 250;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #config: StdioServerConfig;
  readonly #cwd: string;
  readonly #stderr = new TailBuffer(MAX_STDERR_BYTES);
  #child: Child<Writable> | undefined;
  #exit: ChildExit | undefined;
  /** Resolves when the program is gone, with its whole tree. */
  #gone: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(config: StdioServerConfig, cwd: string) {
    this.#config = config;
    this.#cwd = cwd;
  }

  /** How the program ended, and the end of its stderr. */
  get exitReport(): string {
    return exitReport(this.#exit, this.#stderr.text);
  }

  async start(): Promise<void> {
    const { command, args = [], env } = this.#config;
    const child = startChildWithStdin([command, ...args], {
      cwd: this.#cwd,
      env: { ...getDefaultEnvironment(), ...env },
    });
    this.#child = child;
    this.#listen(child);
    if (child.tree) this.#gone = this.#whenGone(child, child.tree);
    await child.started;
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable) return Promise.reject(new Error("The server no longer reads its input."));
    stdin.write(serializeMessage(message));
    return Promise.resolve();
  }

  /** Closes the program's stdin, which asks it to end, and then ends it. */
  async close(): Promise<void> {
    if (this.#child && !this.#exit) {
      this.#child.stdin.end();
      await settlesWithin(this.#gone, CLOSE_GRACE_MS);
      if (!this.#exit) await this.#child.tree?.end();
    }
    await this.#gone;
    this.#close();
  }

  async #whenGone(child: Child<Writable>, tree: ProcessTree): Promise<void> {
    this.#exit = await child.exit;
    // The last output is still read, but not for long: a process of the tree may keep the pipes open.
    await child.drained(MAX_DRAIN_MS);
    this.#close();
    await tree.end();
    child.closePipes();
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }

  #listen(child: Child<Writable>): void {
    const lines = new LineSplitter({
      maxBytes: MAX_LINE_BYTES,
      onLine: (line) => this.#read(line.toString("utf8")),
      onTooLong: () =>
        this.onerror?.(new Error("The server wrote a message that is too large. Nothing of it was read.")),
    });
    child.stdout.on("data", (bytes: Buffer) => lines.add(bytes));
    child.stderr.on("data", (bytes: Buffer) => this.#stderr.add(bytes));
  }

  #read(line: string): void {
    if (this.#isClosed || line.trim() === "") return;
    try {
      const message = deserializeMessage(line);
      if (!("method" in message) && isDisguised(message.id))
        throw new Error("The response matches no request.");
      this.onmessage?.(message);
    } catch (error) {
      const why = error instanceof SyntaxError ? "not JSON" : "not a protocol message";
      this.onerror?.(new Error(`The server wrote a line that is ${why}: ${line.slice(0, 200)}`));
    }
  }
}

/** A text that would be read as the number of one of our requests. */
const isDisguised = (id: unknown): boolean => typeof id === "string" && !Number.isNaN(Number(id));
