/**
 * The calls of a turn that its client has to answer: received, and without a result.
 *
 * Invariants: a call counts once, however often it is sent; one that has a result is closed, whichever of
 * the two came first; nothing is open unless the turn stopped for it, since a server closes its calls otherwise.
 */
import type { ToolUseBlock, TurnEvent } from "./protocol.js";

export class OpenCalls {
  readonly #calls = new Map<string, ToolUseBlock>();
  readonly #closed = new Set<string>();
  #isStoppedForThem = false;

  read(event: TurnEvent): void {
    switch (event.event) {
      case "turn_start":
        this.#isStoppedForThem = false;
        break;
      case "tool_call": {
        const { toolCallId, name, input } = event.data;
        this.#calls.set(toolCallId, { type: "tool_use", toolCallId, name, input });
        break;
      }
      case "tool_result":
        this.#closed.add(event.data.toolCallId);
        break;
      case "turn_stop":
        this.#isStoppedForThem = event.data.stopReason === "tool_use";
        break;
      default:
        // Words, or something that only a newer server knows.
        break;
    }
  }

  /** In the order in which they were first received. */
  toAnswer(): readonly ToolUseBlock[] {
    if (!this.#isStoppedForThem) return [];
    return [...this.#calls.values()].filter(({ toolCallId }) => !this.#closed.has(toolCallId));
  }
}
