/** The sessions that were created for each `Idempotency-Key`: a request that is sent again creates no second one. */
import { createHash } from "node:crypto";
import { AapProblem } from "../api/aap-problem.js";

/** The oldest keys are forgotten, and all of them when the server ends. */
const MAX_KEYS = 1_000;

export class IdempotentCreations {
  readonly #created = new Map<string, { readonly body: string; readonly sessionId: Promise<string> }>();

  async create(key: string | undefined, body: object, create: () => Promise<string>): Promise<string> {
    if (key === undefined) return create();
    const hash = createHash("sha256").update(JSON.stringify(body)).digest("hex");
    const known = this.#created.get(key);
    if (known && known.body !== hash)
      throw new AapProblem(
        "CONFLICT",
        "This Idempotency-Key came with another request before. No session was made; use a new key.",
      );
    if (known) return known.sessionId;
    const sessionId = create();
    this.#created.set(key, { body: hash, sessionId });
    // A refused request may be sent again.
    sessionId.catch(() => this.#created.delete(key));
    const [oldest] = this.#created.keys();
    if (this.#created.size > MAX_KEYS && oldest !== undefined) this.#created.delete(oldest);
    return sessionId;
  }
}
