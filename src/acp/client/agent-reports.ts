/** The reports of a foreign agent about its calls, for the gate to find calls that ran without permission. */
import type { SessionBook, ToolCall } from "../../call/index.js";
import { TOO_MUCH } from "../../run/breaches.js";
import type { LookedUp, Reports, SeenIntent } from "../../run/breaches.js";
import { statusOfWord } from "../read-call.js";
import { askedId } from "./call-ids.js";
import { foreignIntent } from "./foreign-intent.js";
import type { IntentPlace } from "./foreign-paths.js";
import type { UpdateFold } from "./update-fold.js";

export class AgentReports implements Reports {
  readonly #fold: UpdateFold;
  readonly #book: SessionBook;
  readonly #place: IntentPlace;

  constructor(fold: UpdateFold, book: SessionBook, place: IntentPlace) {
    this.#fold = fold;
    this.#book = book;
    this.#place = place;
  }

  call(toolCallId: string): ToolCall | undefined {
    return this.#fold.call(toolCallId);
  }

  takeChanged(): readonly string[] {
    return this.#fold.takeChanged();
  }

  takeReportsOnRefused(): ReturnType<Reports["takeReportsOnRefused"]> {
    return this.#fold
      .takeReportsOnRefused()
      .map(([toolCallId, status]) => [toolCallId, STATUSES.get(statusOfWord(status) ?? status) ?? "other"]);
  }

  async intentOf(call: ToolCall, lookedUp: LookedUp): Promise<SeenIntent> {
    const reported = this.#fold.reported.of(call.toolCallId);
    const intent = await foreignIntent(call, reported, { ...this.#place, lookedUp });
    return {
      ...intent,
      isTooMuch: intent.disagreement === TOO_MUCH || reported?.isTooMuch === true,
      isRetitled: (reported?.laterTitles.length ?? 0) > 0,
    };
  }

  askedAbout({ toolCallId }: ToolCall): ToolCall | undefined {
    let asked: ToolCall | undefined;
    for (let count = 2; ; count += 1) {
      const next = this.#book.call(askedId(toolCallId, count));
      if (!next) return asked;
      asked = next;
    }
  }
}

const STATUSES: ReadonlyMap<string, "running" | "done"> = new Map([
  ["in_progress", "running"],
  ["completed", "done"],
]);
