/** What a foreign agent asks of us in a session: permission, or an answer of the person. */
import type { Elicit } from "../../run/index.js";
import { CODE, RpcError } from "../connection/message.js";
import type { Asked } from "../connection/peer.js";
import { Acts } from "./acts.js";
import { Approvals } from "./approvals.js";
import { answerElicitation } from "./elicitation.js";
import { Permissions } from "./permissions.js";
import type { SessionParts } from "./session-parts.js";

export class AgentRequests {
  readonly #parts: SessionParts;
  readonly #elicit: Elicit | undefined;
  readonly #approvals: Approvals;
  readonly #permissions: Permissions;
  readonly acts: Acts;

  constructor(parts: SessionParts, elicit: Elicit | undefined) {
    this.#parts = parts;
    this.#elicit = elicit;
    this.#approvals = new Approvals(parts.now);
    this.#permissions = new Permissions(parts, this.#approvals);
    this.acts = new Acts(parts, this.#approvals);
  }

  answer(asked: Asked): unknown {
    const { method } = asked;
    switch (method) {
      case "session/request_permission":
        return this.#permissions.answer(asked);
      case "elicitation/create":
        return answerElicitation(asked, this.#parts.agent, this.#elicit);
      default:
        throw new RpcError(CODE.methodNotFound, `There is no method ${method} here. Nothing was done.`);
    }
  }

  /** A yes that was not used in its turn is worth nothing in the next. */
  turnOver(): void {
    this.#approvals.forget();
  }
}
