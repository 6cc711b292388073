/**
 * A server that is a program of ours: messages over its stdin and stdout, one a line.
 *
 * What must stay true: no shell reads the command; the program gets only the few variables that are safe
 * to inherit and those configured for it; whatever it writes, however long or broken, costs us no more than
 * a bounded memory; when it ends, everything it started ends too; and when we end it, it ends.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { setTimeout } from "node:timers/promises";
import { deserializeMessage, serializeMessage } from "@modelcontextprotocol/client";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { getDefaultEnvironment } from "@modelcontextprotocol/client/stdio";
import type { StdioServerConfig } from "./config.js";
import { lastWords } from "./last-words.js";
import { MessageLines } from "./message-lines.js";
import { endGroup, watchGroup } from "./process-group.js";

/** A result of four megabytes fits, with room for its escapes. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const MAX_STDERR = 8192;
const POLITE_MS = 300;
const REST_PATIENCE_MS = 250;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #config: StdioServerConfig;
  readonly #cwd: string;
  #child: Child | undefined;
  /** Settles when the program is gone, with all that belonged to it. */
  #gone: Promise<void> = Promise.resolve();
  #ending: Promise<void> | undefined;
  #isClosed = false;
  #stderr = "";
  #exit = "";

  constructor(config: StdioServerConfig, cwd: string) {
    this.#config = config;
    this.#cwd = cwd;
  }

  /** How it ended and what it last wrote to stderr, for whoever must know why. */
  get lastWords(): string {
    return lastWords(this.#exit, this.#stderr);
  }

  async start(): Promise<void> {
    const { command, args = [], env } = this.#config;
    const child = spawn(command, args, {
      cwd: this.#cwd,
      env: { ...getDefaultEnvironment(), ...env },
      stdio: ["pipe", "pipe", "pipe"],
      shell: false,
      detached: true,
      windowsHide: true,
    });
    this.#child = child;
    this.#listen(child);
    // It has one as soon as it runs, and from then on it must end with us.
    if (child.pid !== undefined) this.#gone = this.#whenGone(child, child.pid);
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable) return Promise.reject(new Error("The server no longer reads what it is sent."));
    stdin.write(serializeMessage(message));
    return Promise.resolve();
  }

  /** Asks it to end by closing its stdin, then makes it. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      child.stdin.end();
      await Promise.race([this.#gone, setTimeout(POLITE_MS)]);
      if (child.exitCode === null && child.signalCode === null) await this.#end(child.pid);
    }
    await this.#gone;
    this.#close();
  }

  async #whenGone(child: Child, pid: number): Promise<void> {
    watchGroup(pid);
    const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
    await new Promise<void>((resolve) => {
      child.once("exit", (code, signal) => {
        this.#exit = code === null ? `it was ended by ${signal ?? "a signal"}` : `it ended with code ${code}`;
        resolve();
      });
    });
    // What it wrote last is still read; a helper of it may hold the pipes open, so not for long.
    await Promise.race([ended, setTimeout(REST_PATIENCE_MS)]);
    this.#close();
    await this.#end(pid);
    child.stdout.destroy();
    child.stderr.destroy();
    child.stdin.destroy();
  }

  #end(pid: number): Promise<void> {
    return (this.#ending ??= endGroup(pid));
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }

  #listen(child: Child): void {
    const lines = new MessageLines(
      MAX_LINE_BYTES,
      (line) => this.#read(line),
      () => this.onerror?.(new Error("It wrote a message that is too large. It was left out.")),
    );
    const decoder = new StringDecoder("utf8");
    child.stdout.on("data", (bytes: Buffer) => lines.add(bytes));
    child.stderr.on("data", (bytes: Buffer) => {
      this.#stderr = (this.#stderr + decoder.write(bytes)).slice(-MAX_STDERR);
    });
    // A program that does not start says so with an event; a pipe that breaks ends with the program.
    child.on("error", () => undefined);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => undefined);
  }

  #read(line: string): void {
    if (this.#isClosed) return;
    try {
      const message = deserializeMessage(line);
      if (!("method" in message) && isDisguised(message.id))
        throw new Error("It answers nothing that was asked.");
      this.onmessage?.(message);
    } catch (error) {
      const why = error instanceof SyntaxError ? "no JSON" : "no message of the protocol";
      this.onerror?.(new Error(`It wrote a line that is ${why}: ${line.slice(0, 200)}`));
    }
  }
}

/** A text that would be read as the number of one of our requests. */
const isDisguised = (id: unknown): boolean => typeof id === "string" && !Number.isNaN(Number(id));
