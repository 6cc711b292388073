/**
 * Reads a stream of server-sent events, in whatever pieces it comes. A frame counts when its blank line
 * has come; a frame without data is none.
 */

export type SseFrame = { readonly event: string; readonly data: string };

export class SseParser {
  #line = "";
  #event = "";
  #data: string[] = [];
  /** A carriage return ended the last piece: a line feed now belongs to it. */
  #afterReturn = false;
  #isFirst = true;

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
    return frames;
  }

  #take(line: string): SseFrame | undefined {
    if (line === "") return this.#end();
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "event") this.#event = value;
    else if (field === "data") this.#data.push(value);
    // Comments, ids and fields that nobody knows are passed over.
    return undefined;
  }

  #end(): SseFrame | undefined {
    const frame = { event: this.#event === "" ? "message" : this.#event, data: this.#data.join("\n") };
    const isWhole = this.#data.length > 0;
    this.#event = "";
    this.#data = [];
    return isWhole ? frame : undefined;
  }
}
