/** The parts that belong to one turn of a host's own loop: its gate, and the ids of its messages. */
import { Gate } from "../run/index.js";
import type { GateOptions } from "../run/index.js";

/** The gate of one turn. After the turn's end or its cancel it refuses every call. */
export class TurnGate extends Gate {
  readonly #isOpen: () => boolean;

  constructor(options: GateOptions, isOpen: () => boolean) {
    super(options);
    this.#isOpen = isOpen;
  }

  override submit(...asked: Parameters<Gate["submit"]>): ReturnType<Gate["submit"]> {
    return this.#isOpen() ? super.submit(...asked) : Promise.reject(new TurnIsOver());
  }
}

class TurnIsOver extends Error {
  readonly code = "TURN_IS_OVER";

  constructor() {
    super("The turn is over or was cancelled. The call was not made.");
    this.name = "TurnIsOver";
  }
}

/** Numbers a turn's messages. A message ends where a call or a message of the other role follows. */
export class MessageIds {
  readonly #turnId: string;
  #role: string | undefined;
  #count = 0;

  constructor(turnId: string) {
    this.#turnId = turnId;
  }

  interrupt(): void {
    this.#role = undefined;
  }

  idFor(role: "agent" | "thought"): string {
    if (role !== this.#role) this.#count += 1;
    this.#role = role;
    return `${this.#turnId}-${this.#count}`;
  }
}
