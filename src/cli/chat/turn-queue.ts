/** Runs one turn at a time: messages that arrive during a turn wait for its end. */
export class TurnQueue {
  readonly #waiting: string[] = [];
  readonly #run: (text: string, running: AbortController) => Promise<void>;
  #running: AbortController | undefined;
  #isOver: Promise<void> = Promise.resolve();

  /** `run` runs a turn to its end and reports its errors itself. */
  constructor(run: (text: string, running: AbortController) => Promise<void>) {
    this.#run = run;
  }

  get running(): AbortController | undefined {
    return this.#running;
  }

  /** The messages that wait, the next one first. */
  get waiting(): readonly string[] {
    return this.#waiting;
  }

  /** Takes the last waiting message back. */
  unqueue(): string | undefined {
    return this.#waiting.pop();
  }

  /** An empty text resumes the turn that stopped. Returns when all waiting messages were sent too. */
  async send(text: string): Promise<void> {
    this.#waiting.push(text);
    if (this.#running) return;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const running = new AbortController();
      this.#running = running;
      this.#isOver = this.#run(next, running).finally(() => (this.#running = undefined));
      await this.#isOver;
    }
  }

  /** Stops the running turn, and waits for its end. Messages that wait are not sent. */
  async stop(reason: Error): Promise<void> {
    this.#waiting.length = 0;
    this.#running?.abort(reason);
    await this.#isOver;
  }
}
