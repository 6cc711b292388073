/** Stands in the place of `MemoryLedger`: every ledger in memory of a test is one on the run's PostgreSQL server. */
import type { ClaimOptions, Ledger, Lease, OpenQuestionsOptions, ReadOptions } from "../src/call/index.js";
import { openPostgresLedger } from "../src/history/postgres/open-postgres-ledger.js";
import { newAddress } from "../src/history/postgres/postgres-server.samples.js";

const opened: Promise<Ledger>[] = [];

/** After the tests of a file. */
export async function closeLedgers(): Promise<void> {
  for (const ledger of opened.splice(0)) await (await ledger).close();
}

/** Opens the store with the first call: a test makes its ledger without waiting. */
export class MemoryLedger implements Ledger {
  readonly storesVerbatim = true;
  readonly #ledger: Promise<Ledger>;

  constructor(options: { readonly now?: () => number } = {}) {
    this.#ledger = newAddress().then((address) => openPostgresLedger(address, options));
    opened.push(this.#ledger);
  }

  claim = async (sessionId: string, owner: string, options: ClaimOptions) =>
    (await this.#ledger).claim(sessionId, owner, options);
  renew = async (lease: Lease, options: { readonly milliseconds: number }) =>
    (await this.#ledger).renew(lease, options);
  release = async (lease: Lease) => (await this.#ledger).release(lease);
  append: Ledger["append"] = async (lease, events, options) =>
    (await this.#ledger).append(lease, events, options);
  keepSnapshot: NonNullable<Ledger["keepSnapshot"]> = async (lease, snapshot) =>
    (await this.#ledger).keepSnapshot?.(lease, snapshot);
  snapshot = async (sessionId: string) => (await this.#ledger).snapshot?.(sessionId);
  has = async (sessionId: string) => (await this.#ledger).has(sessionId);
  read = async (sessionId: string, options?: ReadOptions) => (await this.#ledger).read(sessionId, options);
  holder = async (sessionId: string) => (await this.#ledger).holder?.(sessionId);
  answer: Ledger["answer"] = async (questionId, answer) => (await this.#ledger).answer(questionId, answer);
  openQuestions = async (options?: OpenQuestionsOptions) => (await this.#ledger).openQuestions(options);
  sessions: Ledger["sessions"] = async (options) => (await this.#ledger).sessions(options);
  remove = async (lease: Lease) => (await this.#ledger).remove(lease);
  putBlob = async (bytes: Uint8Array) => (await this.#ledger).putBlob(bytes);
  getBlob = async (hash: string) => (await this.#ledger).getBlob(hash);

  async *follow(sessionId: string, options: { readonly after?: number; readonly signal: AbortSignal }) {
    yield* (await this.#ledger).follow(sessionId, options);
  }

  watch(onChange: (sessionId: string | undefined) => void): () => void {
    const stop = this.#ledger.then((ledger) => ledger.watch?.(onChange));
    return () => void stop.then((end) => end?.());
  }

  close = async () => (await this.#ledger).close();
}
