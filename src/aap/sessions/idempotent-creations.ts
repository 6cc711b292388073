/** Which sessions were made for which `Idempotency-Key`: a request that is sent again while this server lives makes no second one. */
import { createHash } from "node:crypto";
import { AapProblem } from "../api/aap-problem.js";

/** Keys that are remembered; older ones are forgotten. */
const MOST_KEYS = 1_000;

export class IdempotentCreations {
  readonly #made = new Map<string, { readonly body: string; readonly sessionId: Promise<string> }>();

  async make(key: string | undefined, body: object, create: () => Promise<string>): Promise<string> {
    if (key === undefined) return create();
    const hash = createHash("sha256").update(JSON.stringify(body)).digest("hex");
    const known = this.#made.get(key);
    if (known && known.body !== hash)
      throw new AapProblem(
        "CONFLICT",
        "This Idempotency-Key came with another request before. No session was made; use a new key.",
      );
    if (known) return known.sessionId;
    const sessionId = create();
    this.#made.set(key, { body: hash, sessionId });
    // What was refused may be tried again.
    sessionId.catch(() => this.#made.delete(key));
    const [oldest] = this.#made.keys();
    if (this.#made.size > MOST_KEYS && oldest !== undefined) this.#made.delete(oldest);
    return sessionId;
  }
}
