/**
 * Parses a stream of server-sent events from chunks of any size. A frame counts when its blank line has come; one without
 * data yields nothing, but its id and its `retry` hold. A server that never ends a frame costs a bounded amount of memory.
 */
import { AapError } from "./aap-error.js";

/** `id` is there when this very frame has one. */
export type SseFrame = { readonly event: string; readonly data: string; readonly id?: string };

/** Characters of one frame: far above any tool result, far below what a page can hold. */
const MAX_FRAME_CHARACTERS = 64 * 1024 * 1024;

export class SseParser {
  #line = "";
  #event = "";
  #data: string[] = [];
  #id: string | undefined;
  #size = 0;
  #lastEventId = "";
  #retry: number | undefined;
  #hasComments = false;
  /** A carriage return ended the last piece: a line feed now belongs to it. */
  #afterReturn = false;
  #isFirst = true;

  /** Where a resumed stream continues; empty when the server sends no ids. */
  get lastEventId(): string {
    return this.#lastEventId;
  }

  /** Milliseconds that the server asks a client to wait before it reconnects. */
  get retry(): number | undefined {
    return this.#retry;
  }

  /** Whether the chunk had comments, which are heartbeats. */
  get hasComments(): boolean {
    return this.#hasComments;
  }

  push(piece: string): readonly SseFrame[] {
    const frames: SseFrame[] = [];
    let text = piece;
    if (text === "") return frames;
    if (this.#isFirst && text.startsWith("\uFEFF")) text = text.slice(1);
    this.#isFirst = false;
    if (this.#afterReturn && text.startsWith("\n")) text = text.slice(1);
    this.#afterReturn = piece.endsWith("\r");
    const lines = text.split(/\r\n|\r|\n/);
    const rest = lines.pop() ?? "";
    for (const [index, line] of lines.entries()) {
      const whole = index === 0 ? this.#line + line : line;
      const frame = this.#take(whole);
      if (frame) frames.push(frame);
    }
    this.#line = lines.length === 0 ? this.#line + rest : rest;
    this.#checkSize();
    return frames;
  }

  #take(line: string): SseFrame | undefined {
    if (line === "") return this.#end();
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "event") this.#event = value;
    else if (field === "data") {
      this.#data.push(value);
      this.#size += value.length + 1;
      this.#checkSize();
    } else if (field === "id" && !value.includes("\0")) this.#id = value;
    else if (field === "retry" && /^\d+$/.test(value)) this.#retry = Number(value);
    else if (field === "") this.#hasComments = true;
    // Unknown fields are ignored.
    return undefined;
  }

  #end(): SseFrame | undefined {
    const frame = {
      event: this.#event === "" ? "message" : this.#event,
      data: this.#data.join("\n"),
      ...(this.#id !== undefined && { id: this.#id }),
    };
    const isWhole = this.#data.length > 0;
    if (this.#id !== undefined) this.#lastEventId = this.#id;
    this.#event = "";
    this.#data = [];
    this.#id = undefined;
    this.#size = 0;
    return isWhole ? frame : undefined;
  }

  #checkSize(): void {
    if (this.#size + this.#line.length <= MAX_FRAME_CHARACTERS) return;
    throw new AapError(
      "NOT_AAP",
      `The server sent an event of more than ${MAX_FRAME_CHARACTERS} characters. The stream was given up.`,
    );
  }
}
