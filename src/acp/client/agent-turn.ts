/**
 * One turn of a foreign agent: sends the prompt and waits for the turn's end. In v1 the end is the response to the
 * prompt, in the v2 draft the state of the session after it. A cancel is sent to the agent, which then has
 * `cancelGraceMs` to end the turn; after that its process is ended. An agent that exits ends the turn.
 */
import { oneLine } from "../../call/index.js";
import type { ContentBlock, StopReason } from "../../call/index.js";
import type { EndReasons } from "../../run/end-events.js";
import { CODE, RpcError } from "../connection/message.js";
import { ConnectionClosed } from "../connection/peer.js";
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";
import { errorText } from "./agent-line.js";
import type { AgentSide } from "./agent-side.js";

/** Why the open calls of the agent end when it does not report it. */
export const TURN_OVER: EndReasons = {
  waiting: "the agent ended its turn without it.",
  started: "the agent ended its turn and did not report how this ended.",
};
export const CANCELLED: EndReasons = {
  waiting: "the turn was cancelled.",
  started: "the turn was cancelled, and the agent did not report how this ended.",
  commandEnded: "The turn was cancelled, and the command was ended.",
};
export const AGENT_GONE: EndReasons = {
  waiting: "the agent's process ended.",
  started: "the agent's process ended, and how this ended is unknown.",
};

/** `why`: the reason for the calls that it left open. */
export type TurnEnded = {
  readonly stopReason: StopReason;
  readonly why: EndReasons;
  readonly error?: string;
};

export type AgentTurnOptions = {
  readonly agent: AgentSide;
  readonly agentSessionId: string;
  /** How long the agent may take to end a turn that was cancelled. */
  readonly cancelGraceMs: number;
  /** The turn is being cancelled: nobody answers its questions any more. */
  readonly onCancel: () => Promise<void>;
};

export class AgentTurn {
  readonly #options: AgentTurnOptions;
  #hasRun = false;
  #onIdle: ((state: JsonObject) => void) | undefined;

  constructor(options: AgentTurnOptions) {
    this.#options = options;
  }

  async run(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<TurnEnded> {
    if (signal.aborted) return { stopReason: "cancelled", why: CANCELLED };
    const answered = this.#answered(blocks).catch((error: unknown) => this.#broken(error));
    const ended = await Promise.race([answered, aborted(signal)]);
    return ended ? unlessCancelled(ended) : this.#cancelled(answered);
  }

  /**
   * Reads the state in an update of a v2 session. An idle state without a reason ends the turn only after it has
   * run.
   */
  see(update: unknown): void {
    const state = this.#onIdle && this.#options.agent.dialect.stateIn(update);
    if (state?.["state"] === "running") this.#hasRun = true;
    const isOver = this.#hasRun || typeof state?.["stopReason"] === "string";
    if (state?.["state"] === "idle" && isOver) this.#onIdle?.({ stopReason: "end_turn", ...state });
  }

  async #answered(blocks: readonly ContentBlock[]): Promise<TurnEnded> {
    const { agent, agentSessionId: sessionId } = this.#options;
    const idle = new Promise<JsonObject>((resolve) => {
      this.#onIdle = resolve;
    });
    const result = await agent.request("session/prompt", { sessionId, prompt: blocks });
    if (agent.dialect.version === 1) return endedBy(result);
    const silenced = agent.gone.then((): never => {
      throw new ConnectionClosed();
    });
    return endedBy(await Promise.race([idle, silenced]));
  }

  async #cancelled(answered: Promise<TurnEnded>): Promise<TurnEnded> {
    const { agent, agentSessionId: sessionId, cancelGraceMs, onCancel } = this.#options;
    agent.notify("session/cancel", { sessionId });
    await onCancel();
    const ended = await Promise.race([answered, aborted(AbortSignal.timeout(cancelGraceMs))]);
    if (!ended) await agent.end();
    await agent.endCommands(sessionId);
    // The caller cancelled this turn, so it counts as cancelled even if the agent completed it.
    const error = ended?.stopReason === "error" ? ended.error : undefined;
    return { stopReason: "cancelled", why: CANCELLED, ...(error !== undefined && { error }) };
  }

  async #broken(error: unknown): Promise<TurnEnded> {
    const { agent } = this.#options;
    const endReason = agent.endReason();
    if (error instanceof ConnectionClosed && endReason !== undefined)
      return { stopReason: "error", why: AGENT_GONE, error: `${agent.name} was ended: ${endReason}` };
    if (error instanceof ConnectionClosed) {
      const words = await agent.stderrTail();
      const text = `${agent.name} is gone${words === "" ? "" : `: ${words}`}`;
      return { stopReason: "error", why: AGENT_GONE, error: text };
    }
    if (error instanceof RpcError && error.code === CODE.cancelled)
      return { stopReason: "cancelled", why: CANCELLED };
    const reason = error instanceof Error ? oneLine(errorText(error), MAX_ERROR_CHARS) : "no reason given";
    return { stopReason: "error", why: TURN_OVER, error: `${agent.name} responded with an error: ${reason}` };
  }
}

const MAX_ERROR_CHARS = 1_000;

const STOP_REASONS: ReadonlyMap<unknown, StopReason> = new Map(
  (["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"] as const).map((one) => [one, one]),
);

function endedBy(result: unknown): TurnEnded {
  const reported = isJsonObject(result) ? result["stopReason"] : undefined;
  const stopReason = STOP_REASONS.get(reported);
  if (stopReason) return { stopReason, why: stopReason === "cancelled" ? CANCELLED : TURN_OVER };
  const failure = isJsonObject(result) && isJsonObject(result["error"]) ? result["error"] : {};
  const error =
    typeof failure["message"] === "string"
      ? oneLine(failure["message"], MAX_ERROR_CHARS)
      : `the agent ended its turn with no reason that is known (${oneLine(JSON.stringify(reported) ?? "none", 80)})`;
  return { stopReason: "error", why: TURN_OVER, error };
}

/** A turn that nobody here cancelled has ended: some agents say "cancelled" when a call was refused. */
const unlessCancelled = (ended: TurnEnded): TurnEnded =>
  ended.stopReason === "cancelled" ? { stopReason: "end_turn", why: TURN_OVER } : ended;

/** Comes with nothing when the signal aborts. */
function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}
