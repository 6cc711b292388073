/**
 * Checks the bytes of the files that the events of a session kept: their SHA-256 must be the name under which they are
 * stored. One that is not stored is no fault: a ledger that redacts stores none.
 */
import type { BrokenLink } from "../../call/index.js";
import { blobHash } from "./hash-chain.js";

type Read = (hash: string) => Promise<Uint8Array | undefined> | Uint8Array | undefined;

export class KeptFilesCheck {
  readonly #read: Read;
  /** Whether the bytes are right, by their name: several events may name the same. */
  readonly #isRight = new Map<string, boolean>();
  #named: { readonly seq: number; readonly hash: string }[] = [];

  /** `read`: returns the bytes as they are stored. One file is in memory at a time. */
  constructor(read: Read) {
    this.#read = read;
  }

  get keptFiles(): number {
    return this.#isRight.size;
  }

  add({ seq, event }: { readonly seq: number; readonly event: string }): void {
    const hash = namedBlob(event);
    if (hash !== undefined) this.#named.push({ seq, hash });
  }

  /** Reads the files that the added events name, and forgets the events afterwards. */
  async end(
    sessionId: string,
    report: (broken: BrokenLink) => void,
    onProgress: () => unknown,
  ): Promise<void> {
    const named = this.#named;
    this.#named = [];
    for (const { seq, hash } of named) {
      const isRight = this.#isRight.get(hash) ?? (await this.#verify(hash));
      if (!isRight) report({ sessionId, seq, problem: "changed", detail: WRONG });
      await onProgress();
    }
  }

  async #verify(hash: string): Promise<boolean> {
    const bytes = await this.#read(hash);
    const isRight = bytes === undefined || blobHash(bytes) === hash;
    this.#isRight.set(hash, isRight);
    return isRight;
  }
}

const WRONG = "the file that it kept is not what was stored, so undo refuses it";

/** The blob that an event names, if it names one. */
function namedBlob(text: string): string | undefined {
  if (!text.includes('"file-kept"')) return undefined;
  const [, hash] = /"blob":"([0-9a-f]{64})"/.exec(text) ?? [];
  return hash;
}
