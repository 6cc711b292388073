/**
 * The structure of a response, collected while it streams: its parts in order, and the provider's metadata for each. A
 * signature comes with the start of a part, with its end, or with a delta without text.
 *
 * Invariant: the recorded lengths cut the step's text, which is recorded as it arrives, into exactly these parts. Where
 * a provider interleaves the text of two parts this is impossible: then nothing is recorded, and later prompts hold the
 * response without its signatures.
 */
import type { LanguageModelV3, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { plainJson } from "../call/index.js";
import type { Meta, ResponsePart, StepResponse } from "../call/index.js";

/** The name of a model in the responses that it signed. */
export const modelName = ({ provider, modelId }: LanguageModelV3): string => `${provider}/${modelId}`;

/** Signatures have some kilobytes. Larger metadata, in characters of JSON, is dropped. */
const MAX_METADATA_CHARACTERS = 262_144;

type TextType = "reasoning" | "text";
type TextStreamPart = Extract<
  LanguageModelV3StreamPart,
  { type: `${TextType}-${"start" | "delta" | "end"}` }
>;
type DeltaPart = Extract<TextStreamPart, { type: `${TextType}-delta` }>;
type Metadata = NonNullable<TextStreamPart["providerMetadata"]>;

type TextPart = { readonly type: TextType; readonly place: number; length: number; metadata: Metadata };
type CallPart = { readonly type: "tool-call"; readonly number: number; readonly metadata: Metadata };

export class StreamedResponse {
  readonly #parts: (TextPart | CallPart)[] = [];
  /** Open parts by id. A provider may use an id again after its part has ended. */
  readonly #open = { text: new Map<string, TextPart>(), reasoning: new Map<string, TextPart>() };
  /** The place of the last part of each type that has text. */
  readonly #lastWithText = new Map<TextType, number>();
  #callCount = 0;
  #isMixed = false;
  /** The part of the last delta, and the delta's type and id: the next delta mostly continues it. */
  #newest: { readonly type: DeltaPart["type"]; readonly id: string; readonly part: TextPart } | undefined;

  read(streamed: TextStreamPart): void {
    const newest = this.#newest;
    if (newest && continues(streamed, newest)) newest.part.length += streamed.delta.length;
    else this.#readOther(streamed);
  }

  #readOther(streamed: TextStreamPart): void {
    const type = streamed.type.startsWith("text") ? "text" : "reasoning";
    const { id } = streamed;
    const isStart = streamed.type === "text-start" || streamed.type === "reasoning-start";
    const part = (isStart ? undefined : this.#open[type].get(id)) ?? this.#begin(id, type);
    if (streamed.providerMetadata) part.metadata = merged(part.metadata, streamed.providerMetadata);
    this.#newest = undefined;
    if ("delta" in streamed) {
      this.#count(part, streamed.delta.length);
      if (streamed.delta !== "") this.#newest = { type: streamed.type, id, part };
    } else if (!isStart) this.#open[type].delete(id);
  }

  addCall(metadata: Metadata = {}): void {
    this.#parts.push({ type: "tool-call", number: this.#callCount++, metadata });
  }

  /** Undefined when no part has metadata. `toolCallIds` are in the order in which the calls arrived. */
  recorded(model: string, toolCallIds: readonly string[]): StepResponse | undefined {
    if (this.#isMixed) return undefined;
    const parts = this.#parts.map((part): ResponsePart => {
      const providerOptions = kept(part.metadata);
      return {
        ...(part.type === "tool-call"
          ? { type: part.type, toolCallId: toolCallIds[part.number] ?? "" }
          : { type: part.type, length: part.length }),
        ...(providerOptions && { providerOptions }),
      };
    });
    return parts.some(({ providerOptions }) => providerOptions) ? { model, parts } : undefined;
  }

  #begin(id: string, type: TextType): TextPart {
    const part = { type, place: this.#parts.length, length: 0, metadata: {} };
    this.#parts.push(part);
    this.#open[type].set(id, part);
    return part;
  }

  #count(part: TextPart, length: number): void {
    if (length === 0) return;
    this.#isMixed ||= part.place < (this.#lastWithText.get(part.type) ?? 0);
    this.#lastWithText.set(part.type, part.place);
    part.length += length;
  }
}

const continues = (
  streamed: TextStreamPart,
  { type, id }: Pick<DeltaPart, "type" | "id">,
): streamed is DeltaPart => streamed.type === type && streamed.id === id && !streamed.providerMetadata;

/** Merges field by field for each provider: a part's start may carry its id and its end the signature. */
function merged(known: Metadata, more: Metadata): Metadata {
  const changed = Object.entries(more).map(
    ([provider, fields]) => [provider, { ...known[provider], ...fields }] as const,
  );
  return { ...known, ...Object.fromEntries(changed) };
}

/** Keeps a signature whole or not at all. A field that JSON leaves out because it is undefined is no loss. */
function kept(metadata: Metadata): Meta | undefined {
  if (Object.keys(metadata).length === 0) return undefined;
  try {
    const copy = JSON.parse(JSON.stringify(metadata)) as Meta;
    return plainJson(copy, { maxCharacters: MAX_METADATA_CHARACTERS }) === copy ? copy : undefined;
  } catch {
    return undefined;
  }
}

/** Passes on each part of a response as it streams. Throws the signal's reason on abort; a part that arrives at that moment is dropped. */
export async function readParts(
  stream: ReadableStream<LanguageModelV3StreamPart>,
  signal: AbortSignal,
  take: (part: LanguageModelV3StreamPart) => void,
): Promise<void> {
  const reader = stream.getReader();
  // Cancelling the reader ends its pending read at once, whether or not the model reacts.
  const cancel = () => void reader.cancel(signal.reason).catch(() => undefined);
  // One listener serves all parts, and a local flag its result: parts come in thousands, and `signal.aborted` is slow.
  let { aborted } = signal;
  const abort = () => {
    aborted = true;
    cancel();
  };
  signal.addEventListener("abort", abort, { once: true });
  try {
    if (aborted) throw signal.reason;
    for (;;) {
      const { done, value } = await reader.read();
      if (aborted) throw signal.reason;
      if (done) return;
      take(value);
    }
  } catch (error) {
    // A model that also follows the signal may break the stream with its own error.
    throw aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener("abort", abort);
    cancel();
  }
}

/** Handles the promise in any case, so that a rejection after the abort is not an unhandled one. */
export function unlessAborted<Value>(promise: PromiseLike<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).then(() => signal.removeEventListener("abort", stop), reject);
    if (signal.aborted) stop();
  });
}
