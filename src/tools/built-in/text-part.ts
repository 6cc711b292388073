/** Part of a text by its lines, with a last line that says how to get the next part. */
import { countOf } from "../../call/amounts.js";
import { ToolFailure } from "../tool.js";

export const MAX_LINES = 2000;
export const MAX_BYTES = 256 * 1024;

export type Wanted = {
  readonly path: string;
  /** The first line, counted from 1. */
  readonly line?: number | undefined;
  readonly limit?: number | undefined;
};

export function textPart(text: string, { path, line = 1, limit = MAX_LINES }: Wanted): string {
  if (text === "") return "[The file is empty.]";
  const lines = text.split(/(?<=\n)/);
  const first = lines[line - 1];
  if (first === undefined) throw noSuchLine(path, line, lines.length);
  const wanted = lines.slice(line - 1, line - 1 + Math.min(limit, MAX_LINES));
  const part = wanted.slice(0, linesThatFit(wanted));
  const next = line + Math.max(part.length, 1);
  const onward = next > lines.length ? "" : ` Use line=${next} to continue.`;
  if (part.length === 0)
    return withNotice(beginning(Buffer.from(first)), `Line ${line} is cut after 256 kB.${onward}`);
  const shown = part.join("");
  return onward === "" ? shown : withNotice(shown, `Lines ${line}-${next - 1} of ${lines.length}.${onward}`);
}

export function noSuchLine(path: string, line: number, lines: number): ToolFailure {
  return new ToolFailure(
    `read_file: ${path} has ${countOf(lines, "line")}, so there is no line ${line}. Nothing was read. Use a line from 1 to ${lines}.`,
  );
}

function linesThatFit(lines: readonly string[]): number {
  let bytes = 0;
  const tooMany = lines.findIndex((line) => (bytes += Buffer.byteLength(line)) > MAX_BYTES);
  return tooMany < 0 ? lines.length : tooMany;
}

/** The first bytes of a line, without the half of a character that the cut may leave. */
function beginning(line: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(line.subarray(0, MAX_BYTES), { stream: true });
}

export function withNotice(text: string, notice: string): string {
  return `${text}${text.endsWith("\n") ? "" : "\n"}[${notice}]`;
}
