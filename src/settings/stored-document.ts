/** Settings that we write ourselves: a file of one machine, or a text that instances share. */
import type { z } from "zod";
import type { FileState } from "./followed-file.js";

/** Without a value, nothing is written. */
export type Change<T, Result> = { readonly value?: T; readonly result: Result };

export type DocumentOptions<T> = {
  readonly schema: () => z.ZodType<T>;
  /** The value of a document that is not there. */
  readonly empty: T;
  readonly staleAfterMs?: number | undefined;
};

export interface StoredDocument<T> {
  /** The place of the document, for messages. */
  readonly path: string;
  /** Never waits and never throws. */
  current(): FileState<T>;
  /** `change` gets the newest value, and is called again when another process was faster. An unreadable document is never overwritten. */
  change<Result>(change: (value: T) => Change<T, Result>): Promise<Result>;
  /** The same without waiting; it may not happen. */
  tryChange(change: (value: T) => Change<T, unknown>): void;
  /** Returns when all other processes and instances that use the document have read the earlier changes. */
  spread(): Promise<void>;
}

/** `path`: of the file, whose name is also that of the shared text. */
export type OpenDocument = <T>(path: string, options: DocumentOptions<T>) => StoredDocument<T>;
