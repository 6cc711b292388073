/** A text file for the model: whole, or a part of it with the step that leads to the next. */
import { z } from "zod";
import { textContent } from "../../call/index.js";
import { defineTool } from "../define-tool.js";
import { touched } from "../touched.js";
import { ToolFailure } from "../tool.js";

const MAX_LINES = 2000;
const MAX_BYTES = 256 * 1024;

const input = z.object({
  path: z.string().min(1).describe("The file, absolute or from the workspace folder."),
  line: z.int().min(1).optional().describe("The first line to read, counted from 1."),
  limit: z.int().min(1).optional().describe(`How many lines to read; at most, and without it, ${MAX_LINES}.`),
});

export const readFile = defineTool({
  name: "read_file",
  description:
    "Reads a text file of the workspace. A long file comes in parts; the last line of a part says how to go on.",
  kind: "read",
  input,
  async intent({ path }, workspace) {
    return { paths: [await touched(path, "read", workspace)] };
  },
  async preview({ path, line }, workspace) {
    const place = { path: await workspace.resolve(path) };
    return { locations: [line === undefined ? place : { ...place, line }] };
  },
  async run(wanted, { workspace }) {
    const text = await workspace.readText(await workspace.resolve(wanted.path));
    if (text === undefined)
      throw new ToolFailure(
        `read_file: ${wanted.path} does not exist. Nothing was read. List its folder to find the right name.`,
      );
    const output = partOf(text, wanted);
    return { output, content: [textContent(output)] };
  },
});

function partOf(text: string, { path, line = 1, limit = MAX_LINES }: z.output<typeof input>): string {
  if (text === "") return "[The file is empty.]";
  const lines = text.split(/(?<=\n)/);
  const first = lines[line - 1];
  if (first === undefined)
    throw new ToolFailure(
      `read_file: ${path} has ${counted(lines.length)}, so there is no line ${line}. Nothing was read. Use a line from 1 to ${lines.length}.`,
    );
  const wanted = lines.slice(line - 1, line - 1 + Math.min(limit, MAX_LINES));
  const part = wanted.slice(0, linesThatFit(wanted));
  const next = line + Math.max(part.length, 1);
  const onward = next > lines.length ? "" : ` Use line=${next} to continue.`;
  if (part.length === 0) return withNotice(beginning(first), `Line ${line} is cut after 256 kB.${onward}`);
  const shown = part.join("");
  return onward === "" ? shown : withNotice(shown, `Lines ${line}-${next - 1} of ${lines.length}.${onward}`);
}

function linesThatFit(lines: readonly string[]): number {
  let bytes = 0;
  const tooMany = lines.findIndex((line) => (bytes += Buffer.byteLength(line)) > MAX_BYTES);
  return tooMany < 0 ? lines.length : tooMany;
}

/** The first bytes of a line, without the half of a character that the cut may leave. */
function beginning(line: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.from(line).subarray(0, MAX_BYTES), {
    stream: true,
  });
}

function withNotice(text: string, notice: string): string {
  return `${text}${text.endsWith("\n") ? "" : "\n"}[${notice}]`;
}

function counted(lines: number): string {
  return lines === 1 ? "1 line" : `${lines} lines`;
}
