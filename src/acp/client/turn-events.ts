/** The events of a foreign agent's session that we record ourselves: opened; turns parked, resumed, stopped. */
import type { ContentBlock, SessionEvent, SessionInfo } from "../../call/index.js";
import { assumedEnds } from "../../run/end-events.js";
import type { SessionRecord } from "../../record/index.js";
import { isJsonObject } from "../json.js";
import { AGENT_GONE } from "./agent-turn.js";
import type { TurnEnded } from "./agent-turn.js";

export class TurnEvents {
  readonly #record: SessionRecord;
  readonly #now: () => number;

  constructor(record: SessionRecord, now: () => number) {
    this.#record = record;
    this.#now = now;
  }

  /** Everything that an earlier process left open has ended with it. */
  async open(
    info: SessionInfo,
    agentSession: { readonly agent: string; readonly sessionId: string },
  ): Promise<void> {
    const { book } = this.#record;
    const { agent } = agentSession;
    const at = this.#now();
    const toolgate = isJsonObject(info._meta?.["toolgate"]) ? info._meta["toolgate"] : {};
    const _meta = { ...info._meta, toolgate: { ...toolgate, agentSession } };
    const { turn } = book;
    await this.#record.appendLatest(() => [
      { type: "info-changed", at, info: { ...info, agent, _meta } },
      ...assumedEnds(book, AGENT_GONE, at),
      ...(turn !== undefined && turn.state.status !== "stopped"
        ? [this.stopped(turn.turnId, { stopReason: "cancelled" })]
        : []),
    ]);
  }

  /** Records a prompt that we sent within a turn. */
  async prompted(messageId: string, blocks: readonly ContentBlock[]): Promise<void> {
    const at = this.#now();
    await this.#record.append(
      blocks.map((block) => ({ type: "message-chunk", at, messageId, role: "user", block }) as const),
      { durable: true },
    );
  }

  /** Records that the current turn is parked or resumed. */
  async mark(type: "turn-parked" | "turn-resumed", isNew: boolean): Promise<void> {
    const turnId = this.#record.book.turn?.turnId;
    if (!isNew || turnId === undefined) return;
    await this.#record.append([{ type, at: this.#now(), turnId }], { durable: true });
  }

  stopped(turnId: string, { stopReason, error }: Pick<TurnEnded, "stopReason" | "error">): SessionEvent {
    const at = this.#now();
    return { type: "turn-stopped", at, turnId, stopReason, ...(error !== undefined && { error }) };
  }
}
