/** Runs asynchronous tasks one at a time, in the order in which they came. A failed task does not stop the next one. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(task: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(task);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Resolves when all tasks queued so far have ended. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
