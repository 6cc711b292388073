/**
 * Polls for commits of other connections: each commit changes the database's data version. Polls only while a follower
 * listens, and does not keep the process alive.
 */
const POLL_MS = 25;

export class CommitWatch {
  readonly #version: () => unknown;
  readonly #onCommit: () => void;
  // Kept while nobody listens: a commit before the next follower listens costs one look too many, never one too few.
  #seen: unknown;
  #timer: NodeJS.Timeout | undefined;

  constructor(version: () => unknown, onCommit: () => void) {
    this.#version = version;
    this.#onCommit = onCommit;
    this.#seen = version();
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#look(), POLL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    const version = this.#currentVersion();
    if (version === this.#seen) return;
    this.#seen = version;
    this.#onCommit();
  }

  /** When the database fails, the followers are woken to look, and get the error where they can handle it. */
  #currentVersion(): unknown {
    try {
      return this.#version();
    } catch (thrown) {
      return thrown;
    }
  }
}
