/**
 * The terminals of a v2 session. Their output travels beside the calls that show them, may come before
 * any call does, and survives the call's content being sent again: so it is kept here.
 */
import { StringDecoder } from "node:string_decoder";
import { appendText, boundText, EMPTY_TEXT } from "../../call/index.js";
import type {
  BoundedText,
  SessionEvent,
  TerminalContent,
  TerminalExit,
  ToolCall,
  ToolCallContent,
} from "../../call/index.js";
import { isJsonObject, isNone } from "../json.js";
import type { JsonObject } from "../json.js";
import { readMeta } from "../read-call.js";
import type { Reading } from "../reading.js";

type Terminal = {
  output: BoundedText;
  exit: TerminalExit | undefined;
  /** A chunk may end in the middle of a character. */
  decoder: StringDecoder;
  readonly shownBy: Set<string>;
};

export class V2Terminals {
  readonly #terminals = new Map<string, Terminal>();

  /** The content, with the known output of its terminals. */
  fill(toolCallId: string, content: readonly ToolCallContent[]): readonly ToolCallContent[] {
    return content.map((item) => {
      if (item.type !== "terminal") return item;
      const terminal = this.#terminal(item.terminalId);
      terminal.shownBy.add(toolCallId);
      return this.#filled(item, terminal);
    });
  }

  readUpdate(update: JsonObject, reading: Reading): SessionEvent[] {
    const terminalId = readTerminalId(update, reading);
    checkFields(update, reading);
    const terminal = this.#terminal(terminalId);
    const { output, exitStatus } = update;
    if (output !== undefined) {
      terminal.decoder = new StringDecoder("utf8");
      const data = isJsonObject(output) ? output["data"] : undefined;
      terminal.output =
        typeof data === "string"
          ? boundText(terminal.decoder.write(Buffer.from(data, "base64")))
          : EMPTY_TEXT;
    }
    if (exitStatus !== undefined)
      terminal.exit = isJsonObject(exitStatus) ? readExit(exitStatus, reading) : undefined;
    return this.#shown(terminal, reading).map(({ toolCallId, content }) => ({
      type: "call-revised",
      toolCallId,
      at: reading.at,
      fields: {
        content: content.map((item) =>
          item.type === "terminal" && item.terminalId === terminalId ? this.#filled(item, terminal) : item,
        ),
      },
    }));
  }

  readChunk(update: JsonObject, reading: Reading): SessionEvent[] {
    const { at } = reading;
    const terminalId = readTerminalId(update, reading);
    readMeta(update["_meta"], false, reading);
    const { data } = update;
    if (typeof data !== "string") {
      reading.tolerate("bad-field", "terminal output without data was left out");
      return [];
    }
    const terminal = this.#terminal(terminalId);
    const text = terminal.decoder.write(Buffer.from(data, "base64"));
    terminal.output = appendText(terminal.output, text);
    return this.#shown(terminal, reading).map(({ toolCallId }) => ({
      type: "terminal-output",
      toolCallId,
      at,
      terminalId,
      text,
    }));
  }

  #terminal(terminalId: string): Terminal {
    const known = this.#terminals.get(terminalId);
    if (known) return known;
    const terminal = {
      output: EMPTY_TEXT,
      exit: undefined,
      decoder: new StringDecoder("utf8"),
      shownBy: new Set<string>(),
    };
    this.#terminals.set(terminalId, terminal);
    return terminal;
  }

  #filled(item: TerminalContent, { output, exit }: Terminal): TerminalContent {
    const { exit: _, ...rest } = item;
    return { ...rest, output, ...(exit && { exit }) };
  }

  /** The calls that show the terminal and may still change. */
  #shown({ shownBy }: Terminal, reading: Reading): readonly ToolCall[] {
    return [...shownBy].flatMap((toolCallId) => {
      const shown = reading.session.call(toolCallId);
      if (!shown) return [];
      if (!("assumed" in shown.state) || shown.state.assumed) return [shown];
      reading.repair("late-update", `terminal output came after ${toolCallId} had ended`);
      return [];
    });
  }
}

function readTerminalId(update: JsonObject, reading: Reading): string {
  const { terminalId } = update;
  return typeof terminalId === "string"
    ? terminalId
    : reading.fail("a terminal update must name its terminal");
}

function checkFields(update: JsonObject, reading: Reading): void {
  readMeta(update["_meta"], true, reading);
  for (const key of ["command", "cwd"]) {
    if (!isNone(update[key]) && typeof update[key] !== "string")
      reading.tolerate("bad-field", `"${key}" must be a text`);
  }
  for (const key of ["output", "exitStatus", "size", "capabilities"]) {
    if (!isNone(update[key]) && !isJsonObject(update[key]))
      reading.tolerate("bad-field", `"${key}" must be an object`);
  }
  const { output } = update;
  if (!isJsonObject(output)) return;
  readMeta(output["_meta"], false, reading);
  if (typeof output["data"] !== "string") reading.tolerate("bad-field", "terminal output must have data");
}

function readExit(status: JsonObject, reading: Reading): TerminalExit {
  const { exitCode, signal } = status;
  readMeta(status["_meta"], false, reading);
  if (!isNone(exitCode) && !Number.isInteger(exitCode))
    reading.tolerate("bad-field", `"exitCode" must be a whole number`);
  if (!isNone(signal) && typeof signal !== "string") reading.tolerate("bad-field", `"signal" must be a text`);
  return { ...(typeof exitCode === "number" && { exitCode }), ...(typeof signal === "string" && { signal }) };
}
