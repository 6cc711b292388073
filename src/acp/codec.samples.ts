/** Shared by the tests of both codecs: the two versions side by side, the schemas, a receiver. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { ValidateFunction } from "ajv/dist/2020.js";
import type { SessionEvent, ToolCall } from "../call/index.js";
import { SessionBook } from "../call/index.js";
import { CWD, SESSION_ID } from "../call/calls.samples.js";
import type { ReadResult } from "./read-result.js";
import type { ReaderMode } from "./reading.js";
import { V1Encoder } from "./v1/encoder.js";
import { V1Reader } from "./v1/reader.js";
import { V2Encoder } from "./v2/encoder.js";
import { V2Reader } from "./v2/reader.js";

export const READ_AT = 5000;

export const VERSIONS = [
  { version: 1, encoder: () => new V1Encoder(), reader: V1Reader, notification: "SessionNotification" },
  { version: 2, encoder: () => new V2Encoder(), reader: V2Reader, notification: "UpdateSessionNotification" },
] as const;

export type Codec = (typeof VERSIONS)[number];

/** The SDK's own schema as the judge. Formats and base64 are hints there, and are not checked. */
export function schemaCheck({
  version,
  notification,
}: Codec): (update: unknown) => ValidateFunction["errors"] {
  const file = createRequire(import.meta.url).resolve(
    `@agentclientprotocol/sdk/schema/v${version}/schema.json`,
  );
  const ajv = new Ajv2020({ strict: false, validateFormats: false, discriminator: false });
  ajv.addSchema(JSON.parse(readFileSync(file, "utf8")), "acp");
  const validate = ajv.getSchema(`acp#/$defs/${notification}`);
  if (!validate) throw new Error(`the schema has no ${notification}`);
  return (update) => (validate({ sessionId: SESSION_ID, update }) ? null : validate.errors);
}

/** The receiving side: every message goes through JSON, is read, and its events are applied. */
export class Receiver {
  readonly book = new SessionBook(SESSION_ID);
  readonly #reader: { read(update: unknown, at: number): ReadResult };

  constructor(codec: Codec, mode: ReaderMode = "strict") {
    this.#reader = new codec.reader({ session: this.book, cwd: CWD, mode });
  }

  receive(updates: readonly unknown[], at = READ_AT): readonly SessionEvent[] {
    return updates.flatMap((update) => {
      const result = this.#reader.read(JSON.parse(JSON.stringify(update)), at);
      if (!result.ok) throw new Error(result.problem);
      this.book.applyAll(result.events);
      return result.events;
    });
  }

  repairs(): readonly string[] {
    return this.book.snapshot().repairs.map(({ repair }) => repair);
  }

  call(toolCallId = "call_1"): ToolCall | undefined {
    return this.book.call(toolCallId);
  }
}

/** The messages as an agent that is not ours would send them: without `_meta.toolgate` at any level. */
export function withoutToolgate(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutToolgate);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, field]): [string, unknown][] => {
    if (key !== "_meta" || typeof field !== "object" || field === null)
      return [[key, withoutToolgate(field)]];
    const { toolgate: _, ...rest } = field as Record<string, unknown>;
    return Object.keys(rest).length === 0 ? [] : [[key, rest]];
  });
  return Object.fromEntries(entries);
}
