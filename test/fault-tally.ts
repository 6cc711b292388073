const PROGRESS_EVERY = 50;

/** The counts of a fault campaign. A broken invariant is a line in one of four lists. */
export class FaultTally {
  readonly faults = new Map<string, number>();
  readonly lost: string[] = [];
  readonly repeated: string[] = [];
  readonly stuck: string[] = [];
  readonly left: string[] = [];
  /** Calls that were running when their process ended. */
  unknown = 0;
  tornCopies = 0;
  /** Stopped processes whose session another one took over. */
  takeovers = 0;
  readonly #startedAt = performance.now();

  get count(): number {
    return [...this.faults.values()].reduce((sum, count) => sum + count, 0);
  }

  add(kind: string): void {
    this.faults.set(kind, (this.faults.get(kind) ?? 0) + 1);
    // A long campaign takes an hour.
    if (this.count % PROGRESS_EVERY === 0) process.stdout.write(`${this.summary()}\n`);
  }

  summary(): string {
    const { lost, repeated, stuck, left, unknown, tornCopies, takeovers } = this;
    const kinds = [...this.faults].map(([kind, count]) => `${kind} ${count}`).join(", ");
    const broken = Object.entries({ lost, repeated, stuck, left }).map(
      ([name, { length }]) => `${name} ${length}`,
    );
    const seconds = ((performance.now() - this.#startedAt) / 1000).toFixed(1);
    return `${this.count} faults (${kinds}) in ${seconds} s: ${broken.join(", ")}; ${unknown} calls unknown, ${tornCopies} torn copies opened, ${takeovers} takeovers`;
  }
}
