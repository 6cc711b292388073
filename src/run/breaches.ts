/**
 * Breaches: calls that somebody else runs against the rules. The rules judge a call as soon as it is reported: a call
 * that a rule denies and that was not asked about is a breach, and so is one that was refused and then reported as
 * done.
 *
 * Invariants: a breach is recorded once, with the report that shows it. A call that was asked about under another id,
 * or that we ran, counts as asked about; a call that runs with another input than was allowed does not. Some agents
 * report a call as in progress before they ask, so a running call is judged after a short delay and an ended one at
 * once. A doubt is no breach: only a denial is.
 */
import { oneLine, STATUS_AT_END } from "../call/index.js";
import type { Breach, SessionEvent, ToolCall } from "../call/index.js";
import type { Intent, Verdict } from "../policy/index.js";
import type { Judge } from "./call-check.js";
import { emitWarning } from "./emit-warning.js";
import { judgeReported } from "./reported-intent.js";
import type { ReportedIntent } from "./reported-intent.js";
import { isRefusedBy, isSameDoing, isWithin } from "./same-act.js";
import type { SessionRecord } from "../record/index.js";

/** Real paths: the calls of one judgement share one read of the disk. */
export type LookedUp = Map<string, Promise<string>>;

/** The reported state of calls that somebody else runs, beside the recorded state. */
export type Reports = {
  /** A call with all reports that were read, also those that are not recorded yet. */
  call(toolCallId: string): ToolCall | undefined;
  /** The calls of which something was reported, since the last time, that came too late to change them. */
  takeChanged(): readonly string[];
  /** The statuses that were reported, since the last time, of refused calls. */
  takeReportsOnRefused(): readonly (readonly [toolCallId: string, status: "running" | "done" | "other"])[];
  /** The call's actions according to every report so far. */
  intentOf(call: ToolCall, lookedUp: LookedUp): Promise<SeenIntent>;
  /** The call that was made for the newest question about this call, if there is one. */
  askedAbout(call: ToolCall): ToolCall | undefined;
};

export type SeenIntent = ReportedIntent & {
  /** The agent reported more data than can be checked. */
  readonly isTooMuch: boolean;
  /** The title of the call changed after the decision. */
  readonly isRetitled: boolean;
};

export type BreachOptions = {
  readonly record: SessionRecord;
  readonly reports: Reports;
  readonly judge: Judge;
  /** The same rules, where only a rule denies. */
  readonly judgeByRule: Judge;
  /** We run the call. */
  readonly isOurs: (toolCallId: string) => boolean;
  /** Records events after the reports that have come by now. */
  readonly later: (make: () => Promise<readonly SessionEvent[]>) => void;
  readonly now: () => number;
};

/** How long a call may be reported as in progress before it is asked about. */
const ASK_GRACE_MS = 1_000;
const MAX_ASKED = 1_000;

type AskedAct = {
  readonly toolCallId: string;
  readonly intent: Intent;
  /** The texts that it was to write into files. */
  readonly texts: readonly string[];
};

export class Breaches {
  readonly #options: BreachOptions;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** Acts that were asked about in this turn. */
  #asked: AskedAct[] = [];
  /** Acts that were reported as done in this turn without a question, by the id of the call. */
  readonly #unasked = new Map<string, Intent>();
  /** Replayed calls ran before these rules held, so they are not judged. */
  isReplaying = false;

  constructor(options: BreachOptions) {
    this.#options = options;
  }

  /** The act was decided on, under any id that its runner reports for it later. */
  asked(act: AskedAct): void {
    // A call in progress that is asked about waits; its next report is judged.
    this.#forget(act.toolCallId);
    this.#asked = [...this.#asked.slice(1 - MAX_ASKED), act];
  }

