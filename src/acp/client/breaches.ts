/**
 * Calls that a foreign agent runs without asking are judged by the rules as soon as they are reported. A call that
 * a rule denies is marked as a breach; so is a call that was refused and then reported as done.
 *
 * What must stay true: a breach is recorded once, with the report that shows it. A call that was asked about under
 * another id, or done through us, was asked about; one that runs with another input than was allowed was not. Some agents report a call as in progress and ask then, so a call
 * that runs is judged after a moment; one that has ended, at once. A doubt is no breach: only a denial is.
 */
import { STATUS_AT_END } from "../../call/index.js";
import type { Breach, SessionEvent, ToolCall } from "../../call/index.js";
import type { Intent, PathAccess, Verdict } from "../../policy/index.js";
import type { SessionRecord } from "../../record/index.js";
import type { Judge } from "../../run/index.js";
import { isSameCommand } from "./approvals.js";
import { askedId, isThroughUs } from "./call-ids.js";
import { foreignIntent, judgeForeign, TOO_MUCH } from "./foreign-intent.js";
import type { IntentPlace } from "./foreign-intent.js";
import { tell } from "./session-writer.js";
import type { UpdateFold } from "./update-fold.js";

export type BreachOptions = {
  readonly record: SessionRecord;
  readonly fold: UpdateFold;
  readonly place: IntentPlace;
  readonly judge: Judge;
  /** The same rules where nothing is denied but what a rule denies. */
  readonly judgeByRule: Judge;
  /** Records events when the updates before them are taken in. */
  readonly later: (make: () => Promise<readonly SessionEvent[]>) => void;
  readonly now: () => number;
};

/** How long an agent may report a call as in progress before it asks about it. */
const ASK_PATIENCE_MS = 1_000;
const MAX_ASKED = 1_000;

type AskedAct = { readonly toolCallId: string; readonly intent: Intent };

export class Breaches {
  readonly #options: BreachOptions;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** Calls that the agent asked about in this turn. */
  #asked: AskedAct[] = [];
  /** Replayed calls ran before these rules held, so they are not judged. */
  isReplaying = false;

  constructor(options: BreachOptions) {
    this.#options = options;
  }

  /** The agent asked about this act: whatever it calls it then, it was decided on. */
  asked(toolCallId: string, intent: Intent): void {
    this.#asked = [...this.#asked.slice(1 - MAX_ASKED), { toolCallId, intent }];
  }

  /** The events, with the breaches that they report. */
  async marked(events: readonly SessionEvent[]): Promise<readonly SessionEvent[]> {
    if (this.isReplaying) return events;
    // The session records a report also when the rules cannot judge it.
    const found = await this.#breachesIn(events).catch((error: unknown) => (tell(error), []));
    if (found.length === 0) return events;
    const waiting = new Map(found.map((event) => [event.toolCallId, event]));
    const marked = events.flatMap((event) => {
      const breach = "toolCallId" in event && isReport(event) ? waiting.get(event.toolCallId) : undefined;
      if (!breach) return [event];
      waiting.delete(breach.toolCallId);
      return [event, breach];
    });
    return [...marked, ...waiting.values()];
  }

  /** The breaches among the calls that are still under way. */
  async amongRunning(): Promise<readonly SessionEvent[]> {
    const running = this.#options.record.book.openCalls().filter(({ state }) => state.status === "running");
    return this.#found(running);
  }

