/**
 * Writes the terminals that calls show in the dialect of Zed, codex-acp and claude-agent-acp, in the
 * `_meta` of a call's messages: `terminal_info` when one is opened, `terminal_output` with what came since,
 * `terminal_exit` at the end. A client takes the first from a `tool_call` alone, and the others from a
 * `tool_call_update` alone.
 */
import { shownText, textSince } from "../../call/index.js";
import type { BoundedText, Meta, TerminalExit } from "../../call/index.js";
import { sameJson } from "../json.js";
import type { OwnTerminal } from "./wire-content.js";

type SentOutput = { readonly total: number; readonly exit: TerminalExit | undefined };

export class TerminalMeta {
  readonly #sent = new Map<string, SentOutput>();

  /** The meta that opens each terminal that is new to the client. */
  opened(terminals: readonly OwnTerminal[]): readonly Meta[] {
    const news = terminals.filter(({ terminalId }) => !this.#sent.has(terminalId));
    for (const { terminalId } of news) this.#sent.set(terminalId, { total: 0, exit: undefined });
    return news.map(({ terminalId }) => ({ terminal_info: { terminal_id: terminalId } }));
  }

  /** The meta of each terminal with new output or an exit. */
  changed(terminals: readonly OwnTerminal[]): readonly Meta[] {
    return terminals.flatMap(({ terminalId, output, exit }) => {
      const last = this.#sent.get(terminalId);
      const total = sendable(output);
      const data = freshText(output, last?.total ?? 0, total);
      const hasExit = exit !== undefined && !sameJson(exit, last?.exit);
      this.#sent.set(terminalId, { total, exit });
      if (data === "" && !hasExit) return [];
      return [
        {
          ...(data !== "" && { terminal_output: { terminal_id: terminalId, data } }),
          ...(hasExit && { terminal_exit: wireExit(terminalId, exit) }),
        },
      ];
    });
  }
}

/** A mark shows the client that output is missing which is no longer held. */
function freshText(output: BoundedText, from: number, to: number): string {
  const fresh = textSince(output, from);
  if (fresh !== undefined) return fresh.slice(0, Math.max(0, to - from));
  return from === 0 ? shownText(output) : `\n… some of it is left out …\n${shownText(output)}`;
}

function wireExit(terminalId: string, { exitCode, signal }: TerminalExit): Meta {
  return { terminal_id: terminalId, exit_code: exitCode ?? null, signal: signal ?? null };
}

/** Half of a surrogate pair at the end waits for its other half. */
function sendable({ head, tail, total }: BoundedText): number {
  return /[\uD800-\uDBFF]$/.test((tail === "" ? head : tail).slice(-1)) ? total - 1 : total;
}
