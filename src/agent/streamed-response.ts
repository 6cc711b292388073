/**
 * How an answer is put together, gathered while it streams: its parts in order, and what the provider has attached to
 * them. A signature comes with the start of a part, with its end, or with a piece that has no words in it.
 *
 * What must stay true: the lengths recorded here cut the step's words, which are recorded as they come, into just
 * these parts. Where a provider mixes the words of two parts, they cannot: then nothing is recorded, and the answer
 * is told again without its signatures.
 */
import type { LanguageModelV3, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { plainJson } from "../call/index.js";
import type { ResponsePart, Meta, StepResponse } from "../call/index.js";

/** The model as answers name it that were signed by it. */
export const modelName = ({ provider, modelId }: LanguageModelV3): string => `${provider}/${modelId}`;

/** Signatures have some kilobytes. What is larger, in characters of JSON, is not kept. */
const LONGEST_METADATA = 262_144;

type SpokenType = "reasoning" | "text";
type SpokenStreamPart = Extract<
  LanguageModelV3StreamPart,
  { type: `${SpokenType}-${"start" | "delta" | "end"}` }
>;
type Metadata = NonNullable<SpokenStreamPart["providerMetadata"]>;

type SpokenPart = { readonly type: SpokenType; readonly place: number; length: number; metadata: Metadata };
type CallPart = { readonly type: "tool-call"; readonly number: number; readonly metadata: Metadata };

export class StreamedResponse {
  readonly #parts: (SpokenPart | CallPart)[] = [];
  /** By id: a provider may use one again when its part is over. */
  readonly #open = { text: new Map<string, SpokenPart>(), reasoning: new Map<string, SpokenPart>() };
  /** The place of the last part of each type that has words. */
  readonly #lastSpoken = new Map<SpokenType, number>();
  #callCount = 0;
  #isMixed = false;

  read(streamed: SpokenStreamPart): void {
    const type = streamed.type.startsWith("text") ? "text" : "reasoning";
    const { id } = streamed;
    const isStart = streamed.type === "text-start" || streamed.type === "reasoning-start";
    const part = (isStart ? undefined : this.#open[type].get(id)) ?? this.#begin(id, type);
    if (streamed.providerMetadata) part.metadata = merged(part.metadata, streamed.providerMetadata);
    if ("delta" in streamed) this.#count(part, streamed.delta.length);
    else if (!isStart) this.#open[type].delete(id);
  }

  addCall(metadata: Metadata = {}): void {
    this.#parts.push({ type: "tool-call", number: this.#callCount++, metadata });
  }

  /** Undefined where nothing is attached to any part. `toolCallIds`: of the calls, in the order in which they came. */
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

  #begin(id: string, type: SpokenType): SpokenPart {
    const part = { type, place: this.#parts.length, length: 0, metadata: {} };
    this.#parts.push(part);
    this.#open[type].set(id, part);
    return part;
  }

  #count(part: SpokenPart, length: number): void {
    if (length === 0) return;
    this.#isMixed ||= part.place < (this.#lastSpoken.get(part.type) ?? 0);
    this.#lastSpoken.set(part.type, part.place);
    part.length += length;
  }
}

/** By provider, and field by field: a part's start may name it and its end sign it. */
function merged(known: Metadata, more: Metadata): Metadata {
  const changed = Object.entries(more).map(
    ([provider, fields]) => [provider, { ...known[provider], ...fields }] as const,
  );
  return { ...known, ...Object.fromEntries(changed) };
}

/** A signature is kept whole or not at all. What JSON leaves out (a field that is undefined) is no loss. */
function kept(metadata: Metadata): Meta | undefined {
  if (Object.keys(metadata).length === 0) return undefined;
  try {
    const copy = JSON.parse(JSON.stringify(metadata)) as Meta;
    return plainJson(copy, { maxCharacters: LONGEST_METADATA }) === copy ? copy : undefined;
  } catch {
    return undefined;
  }
}
