/** The running calls of one server: each has a clock, progress, and an error message when it fails. */
import { visibleText } from "../call/index.js";
import type { ToolContext, ToolResult } from "../tools/index.js";
import { CallClock, MAX_TIMER_MS } from "./call-clock.js";
import { callFailure, isConnectionLost } from "./call-failure.js";
import { callResultSchema, readCallResult } from "./call-result.js";
import type { CallResult } from "./call-result.js";
import type { Connection } from "./connection.js";
import type { ForeignCall } from "./foreign-tool.js";

export type RunningCall = {
  readonly tool: string;
  readonly context: ToolContext;
  readonly clock: CallClock;
  /** How often the person was asked for it, and whether they are being asked now. */
  asked: number;
  isAsking: boolean;
};

export type RunOptions = {
  readonly server: string;
  /** The longest time without progress, and the longest time in all; in milliseconds. */
  readonly idle: number;
  readonly whole: number;
  /** Called when a new connection is needed. */
  readonly onLost: () => void;
};

const MAX_MESSAGE = 500;

export class RunningCalls {
  readonly #running = new Set<RunningCall>();

  /** The only running call; undefined when none or several are running. */
  get only(): RunningCall | undefined {
    const [call] = this.#running;
    return this.#running.size === 1 ? call : undefined;
  }

  /** Throws ToolFailure, or the reason of the signal that cancelled it. */
  async run(
    connection: Connection,
    { tool, input, context, checkOutput }: ForeignCall,
    { server, idle, whole, onLost }: RunOptions,
  ): Promise<ToolResult> {
    const clock = new CallClock({ idle, whole });
    const call: RunningCall = { tool, context, clock, asked: 0, isAsking: false };
    this.#running.add(call);
    try {
      return readCallResult(await this.#request(connection, call, input), checkOutput);
    } catch (error) {
      context.signal.throwIfAborted();
      if (isConnectionLost(error)) onLost();
      throw callFailure(error, { server, tool, isTimeUp: clock.isUp, exitReport: connection.exitReport() });
    } finally {
      clock.stop();
      this.#running.delete(call);
    }
  }

  #request({ client }: Connection, call: RunningCall, input: unknown): Promise<CallResult> {
    const { tool, context, clock } = call;
    const request = { method: "tools/call", params: { name: tool, arguments: input } };
    return client.request(request, callResultSchema, {
      signal: AbortSignal.any([context.signal, clock.signal]),
      // We use our own clock, which pauses while a person is asked.
      timeout: MAX_TIMER_MS,
      onprogress: ({ progress, total, message }) => {
        if (!this.#running.has(call)) return;
        clock.beat();
        context.progress(progress, total, message && visibleText(message.slice(0, MAX_MESSAGE)));
      },
    });
  }
}
