/**
 * Approvals: yeses for calls that somebody else runs, not yet used. When the same act then comes as a call that we run (a
 * command in our terminal, a file that we write), the approval clears it: once, and within a minute. Anything else, and the
 * same act a second time, is asked about.
 */
import type { Decision } from "../call/index.js";
import type { Intent } from "../policy/index.js";
import type { FileText } from "./reported-intent.js";
import { isSameRun, isSameWrite } from "./same-act.js";

export type Approval = {
  /** The call that was allowed. */
  readonly toolCallId: string;
  readonly intent: Intent;
  /** The texts that were shown, each for its file. */
  readonly writes: readonly FileText[];
  readonly decision: Decision | undefined;
};

const APPROVAL_MS = 60_000;
const MAX_APPROVALS = 100;

export class Approvals {
  readonly #now: () => number;
  #unused: (Approval & { readonly expiresAt: number })[] = [];
  /** Calls that an approval has cleared, each with the call that was approved. */
  readonly #cleared = new Map<string, string>();

  constructor(now: () => number) {
    this.#now = now;
  }

  add(approval: Approval): void {
    const expiresAt = this.#now() + APPROVAL_MS;
    this.#unused = [...this.#unused.slice(-MAX_APPROVALS + 1), { ...approval, expiresAt }];
  }

  /** Uses up the approval for this act, if there is one, for this call. `byPerson`: only one that a person gave. */
  take(toolCallId: string, act: Intent, { byPerson }: { readonly byPerson: boolean }): Approval | undefined {
    const now = this.#now();
    const found = this.#unused.find(
      (one) => now < one.expiresAt && (!byPerson || one.decision?.by === "person") && isFor(one, act),
    );
    if (!found) return undefined;
    this.#unused = this.#unused.filter((one) => one !== found);
    this.#cleared.set(toolCallId, found.toolCallId);
    return found;
  }

  hasCleared(toolCallId: string): boolean {
    return this.#cleared.has(toolCallId);
  }

  /** The call whose approval cleared this one. */
  approved(toolCallId: string): string | undefined {
    return this.#cleared.get(toolCallId);
  }

  /** The turn is over: an approval that was not used in it is void. */
  clear(): void {
    this.#unused = [];
    this.#cleared.clear();
  }
}

function isFor({ intent, writes }: Approval, act: Intent): boolean {
  if (act.command !== undefined) return isSameRun(intent, act);
  return intent.command === undefined && isSameWrite(writes, act);
}
