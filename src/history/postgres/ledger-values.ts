/** The values and rows of the statements on PostgreSQL. */

/** The time that a test passes; null for the server's clock. */
export type Time = number | null;

export type HeadRow = {
  readonly session_id: string;
  readonly session: number;
  readonly last_seq: number;
  readonly chain: Buffer | null;
  readonly fence: number | null;
  readonly owner: string | null;
  readonly holder: string | null;
  readonly lease_until: number | null;
  readonly place: string | null;
};

export type ClaimedRow = Pick<HeadRow, "session" | "last_seq" | "chain"> & {
  readonly fence: number;
  readonly lease_until: number;
};

export type WorkRow = Pick<HeadRow, "session_id" | "holder" | "fence" | "lease_until"> & {
  readonly lease_ms: number | null;
  /** By the server's clock; 0 when nobody holds the session. */
  readonly left_ms: number;
};

export type EventRow = { readonly seq: number; readonly event: string };

export type SummaryRow = {
  readonly session_id: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly last_seq: number;
};

export type AskedRow = EventRow & { readonly number: number };

// Named, since TypeScript 5.6 cannot read how the compiler writes types of bytes into a declaration.
export type NewBlobPart = [now: Time, hash: Uint8Array, part: number, parts: number, bytes: Uint8Array];
export type BlobPartKey = [hash: Uint8Array, part: number];
export type BlobPartRow = { readonly bytes: Buffer; readonly parts: number };
export type LinkRow = { readonly session: number; readonly chain: Buffer | null };
export type LinkedHeadRow = HeadRow & { readonly link: Buffer | null };
export type SnapshotRow = {
  readonly seq: number;
  readonly saved: string;
  readonly seal: string;
  readonly chain: Buffer | null;
};

export type Numbers = readonly number[];
export type Texts = readonly string[];

/** The sessions of a batch, one item each, and its events. All arrays are binary. */
export type AppendValues = [
  now: Time,
  sessions: Uint8Array,
  fences: Uint8Array,
  expected: Uint8Array,
  last: Uint8Array,
  chains: Uint8Array,
  work: Uint8Array,
  eventSessions: Uint8Array,
  seqs: Uint8Array,
  types: Uint8Array,
  events: Uint8Array,
  links: Uint8Array,
];

export type AppendOneValues = [
  now: Time,
  session: number,
  fence: number,
  expected: number,
  last: number,
  chain: Uint8Array,
  work: number | null,
  seqs: Uint8Array,
  types: Uint8Array,
  events: Uint8Array,
  links: Uint8Array,
];

export type AppendEventValues = [
  now: Time,
  session: number,
  fence: number,
  expected: number,
  seq: number,
  link: Uint8Array,
  work: number | null,
  type: string,
  event: string,
];

/** The values of one session are written out: the compiler would write a spread of them into the declarations. */
export type QuestionValues = [
  now: Time,
  session: number,
  fence: number,
  expected: number,
  last: number,
  chain: Uint8Array,
  work: number | null,
  seqs: Uint8Array,
  types: Uint8Array,
  events: Uint8Array,
  links: Uint8Array,
  askedIds: Texts,
  askedSeqs: Numbers,
  settledAtOnce: readonly (number | null)[],
  settledIds: Texts,
  settledSeqs: Numbers,
];

/** How many sessions were stored. */
export type StoredCount = { readonly stored: number };
