/** Figures as Prometheus reads them: the text format 0.0.4, for the few kinds of figures that we have. */
type Labels = Readonly<Record<string, string>>;

export class Counter {
  readonly #name: string;
  readonly #help: string;
  readonly #values = new Map<string, number>();

  /** With `isPlain` it has no labels, and is there from the start. */
  constructor(name: string, help: string, { isPlain = false } = {}) {
    this.#name = name;
    this.#help = help;
    if (isPlain) this.#values.set("", 0);
  }

  add(labels: Labels = {}): void {
    const key = written(labels);
    this.#values.set(key, (this.#values.get(key) ?? 0) + 1);
  }

  text(): string {
    const values = [...this.#values].map(([labels, value]) => `${this.#name}${labels} ${value}\n`);
    return head(this.#name, "counter", this.#help) + values.join("");
  }
}

/** In seconds. A bucket holds all that took no longer. */
const BUCKETS: readonly number[] = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300, 1800];

type Durations = { readonly counts: number[]; count: number; sum: number };

export class Histogram {
  readonly #name: string;
  readonly #help: string;
  readonly #durations = new Map<string, Durations>();
  readonly #labels = new Map<string, Labels>();

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  add(milliseconds: number, labels: Labels = {}): void {
    const key = written(labels);
    const durations = this.#durations.get(key) ?? { counts: BUCKETS.map(() => 0), count: 0, sum: 0 };
    this.#durations.set(key, durations);
    this.#labels.set(key, labels);
    // A clock may be set back meanwhile.
    const seconds = Math.max(0, milliseconds) / 1000;
    for (const [index, most] of BUCKETS.entries())
      if (seconds <= most) durations.counts[index] = (durations.counts[index] ?? 0) + 1;
    durations.count += 1;
    durations.sum += seconds;
  }

  text(): string {
    return (
      head(this.#name, "histogram", this.#help) +
      [...this.#durations.keys()].map((key) => this.#of(key)).join("")
    );
  }

  #of(key: string): string {
    const { counts, count, sum } = this.#durations.get(key) ?? { counts: [], count: 0, sum: 0 };
    const bucket = (le: string, value: number) =>
      `${this.#name}_bucket${written({ ...this.#labels.get(key), le })} ${value}\n`;
    const buckets = BUCKETS.map((most, index) => bucket(String(most), counts[index] ?? 0));
    return `${buckets.join("")}${bucket("+Inf", count)}${this.#name}_sum${key} ${sum}\n${this.#name}_count${key} ${count}\n`;
  }
}

export function gauge(name: string, help: string, value: number): string {
  return `${head(name, "gauge", help)}${name} ${value}\n`;
}

function head(name: string, type: string, help: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

function written(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) =>
      `${name}="${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`,
  );
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}
