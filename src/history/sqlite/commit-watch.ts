/**
 * Notices what other connections have committed, by asking again and again for a number that changes
 * then. It asks only while someone waits, and does not keep the process alive.
 */
const MILLISECONDS = 25;

export class CommitWatch {
  readonly #version: () => unknown;
  readonly #onCommit: () => void;
  // Kept while nobody waits: what was committed between a follower's last look and its sleep must be noticed.
  #seen: unknown;
  #timer: NodeJS.Timeout | undefined;

  constructor(version: () => unknown, onCommit: () => void) {
    this.#version = version;
    this.#onCommit = onCommit;
    this.#seen = version();
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#look(), MILLISECONDS).unref();
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

  /** When the database fails, those who wait look for themselves, and get the error where they can handle it. */
  #currentVersion(): unknown {
    try {
      return this.#version();
    } catch (thrown) {
      return thrown;
    }
  }
}
