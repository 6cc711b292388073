/**
 * Reads the reports of agents on their own terminals in a call's `_meta` (`terminal_info`, `terminal_output`,
 * `terminal_exit`; codex-acp sends `terminal_output_delta` too). Anyone may use `_meta`: a value of another shape
 * has another meaning and stays as it came.
 */
import { appendText, EMPTY_TEXT, STATUS_AT_END } from "../../call/index.js";
import type { BoundedText, SessionEvent, TerminalExit, ToolCall, ToolCallContent } from "../../call/index.js";
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";

type TerminalReport = { readonly terminalId: string; readonly text?: string; readonly exit?: TerminalExit };

const KEYS = ["terminal_info", "terminal_output", "terminal_output_delta", "terminal_exit"] as const;

/** The reports of a message about terminals, and the message without them; undefined when there are none. */
export function takeTerminalMeta(
  update: JsonObject,
): { readonly reports: readonly TerminalReport[]; readonly rest: JsonObject } | undefined {
  const { _meta } = update;
  if (!isJsonObject(_meta) || !KEYS.some((key) => Object.hasOwn(_meta, key))) return undefined;
  const reports: TerminalReport[] = [];
  const rest: { [key: string]: unknown } = { ..._meta };
  for (const key of KEYS) {
    const read = readReport(key, _meta[key]);
    if (!read) continue;
    reports.push(read);
    delete rest[key];
  }
  if (reports.length === 0) return undefined;
  const { _meta: _, ...others } = update;
  return { reports, rest: Object.keys(rest).length > 0 ? { ...others, _meta: rest } : others };
}

function readReport(key: (typeof KEYS)[number], value: unknown): TerminalReport | undefined {
  if (!isJsonObject(value) || typeof value["terminal_id"] !== "string") return undefined;
  const { terminal_id: terminalId, data } = value;
  if (key === "terminal_info") return { terminalId };
  if (key === "terminal_exit") return { terminalId, exit: readExit(value) };
  return typeof data === "string" ? { terminalId, text: data } : undefined;
}

function readExit({ exit_code: exitCode, signal }: JsonObject): TerminalExit {
  return {
    ...(Number.isInteger(exitCode) && { exitCode: Number(exitCode) }),
    ...(typeof signal === "string" && { signal }),
  };
}

type Terminal = { readonly output: BoundedText; readonly exit?: TerminalExit };

/** The terminals that the agent has reported on. A call's content, sent again, names them without their output. */
export class AgentTerminals {
  readonly #terminals = new Map<string, Terminal>();

  /** To be called before the content of the same message is filled: a report about a terminal makes it the agent's. */
  open(reports: readonly TerminalReport[]): void {
    for (const { terminalId } of reports)
      if (!this.#terminals.has(terminalId)) this.#terminals.set(terminalId, { output: EMPTY_TEXT });
  }

  fill(content: readonly ToolCallContent[]): readonly ToolCallContent[] {
    if (this.#terminals.size === 0) return content;
    return content.map((item) =>
      item.type === "terminal" ? { ...item, ...this.#terminals.get(item.terminalId) } : item,
    );
  }

  /** Applies the reports, and adds their events to those of the message, before the call's end if that is among them. */
  take(
    reports: readonly TerminalReport[],
    {
      toolCallId,
      at,
      call,
    }: { readonly toolCallId: string; readonly at: number; readonly call: ToolCall | undefined },
    events: readonly SessionEvent[],
  ): readonly SessionEvent[] {
    const shown = new Set(
      contentAfter(call, events).map((item) => item.type === "terminal" && item.terminalId),
    );
    const news = reports.flatMap(({ terminalId, text, exit }): SessionEvent[] => {
      const known = this.#terminals.get(terminalId) ?? { output: EMPTY_TEXT };
      const output = text === undefined ? known.output : appendText(known.output, text);
      this.#terminals.set(terminalId, { ...known, output, ...(exit && { exit }) });
      const content = { type: "terminal", terminalId, ...known } as const;
      const isNew = !shown.has(terminalId);
      shown.add(terminalId);
      return [
        ...(isNew ? [{ type: "content-appended", toolCallId, at, content } as const] : []),
        ...(text === undefined
          ? []
          : [{ type: "terminal-output", toolCallId, at, terminalId, text } as const]),
        ...(exit ? [{ type: "terminal-exited", toolCallId, at, terminalId, exit } as const] : []),
      ];
    });
    const end = events.findIndex(({ type }) => STATUS_AT_END.has(type));
    return end === -1 ? [...events, ...news] : events.toSpliced(end, 0, ...news);
  }
}

function contentAfter(
  call: ToolCall | undefined,
  events: readonly SessionEvent[],
): readonly ToolCallContent[] {
  const revised = events.findLast((event) => event.type === "call-revised" && event.fields.content);
  return (revised?.type === "call-revised" ? revised.fields.content : undefined) ?? call?.content ?? [];
}
