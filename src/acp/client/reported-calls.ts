/**
 * All that an agent has reported of its calls, also what a later report replaced: an input that a call had while it ran
 * is judged even if the call ends with another.
 */
import type { CallFields, ToolKind } from "../../call/index.js";
import { isJsonObject, sameJson } from "../json.js";
import type { Carried } from "./foreign-intent.js";

/** The content of one report. */
export type Report = Pick<CallFields, "rawInput" | "content" | "locations" | "kind"> & {
  readonly laterTitle?: string;
  /** The call had not started: a longer input may replace this one. */
  readonly isDraft: boolean;
};

/** More different reports of one call than any agent makes. */
const MAX_REPORTS = 200;
const MAX_CALLS = 10_000;

type Input = { readonly rawInput: unknown; readonly isDraft: boolean };
type Kept = {
  readonly inputs: Input[];
  readonly content: NonNullable<CallFields["content"]>[number][];
  readonly locations: NonNullable<CallFields["locations"]>[number][];
  readonly kinds: Set<ToolKind>;
  readonly titles: Set<string>;
  isTooMuch: boolean;
};

export class ReportedCalls {
  readonly #calls = new Map<string, Kept>();

  add(toolCallId: string, { rawInput, content, locations, kind, laterTitle, isDraft }: Report): void {
    const kept = this.#calls.get(toolCallId) ?? this.#begin(toolCallId);
    if (rawInput !== undefined && rawInput !== null) put(kept.inputs, { rawInput, isDraft }, kept);
    for (const item of content ?? []) if (item.type === "diff") put(kept.content, item, kept);
    for (const location of locations ?? []) put(kept.locations, location, kept);
    if (kind !== undefined) kept.kinds.add(kind);
    if (laterTitle !== undefined && kept.titles.size < MAX_REPORTS) kept.titles.add(laterTitle);
  }

  of(toolCallId: string): (Carried & { readonly isTooMuch: boolean }) | undefined {
    const kept = this.#calls.get(toolCallId);
    if (!kept) return undefined;
    const { inputs } = kept;
    return {
      rawInputs: inputs
        .filter((one, at) => !isGrown(one, inputs.slice(at + 1)))
        .map(({ rawInput }) => rawInput),
      content: [...kept.content],
      locations: [...kept.locations],
      kinds: [...kept.kinds],
      laterTitles: [...kept.titles],
      isTooMuch: kept.isTooMuch,
    };
  }

  clear(): void {
    this.#calls.clear();
  }

  #begin(toolCallId: string): Kept {
    const [oldest] = this.#calls.keys();
    if (this.#calls.size >= MAX_CALLS && oldest !== undefined) this.#calls.delete(oldest);
    const kept = {
      inputs: [],
      content: [],
      locations: [],
      kinds: new Set<ToolKind>(),
      titles: new Set<string>(),
      isTooMuch: false,
    };
    this.#calls.set(toolCallId, kept);
    return kept;
  }
}

function put<Item>(items: Item[], item: Item, kept: Kept): void {
  if (items.some((one) => sameJson(one, item))) return;
  if (items.length >= MAX_REPORTS) kept.isTooMuch = true;
  else items.push(item);
}

/** Some agents report an input while their model writes it. */
const isGrown = ({ rawInput, isDraft }: Input, later: readonly Input[]): boolean =>
  isDraft && later.some((one) => isBeginningOf(rawInput, one.rawInput));

function isBeginningOf(one: unknown, whole: unknown): boolean {
  if (typeof one === "string") return typeof whole === "string" && whole.startsWith(one);
  if (Array.isArray(one))
    return Array.isArray(whole) && one.every((item, at) => isBeginningOf(item, whole[at]));
  if (!isJsonObject(one)) return one === whole;
  return (
    isJsonObject(whole) && Object.entries(one).every(([name, value]) => isBeginningOf(value, whole[name]))
  );
}
