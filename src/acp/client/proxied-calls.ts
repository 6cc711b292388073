/**
 * Proxied calls: files that we read and write for a foreign agent, and commands that we run for it. Each is a call of one of
 * our tools, which the gate decides on and runs like any other.
 */
import { setTimeout } from "node:timers/promises";
import type { SessionEvent, ToolCall } from "../../call/index.js";
import { readShell } from "../../policy/index.js";
import { shellScript } from "../../run/same-act.js";
import type { Tool } from "../../tools/index.js";
import { isProxied, pathsOf } from "../../call/call-parts.js";
import type { SessionParts } from "./session-parts.js";
import type { TerminalEnd } from "./update-fold.js";

/** How long the end of a turn waits for files that are being read or written. */
const FILES_WAIT_MS = 2_000;

export class ProxiedCalls {
  readonly #parts: SessionParts;
  /** By id, until they end. */
  readonly #open = new Map<string, Promise<ToolCall>>();

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** Returns the call as it ended; undefined when it was not made, because the turn is being cancelled. */
  async call(tool: Tool, input: object, signal: AbortSignal): Promise<ToolCall | undefined> {
    const { gate, inbox, book, isCancelling } = this.#parts;
    // After the updates that the agent sent before it.
    const toolCallId = await inbox.do(async () => {
      if (isCancelling()) return undefined;
      const owner = ownerOf(input, book.openCalls());
      const partOf = owner && { partOf: owner.toolCallId };
      const { toolCallIds } = await gate.submit([{ name: tool.name, input, tool, ...partOf }]);
      return toolCallIds[0];
    });
    if (toolCallId === undefined) return undefined;
    const ended = gate.finish(toolCallId, signal).finally(() => this.#open.delete(toolCallId));
    this.#open.set(toolCallId, ended);
    return ended;
  }

  /** Returns when no file is being read or written: an agent may end its turn without waiting for that. */
  async filesDone(): Promise<void> {
    const { book } = this.#parts;
    const atWork = [...this.#open].filter(([toolCallId]) => {
      const call = book.call(toolCallId);
      return (
        call?.kind !== "execute" && (call?.state.status === "cleared" || call?.state.status === "running")
      );
    });
    if (atWork.length === 0) return;
    const done = Promise.allSettled(atWork.map(([, ended]) => ended));
    await Promise.race([done, setTimeout(FILES_WAIT_MS, undefined, { ref: false })]);
  }

  /** A command has ended: the agent's own calls that show its terminal show what it printed, and its end. */
  async terminalEnded(terminalId: string, { text, exit }: TerminalEnd): Promise<void> {
    const { inbox, reported, book, now } = this.#parts;
    await inbox.do(() =>
      reported.record(() => {
        const at = now();
        return callsShowing(terminalId, book.openCalls()).flatMap((toolCallId): SessionEvent[] => [
          { type: "terminal-output", toolCallId, at, terminalId, text },
          { type: "terminal-exited", toolCallId, at, terminalId, exit },
        ]);
      }),
    );
  }
}

/** Calls that do not show the command's output yet; the call that runs the command does. */
const callsShowing = (terminalId: string, calls: readonly ToolCall[]): readonly string[] =>
  calls.flatMap(({ toolCallId, content }) =>
    content.some((one) => one.type === "terminal" && one.terminalId === terminalId && !one.output)
      ? [toolCallId]
      : [],
  );

/** The only open call of the agent that works on the same file, or shows the same command as its own. */
function ownerOf(input: object, calls: readonly ToolCall[]): ToolCall | undefined {
  const isSame = (call: ToolCall) =>
    ("path" in input && typeof input.path === "string" && pathsOf(call).includes(input.path)) ||
    ("command" in input && typeof input.command === "string" && showsCommand(call, input.command));
  const [owner, ...others] = calls.filter((call) => !isProxied(call) && isSame(call));
  return others.length === 0 ? owner : undefined;
}

function showsCommand({ kind, rawInput }: ToolCall, command: string): boolean {
  if (kind !== "execute" || typeof rawInput !== "object" || rawInput === null) return false;
  const [run] = readShell(command).commands;
  const script = run && (shellScript(run.argv) ?? run.argv.join(" "));
  return Object.values(rawInput).some((value) => value === command || value === script);
}
