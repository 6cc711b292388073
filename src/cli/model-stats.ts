/**
 * `toolgate stats --by model`: how many answers each model gave, and the tokens that they took. It is read from
 * the sessions themselves: what a session was begun with says which model it was, where an answer does not.
 */
import { oneLine, SessionBook } from "../call/index.js";
import type { Ledger, SessionEvent, SessionSummary, Usage } from "../call/index.js";
import { openSqliteLedger } from "../history/index.js";
import { costOf, knownPrice } from "../model/index.js";
import { alignedTable } from "./aligned-table.js";
import { existing, isNothingYet } from "./history.js";
import type { HistoryFlags } from "./history.js";
import { jsonText } from "./json-text.js";
import { startedWith } from "./session-flags.js";
import { dollars, grouped, sumOf, totalOf } from "./usage-text.js";

export type ModelStatsFlags = HistoryFlags & {
  readonly days?: number | undefined;
  readonly cwd?: string | undefined;
};

type UsedStep = { readonly usage: Usage; readonly cost: number | undefined };

type ModelStatistics = Usage & {
  readonly key: string;
  readonly answers: number;
  /** US dollars; not there where a price is not known. */
  readonly cost?: number;
};

export async function showModelStats(flags: ModelStatsFlags): Promise<number> {
  const used = isNothingYet(flags) ? [] : await usedSteps(flags);
  const statistics = [...used]
    .map(([key, steps]) => statisticsOf(key, steps))
    .toSorted((one, other) => other.answers - one.answers);
  const text = flags.json ? jsonText({ by: "model", statistics }) : table(statistics);
  process.stdout.write(`${text}\n`);
  return 0;
}

async function usedSteps({
  days,
  cwd,
  ...flags
}: ModelStatsFlags): Promise<ReadonlyMap<string, readonly UsedStep[]>> {
  const since = days === undefined ? 0 : Date.now() - days * 86_400_000;
  const used = new Map<string, UsedStep[]>();
  const ledger = await openSqliteLedger(existing(flags), { readOnly: true });
  try {
    for await (const { sessionId } of allSessions(ledger, since)) {
      const events = (await ledger.read(sessionId)).map(({ event }) => event);
      const { info } = new SessionBook(sessionId, events.filter(isInfo));
      if (cwd !== undefined && info.cwd !== cwd) continue;
      const { model, isElsewhere } = startedWith(info);
      const price = model === undefined || isElsewhere ? undefined : knownPrice(model);
      const signer = onlySigner(events);
      for (const event of events) {
        if (event.type !== "step-ended" || event.at < since) continue;
        const key = model ?? event.answer?.model ?? signer ?? "(not said)";
        const { usage = {} } = event;
        const steps = used.get(key) ?? [];
        steps.push({ usage, cost: costOf(usage, price) });
        used.set(key, steps);
      }
    }
  } finally {
    await ledger.close();
  }
  return used;
}

const isInfo = ({ type }: SessionEvent): boolean => type === "info-changed";

/** The model that signed answers of the session, when there is but one: it gave those that bear no name too. */
function onlySigner(events: readonly SessionEvent[]): string | undefined {
  const signers = new Set(
    events.flatMap((event) => (event.type === "step-ended" && event.answer ? [event.answer.model] : [])),
  );
  return signers.size === 1 ? [...signers][0] : undefined;
}

async function* allSessions(ledger: Ledger, since: number): AsyncGenerator<SessionSummary> {
  for (let before: SessionSummary | undefined; ;) {
    const page = await ledger.sessions({ limit: 200, ...(before && { before }) });
    yield* page.filter(({ updatedAt }) => updatedAt >= since);
    before = page.at(-1);
    // The most recently written come first.
    if (!before || before.updatedAt < since) return;
  }
}

function statisticsOf(key: string, steps: readonly UsedStep[]): ModelStatistics {
  const cost = sumOf(steps.map((step) => step.cost));
  const total = totalOf(steps.map(({ usage }) => usage));
  return { key, answers: steps.length, ...total, ...(cost !== undefined && { cost }) };
}

function table(statistics: readonly ModelStatistics[]): string {
  if (statistics.length === 0) return "No model has answered here yet. Begin with: toolgate run";
  return alignedTable([
    ["model", "answers", "tokens in", "cached", "tokens out", "about"],
    ...statistics.map((one) => [
      oneLine(one.key, 60),
      grouped(one.answers),
      grouped(one.inputTokens ?? 0),
      grouped(one.cachedTokens ?? 0),
      grouped(one.outputTokens ?? 0),
      one.cost === undefined ? "–" : dollars(one.cost),
    ]),
  ]);
}