  /** This call was refused: what was reported as done before it was asked about is judged again. */
  refused(toolCallId: string): void {
    const { record, later } = this.#options;
    const act = this.#asked.findLast((one) => one.toolCallId === toolCallId);
    const refusal = record.book.call(toolCallId);
    if (!act || refusal?.state.status !== "refused") return;
    const done = [...this.#unasked].filter(([, intent]) => isRefusedBy(act.intent, intent));
    if (done.length === 0) return;
    later(() =>
      Promise.resolve(
        done.flatMap(([id]) => (record.book.call(id)?.breach ? [] : [this.#event(id, doneBefore(refusal))])),
      ),
    );
  }

  /** The events, with the breaches that they report. */
  async marked(events: readonly SessionEvent[]): Promise<readonly SessionEvent[]> {
    if (this.isReplaying) return events;
    // A report is recorded also when the rules cannot judge it.
    const found = await this.#breachesIn(events).catch((error: unknown) => (emitWarning(error), []));
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
    this.#unasked.clear();
    this.close();
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  async #breachesIn(events: readonly SessionEvent[]): Promise<readonly BreachEvent[]> {
    const { reports } = this.#options;
    const reported = new Set(reports.takeChanged());
    for (const event of events) {
      if (!("toolCallId" in event) || !isReport(event)) continue;
      if (event.type !== "run-started") reported.add(event.toolCallId);
      else this.#judgeLater(event.toolCallId);
    }
    const refused = this.#ranAfterRefusal();
    if (reported.size === 0) return refused;
    const calls = [...reported].flatMap((toolCallId) => reports.call(toolCallId) ?? []);
    for (const { toolCallId } of calls) this.#forget(toolCallId);
    return [...refused, ...(await this.#found(calls))];
  }

  /** A refused call takes no more reports, so these come beside the events. */
  #ranAfterRefusal(): readonly BreachEvent[] {
    const { reports, record } = this.#options;
    return reports.takeReportsOnRefused().flatMap(([toolCallId, status]) => {
      this.#forget(toolCallId);
      const call = record.book.call(toolCallId);
      if (!call || call.breach) return [];
      if (status === "done") return [this.#event(toolCallId, afterRefusal(call))];
      if (status === "running") this.#judgeLater(toolCallId);
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
    }, ASK_GRACE_MS).unref();
    this.#timers.set(toolCallId, timer);
  }

  #forget(toolCallId: string): void {
    clearTimeout(this.#timers.get(toolCallId));
    this.#timers.delete(toolCallId);
  }

  async #found(calls: readonly ToolCall[]): Promise<readonly BreachEvent[]> {
    // Each waits for the disk, and none depends on another.
    const lookedUp: LookedUp = new Map();
    const breaches = await Promise.all(calls.map((call) => this.#breachOf(call, lookedUp)));
    return calls.flatMap(({ toolCallId }, index) => {
      const breach = breaches[index];
      return breach ? [this.#event(toolCallId, breach)] : [];
    });
  }

  #event(toolCallId: string, breach: Breach): BreachEvent {
    return { type: "call-breached", toolCallId, at: this.#options.now(), breach };
  }

  async #breachOf(call: ToolCall, lookedUp: LookedUp): Promise<Breach | undefined> {
    const { reports, judge, judgeByRule, isOurs } = this.#options;
    if (call.breach || !hasActed(call) || isOurs(call.toolCallId)) return undefined;
    const { isTooMuch, isRetitled, ...seen } = await reports.intentOf(call, lookedUp);
    const asked = this.#askedFor(call, seen.intent);
    // A runner that reports a refused call as failed, or not at all, has obeyed.
    if (asked?.state.status === "refused") return isDone(call) ? afterRefusal(asked) : undefined;
    if (asked && isUnanswered(asked)) return isDone(call) ? BEFORE_ANSWER : undefined;
    if (asked && !isRetitled)
      return this.#isOtherThanAllowed(call, seen) ? otherThanAllowed(seen.intent) : undefined;
    const known = { ...seen, doubt: isTooMuch ? TOO_MUCH : undefined, disagreement: undefined };
    const verdict = judgeReported(known, judge);
    // A rule's denial does not depend on the default: nothing else needs to be judged twice.
    const byRule = verdict.effect === "deny" ? judgeReported(known, judgeByRule) : undefined;
    if (byRule?.effect === "deny" && (byRule.matched || changesSomething(call, seen.intent)))
      return unasked(byRule);
    if (verdict.effect === "deny" && changesSomething(call, seen.intent)) return unasked(verdict);
    if (this.#isOtherThanAllowed(call, seen)) return otherThanAllowed(seen.intent);
    if (isDone(call) && !asked && this.#unasked.size < MAX_ASKED)
      this.#unasked.set(call.toolCallId, seen.intent);
    return undefined;
  }

  /** The call whose decision is for this act: a question about the call itself first, then the newest about the act. */
  #askedFor(call: ToolCall, intent: Intent): ToolCall | undefined {
    const { reports, record } = this.#options;
    const about = reports.askedAbout(call);
    if (about?.state.status === "refused" || (about && isUnanswered(about))) return about;
    const decided = this.#asked.flatMap(({ toolCallId, intent: asked }) => {
      const one = toolCallId === call.toolCallId ? call : record.book.call(toolCallId);
      if (!one) return [];
      const isFor = one.state.status === "refused" ? isRefusedBy(asked, intent) : isWithin(asked, intent);
      return isFor ? [one] : [];
    });
    return decided.find(({ toolCallId }) => toolCallId === call.toolCallId) ?? decided.at(-1);
  }

  #isOtherThanAllowed({ toolCallId, decision }: ToolCall, { intent, texts }: ReportedIntent): boolean {
    const own = this.#asked.findLast((one) => one.toolCallId === toolCallId);
    if (!own || !decision) return false;
    return !isSameDoing(own.intent, intent) || texts.some((text) => !own.texts.includes(text));
  }
}

export const TOO_MUCH = "the call has more data than Toolgate can check";

type BreachEvent = SessionEvent & { readonly type: "call-breached" };

/** After these events a call can be marked. */
const isReport = ({ type }: SessionEvent): boolean => type === "run-started" || STATUS_AT_END.has(type);

/** A failed call may have had effects; a call that was cancelled before it started had none. */
const hasActed = ({ state, times }: ToolCall): boolean =>
  times.started !== undefined || state.status === "failed";

const isDone = ({ state }: ToolCall): boolean => state.status === "done";

/** The question about this call is still open. */
const isUnanswered = ({ times, decision }: ToolCall): boolean =>
  times.asked !== undefined && decision === undefined;

const BEFORE_ANSWER: Breach = { isAfterRefusal: false, isBeforeAnswer: true };

function otherThanAllowed({ command, paths, hosts }: Intent): Breach {
  const words = typeof command === "string" ? command : command?.join(" ");
  const changes = paths.filter(({ access }) => access !== "read" && access !== "search");
  const done = [words, ...changes.map(({ path, access }) => `${access} ${path}`), ...hosts];
  const reason = oneLine(`it reports ${done.filter((one) => one !== undefined).join(", ")}`, 400);
  return { isAfterRefusal: false, isOtherThanAllowed: true, reason };
}

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

/** The agent did it before it asked, and was refused afterwards. */
function doneBefore({ decision }: ToolCall): Breach {
  const who = decision?.by === "person" ? (decision.who ?? "a person") : (decision?.rule ?? "Toolgate");
  return { isAfterRefusal: false, reason: `${who} refused it when it was asked about` };
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
