/** What a foreign agent asks of us in a session, beside files and terminals: permission, or an answer of the person. */
import type { Elicit } from "../../run/index.js";
import { CODE, RpcError } from "../connection/message.js";
import type { Asked } from "../connection/peer.js";
import { answerElicitation } from "./elicitation.js";
import { Permissions } from "./permissions.js";
import type { SessionParts } from "./session-parts.js";

export class AgentRequests {
  readonly #agent: string;
  readonly #elicit: Elicit | undefined;
  readonly #permissions: Permissions;

  constructor(parts: SessionParts, elicit: Elicit | undefined) {
    this.#agent = parts.agent;
    this.#elicit = elicit;
    this.#permissions = new Permissions(parts);
  }

  answer(asked: Asked): unknown {
    const { method } = asked;
    switch (method) {
      case "session/request_permission":
        return this.#permissions.answer(asked);
      case "elicitation/create":
        return answerElicitation(asked, this.#agent, this.#elicit);
      default:
        throw new RpcError(CODE.methodNotFound, `There is no method ${method} here. Nothing was done.`);
    }
  }
}
