/**
 * Small texts that all instances on one store share, such as remembered grants and devices.
 *
 * Invariants: a text is replaced only while it has the version that its writer has read, so no change is lost. Every
 * instance has all texts in memory, at most a second behind the store; its own changes are there at once. An instance that
 * cannot read the store says so (`isStale`): others may have revoked what its texts allow.
 */
export type SharedText = { readonly text: string; readonly version: number };

export interface SharedTexts {
  /** The name of the store, for messages. */
  readonly where: string;
  current(name: string): SharedText | undefined;
  /** The store could not be read for some seconds. */
  readonly isStale: boolean;
  /** Reads the store now. */
  refresh(): Promise<void>;
  /** False when the text has another version by now; 0 is the version of a text that is not there. */
  replace(name: string, text: string, expected: number): Promise<boolean>;
  /** Returns when every instance that can read the store has checked it since this call. */
  spread(): Promise<void>;
  /** Calls back when another instance has changed a text. Returns the function that unsubscribes. */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}