  turnOver(): void {
    this.#asked = [];
    this.#options.fold.reported.clear();
    this.close();
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  async #breachesIn(events: readonly SessionEvent[]): Promise<readonly BreachEvent[]> {
    const { fold } = this.#options;
    const reported = new Set(fold.takeChanged());
    for (const event of events) {
      if (!("toolCallId" in event) || !isReport(event)) continue;
      if (event.type !== "run-started") reported.add(event.toolCallId);
      else this.#judgeLater(event.toolCallId);
    }
    const refused = this.#ranAfterRefusal();
    if (reported.size === 0) return refused;
    const calls = [...reported].flatMap((toolCallId) => fold.call(toolCallId) ?? []);
    for (const { toolCallId } of calls) this.#forget(toolCallId);
    return [...refused, ...(await this.#found(calls))];
  }

  /** A refused call takes no more reports, so the fold says which came. */
  #ranAfterRefusal(): readonly BreachEvent[] {
    const { fold, record } = this.#options;
    return fold.takeReportsOnRefused().flatMap(([toolCallId, status]) => {
      this.#forget(toolCallId);
      const call = record.book.call(toolCallId);
      if (!call || call.breach) return [];
      if (status === "completed") return [this.#event(toolCallId, afterRefusal(call))];
      if (status === "in_progress") this.#judgeLater(toolCallId);
      return [];
    });
  }

  #judgeLater(toolCallId: string): void {
    if (this.#timers.has(toolCallId)) return;
    const judge = async () => {
      const call = this.#options.record.book.call(toolCallId);
      if (call?.state.status !== "refused")
        return call?.state.status === "running" ? this.#found([call]) : [];
      return call.breach ? [] : [this.#event(toolCallId, afterRefusal(call))];
    };
    const timer = setTimeout(() => {
      this.#timers.delete(toolCallId);
      this.#options.later(judge);
    }, ASK_PATIENCE_MS).unref();
    this.#timers.set(toolCallId, timer);
  }

  #forget(toolCallId: string): void {
    clearTimeout(this.#timers.get(toolCallId));
    this.#timers.delete(toolCallId);
  }

  async #found(calls: readonly ToolCall[]): Promise<readonly BreachEvent[]> {
    const events: BreachEvent[] = [];
    for (const call of calls) {
      const breach = await this.#breachOf(call);
      if (breach) events.push(this.#event(call.toolCallId, breach));
    }
    return events;
  }

  #event(toolCallId: string, breach: Breach): BreachEvent {
    return { type: "call-breached", toolCallId, at: this.#options.now(), breach };
  }

  async #breachOf(call: ToolCall): Promise<Breach | undefined> {
    const { fold, place, judge, judgeByRule } = this.#options;
    if (call.breach || !hasActed(call) || isThroughUs(call.toolCallId)) return undefined;
    const reported = fold.reported.of(call.toolCallId);
    const foreign = await foreignIntent(call, reported, place);
    const about = this.#askedAbout(call);
    // A no that the agent reports as a failure, or has not answered yet, is a no that it heard.
    const asked = about?.state.status === "refused" ? about : this.#askedFor(foreign.intent);
    const isOther = (reported?.laterTitles.length ?? 0) > 0;
    if (asked?.state.status === "refused") return isDone(call) ? afterRefusal(asked) : undefined;
    if (asked && !isOther) return undefined;
    const isTooMuch = foreign.disagreement === TOO_MUCH || reported?.isTooMuch === true;
    const known = { ...foreign, doubt: isTooMuch ? TOO_MUCH : undefined, disagreement: undefined };
    const byRule = judgeForeign(known, judgeByRule);
    if (byRule.effect === "deny" && (byRule.matched || changesSomething(call, foreign.intent)))
      return unasked(byRule);
    const verdict = judgeForeign(known, judge);
    return verdict.effect === "deny" && changesSomething(call, foreign.intent) ? unasked(verdict) : undefined;
  }

  /** The newest question about this call, which is a call of its own. */
  #askedAbout({ toolCallId }: ToolCall): ToolCall | undefined {
    const { book } = this.#options.record;
    let asked: ToolCall | undefined;
    for (let count = 2; ; count += 1) {
      const next = book.call(askedId(toolCallId, count));
      if (!next) return asked;
      asked = next;
    }
  }

  #askedFor(intent: Intent): ToolCall | undefined {
    const { book } = this.#options.record;
    return this.#asked
      .flatMap(({ toolCallId, intent: asked }) => {
        const call = book.call(toolCallId);
        return call && isSameAct(asked, intent, call.state.status === "refused") ? [call] : [];
      })
      .at(-1);
  }
}

type BreachEvent = SessionEvent & { readonly type: "call-breached" };

/** After these events a call can be marked. */
const isReport = ({ type }: SessionEvent): boolean => type === "run-started" || STATUS_AT_END.has(type);

/** A failure may be of something that was begun; what was cancelled before it began was not done. */
const hasActed = ({ state, times }: ToolCall): boolean =>
  times.started !== undefined || state.status === "failed";

const isDone = ({ state }: ToolCall): boolean => state.status === "done";

/** Where nothing allows it and no rule denies it, only an act counts: that a call only reads, nobody can know. */
function changesSomething({ kind }: ToolCall, intent: Intent): boolean {
  const isAct = [kind, intent.kind].some((one) => ACTS.has(one));
  return isAct || intent.command !== undefined || intent.hosts.length > 0;
}

const ACTS: ReadonlySet<string> = new Set(["execute", "edit", "delete", "move", "fetch"]);

function unasked({ rule, reason }: Verdict): Breach {
  return {
    isAfterRefusal: false,
    ...(rule !== undefined && { rule }),
    ...(reason !== undefined && { reason }),
  };
}

/** A person's reason was for the agent, and stands in the decision. */
function afterRefusal({ decision }: ToolCall): Breach {
  if (decision?.by === "person") return { isAfterRefusal: true, who: decision.who ?? "a person" };
  return { ...unasked({ effect: "deny", saw: [], ...ruleOf(decision) }), isAfterRefusal: true };
}

const ruleOf = (decision: ToolCall["decision"]): Pick<Verdict, "rule" | "reason"> => ({
  ...(decision?.rule !== undefined && { rule: decision.rule }),
  ...(decision?.reason !== undefined && { reason: decision.reason }),
});

/** A yes is for what may be done with a file; a no is heard however the agent calls what it then does not do. */
function isSameAct(asked: Intent, act: Intent, isRefused: boolean): boolean {
  if (act.command !== undefined) return isSameCommand(asked, act);
  if (asked.command !== undefined) return false;
  if (act.paths.length + act.hosts.length === 0)
    return asked.tool === act.tool && JSON.stringify(asked.input) === JSON.stringify(act.input);
  const isAsked = ({ path, access }: PathAccess) =>
    asked.paths.some((one) => one.path === path && (isRefused || one.access === access));
  return act.paths.every(isAsked) && act.hosts.every((host) => asked.hosts.includes(host));
}
