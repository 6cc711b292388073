/** The names of the files below a folder, for completion. Listed in the background, again when they are old. */
import { runRipgrep } from "./run-ripgrep.js";

const MAX_FILES = 20_000;
const MAX_FOUND = 50;
const OLD_MS = 10_000;
const TIME_LIMIT_MS = 10_000;

export class FileNames {
  readonly #folder: string;
  #names: readonly string[] = [];
  #listedAt = 0;
  #listing: Promise<void> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The names that contain the text, those whose last part begins with it first. Lists them again in the background. */
  find(text: string): readonly string[] {
    this.refresh();
    const wanted = text.toLowerCase();
    const found = this.#names.filter((name) => name.toLowerCase().includes(wanted));
    const rank = (name: string): number => {
      const last = name.slice(name.lastIndexOf("/") + 1).toLowerCase();
      return (last.startsWith(wanted) ? 0 : 2) + (name.toLowerCase().startsWith(wanted) ? 0 : 1);
    };
    return found.toSorted((a, b) => rank(a) - rank(b) || a.length - b.length).slice(0, MAX_FOUND);
  }

  /** The same, after the first list is complete. */
  async findListed(text: string): Promise<readonly string[]> {
    this.refresh();
    if (this.#names.length === 0) await this.#listing;
    return this.find(text);
  }

  refresh(): void {
    if (this.#listing || Date.now() - this.#listedAt < OLD_MS) return;
    const end = (): void => {
      this.#listing = undefined;
    };
    // Without a list nothing is completed.
    this.#listing = this.#list().then(end, end);
  }

  async #list(): Promise<void> {
    const names: string[] = [];
    this.#listedAt = Date.now();
    await runRipgrep({
      argv: ["--files", "--null", "--hidden", "--glob", "!.git"],
      cwd: this.#folder,
      signal: AbortSignal.timeout(TIME_LIMIT_MS),
      timeLimit: TIME_LIMIT_MS,
      separator: "\0",
      onRecord: (name) => names.push(name.replace(/^\.\//, "")) < MAX_FILES,
    });
    this.#names = names;
    this.#listedAt = Date.now();
  }
}
