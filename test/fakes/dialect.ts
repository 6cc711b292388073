/** A vendor's wire format: how it writes an answer as a stream, and how its requests are read. Works outside of tests too. */
import type { IncomingHttpHeaders } from "node:http";

/** The usage in every response. */
export const USED = { input: 120, cached: 20, output: 30, reasoning: 10 } as const;

export type FakeCall = { readonly id: string; readonly tool: string; readonly input: unknown };

export type FakeAnswer = {
  readonly think?: string;
  readonly say?: string;
  readonly calls?: readonly FakeCall[];
  /**
   * How it ends, where not as it should: at the limit, refused, with the connection broken, with the
   * stream closed too early, with a piece that is no JSON, with trouble reported in the stream.
   */
  readonly end?: "max_tokens" | "refusal" | "cut" | "closed" | "malformed" | "overloaded";
  /** Close the stream after this many bytes. */
  readonly bytes?: number;
  /** Milliseconds before each chunk. */
  readonly pause?: number;
};

/** The parts of a streamed response: its opening, its content, its end. */
export type Frames = {
  readonly head: readonly string[];
  readonly body: readonly string[];
  readonly tail: readonly string[];
};

/** A request, in the same form for every vendor. */
export type Seen = {
  readonly system: string;
  readonly calls: readonly { readonly id: string; readonly tool: string; readonly input: unknown }[];
  readonly results: readonly { readonly id: string; readonly text: string; readonly isError?: boolean }[];
};

export type Dialect = {
  /** Where requests go, below the server's address. */
  readonly path: RegExp;
  readonly keyOf: (headers: IncomingHttpHeaders) => string | undefined;
  readonly failure: (status: number, message: string) => { readonly status: number; readonly body: unknown };
  readonly frames: (answer: FakeAnswer) => Frames;
  /** A chunk that a vendor's own parser accepts as part of the stream and cannot parse. */
  readonly malformed: string;
  /** The error format inside a stream. */
  readonly overloaded: string;
  readonly see: (body: Fields) => Seen;
};

/** An object of a request, read without knowing its shape. */
export type Fields = { readonly [field: string]: unknown };

/** A text in the pieces in which a model would write it. */
export const pieces = (text: string, length = 8): readonly string[] =>
  Array.from({ length: Math.ceil(text.length / length) }, (_, at) =>
    text.slice(at * length, (at + 1) * length),
  );

export const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

export const BROKEN_DATA = 'data: {"type": oops\n\n';

export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};

/** A field that may be missing, as a list of objects. */
export const list = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);

/** Text as vendors write it: as it is, or as a list of parts with a text each. */
export const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : list(content)
        .map(({ text }) => String(text))
        .join("");

export const bearerOf = ({ authorization }: IncomingHttpHeaders): string | undefined =>
  authorization?.replace(/^Bearer /, "");
