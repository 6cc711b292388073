/**
 * Writes the terminals that calls show as v2 `terminal_update`s and `terminal_output_chunk`s: first
 * what there is, then only the bytes that came since.
 */
import { EMPTY_TEXT, shownText, textSince } from "../../call/index.js";
import type { BoundedText, TerminalContent, TerminalExit, ToolCall } from "../../call/index.js";
import { sameJson } from "../json.js";
import type { V2Update } from "./wire.js";

type SentTerminal = { readonly total: number; readonly exit: TerminalExit | undefined };

export class TerminalUpdates {
  readonly #sent = new Map<string, SentTerminal>();

  encode(call: ToolCall): readonly V2Update[] {
    return call.content.flatMap((item) =>
      item.type === "terminal" ? this.#updates(item, item.output ?? EMPTY_TEXT) : [],
    );
  }

  #updates({ terminalId, exit }: TerminalContent, output: BoundedText): readonly V2Update[] {
    const last = this.#sent.get(terminalId);
    const total = sendable(output);
    this.#sent.set(terminalId, { total, exit });
    const exitStatus = exit && !sameJson(exit, last?.exit) ? { exitStatus: exit } : undefined;
    const fresh = last && textSince(output, last.total);
    if (fresh === undefined) {
      return [
        {
          sessionUpdate: "terminal_update",
          terminalId,
          output: { data: base64(shownText(output)) },
          ...exitStatus,
        },
      ];
    }
    const text = fresh.slice(0, total - (last?.total ?? 0));
    return [
      ...(text === ""
        ? []
        : [{ sessionUpdate: "terminal_output_chunk", terminalId, data: base64(text) } as const]),
      ...(exitStatus ? [{ sessionUpdate: "terminal_update", terminalId, ...exitStatus } as const] : []),
    ];
  }
}

/** Half of a surrogate pair at the end waits for its other half: bytes of it would be a broken character. */
function sendable({ head, tail, total }: BoundedText): number {
  const last = (tail === "" ? head : tail).charCodeAt((tail === "" ? head : tail).length - 1);
  return last >= 0xd800 && last <= 0xdbff ? total - 1 : total;
}

const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64");
