/** How the calls went. Each chart has its numbers, its period and the number of calls beside it. */
import { useState } from "preact/hooks";
import type { Statistics } from "toolgate/serve/client";
import type { CallStatistics } from "toolgate/call";
import { api } from "../api.js";
import { useNow } from "../clock.js";
import { useKeys } from "../keys.js";
import { live } from "../live.js";
import { Empty, Loading, Pick } from "../parts/controls.js";
import { NotRead } from "../parts/not-read.js";
import { StatePill } from "../parts/state.js";
import { Visible } from "../parts/visible.js";
import { callPath, questionPath } from "../route.js";
import { useStore } from "../store.js";
import { useLoaded } from "../use-loaded.js";
import {
  MIN_RATE_CALLS,
  costText,
  counted,
  grouped,
  longTime,
  rate,
  runTime,
  share,
  shortDate,
  when,
} from "../words.js";
import { namedStates } from "./call-states.js";
import { CallsPerDay } from "./calls-per-day.js";
import { bucketName, periodStart } from "./periods.js";
import { agentChoices, ALL, projectChoices } from "./group-choices.js";
import { Shares, ShareLines } from "./shares.js";

const PERIODS: readonly (readonly [string, string])[] = [
  ["7", "Last 7 days"],
  ["14", "Last 14 days"],
  ["30", "Last 30 days"],
  ["90", "Last 90 days"],
];
/** Projects and agents of so many recent sessions are offered. */
const MAX_SESSIONS = 200;

export function StatisticsView() {
  const [days, setDays] = useState("14");
  const [project, setProject] = useState(ALL);
  const [agent, setAgent] = useState(ALL);
  const [isTables, setTables] = useState(false);
  const connections = useStore(live, (state) => state.connections);
  const { data, error, reload } = useLoaded(
    () =>
      api.statistics({
        since: periodStart(Number(days), Date.now()),
        ...(project !== ALL && { folder: project }),
        ...(agent !== ALL && { agent }),
      }),
    [days, project, agent, connections],
  );
  const { data: recent } = useLoaded(() => api.sessions({ limit: MAX_SESSIONS }), [connections]);
  const sessions = recent?.sessions ?? [];
  const agents = agentChoices(sessions.map((session) => session.agent));
  const projects = projectChoices(sessions.map(({ folder }) => folder));
  useKeys({ t: () => setTables(!isTables) });
  return (
    <div class="scroll">
      <div class="bar">
        <h1>Statistics</h1>
        <Pick label="Period" value={days} options={PERIODS} isSet onPick={setDays} />
        {agents.length > 2 && (
          <Pick label="Agent" value={agent} options={agents} isSet={agent !== ALL} onPick={setAgent} />
        )}
        {projects.length > 2 && (
          <Pick
            label="Project"
            value={project}
            options={projects}
            isSet={project !== ALL}
            onPick={setProject}
          />
        )}
        <span class="end row">
          <span class="faint xs no-phone">
            {data ? `from ${counted(data.total.calls, "recorded call")}, ${runTime(data.tookMs)}` : ""}
          </span>
          <button
            type="button"
            class="btn small"
            aria-pressed={isTables}
            onClick={() => setTables(!isTables)}
          >
            {isTables ? "As charts" : "As tables"} <kbd>T</kbd>
          </button>
        </span>
      </div>
      {!data && error === undefined && <Loading what="the statistics" />}
      {!data && error !== undefined && <NotRead what="statistics" isList error={error} onRetry={reload} />}
      {data && data.total.calls === 0 && <Empty icon="statistics" title="No call in this period" />}
      {data && data.total.calls > 0 && (
        <Charts statistics={data} isTables={isTables} days={Number(days)} only={{ project, agent }} />
      )}
    </div>
  );
}

type Only = { readonly project: string; readonly agent: string };

type ChartsProps = {
  readonly statistics: Statistics;
  readonly isTables: boolean;
  readonly days: number;
  readonly only: Only;
};

function Charts({ statistics, isTables, days, only }: ChartsProps) {
  const { total, before, byDay, byTool, byAgent } = statistics;
  const states = namedStates(total);
  return (
    <div class="wrapper">
      <div class="charts">
        <section class="box w7">
          <h2 class="row wrap">
            Calls per day <span class="faint xs">in UTC</span>
            <span class="legend end">
              {states.map(({ name, fill }) => (
                <span key={name}>
                  <i class={`swatch ${fill}`} />
                  {name}
                </span>
              ))}
            </span>
          </h2>
          <p class="figline">
            <span class="fig">{grouped(total.calls)}</span>
            <span class="soft">
              calls: {states.map(({ name }) => `${grouped(total[name])} ${name}`).join(", ")}
            </span>
          </p>
          <CallsPerDay byDay={byDay} since={statistics.since} days={days} isTable={isTables} />
        </section>
        <section class="box w5">
          <h2>Failed and refused, share of calls</h2>
          <p class="figline">
            <span class="fig">{share(total.failed, total.calls)}</span>
            <span class="soft">
              failed, {share(total.refused, total.calls)} refused.
              {before && before.calls > 0
                ? ` ${days} days before: ${rate(before.failed, before.calls)} and ${rate(before.refused, before.calls)}`
                : ""}
            </span>
          </p>
          <ShareLines byDay={byDay} isTable={isTables} />
        </section>
        <WhoDecided total={total} byRule={statistics.byRule} />
        <Waits statistics={statistics} only={only} />
        <section class="box w4">
          <h2>By tool</h2>
          <GroupTable groups={byTool} name="Tool" columns="times" />
        </section>
        <section class="box w4">
          <h2>By agent</h2>
          <GroupTable groups={byAgent} name="Agent" columns="rates" />
        </section>
        <Breaches statistics={statistics} />
        <RulesDecided groups={statistics.byRule} />
        <Models statistics={statistics} />
      </div>
    </div>
  );
}

function WhoDecided({
  total,
  byRule,
}: {
  readonly total: CallStatistics;
  readonly byRule: readonly CallStatistics[];
}) {
  const nobody = Math.max(0, total.calls - total.decidedByRule - total.contained - total.decidedByPerson);
  const rows = [
    {
      name: "By rule or mode",
      fill: "f-c1",
      count: total.decidedByRule,
      note: `${counted(byRule.filter(({ key }) => key !== "").length, "rule")} decided`,
    },
    { name: "Contained", fill: "f-c3", count: total.contained, note: "ran unasked in the sandbox" },
    {
      name: "By you",
      fill: "f-c4",
      count: total.decidedByPerson,
      note: `${grouped(total.refused)} refused in all`,
    },
    {
      name: "By nobody",
      fill: "f-c5",
      count: nobody,
      note: `open, withdrawn, or unasked; ${counted(total.breaches, "breach", "breaches")}`,
    },
  ];
  return (
    <section class="box w7">
      <h2>Who decided</h2>
      <p class="figline">
        <span class="fig">{share(total.decidedByPerson, total.calls)}</span>
        <span class="soft">
          {total.calls < MIN_RATE_CALLS ? "calls" : "of calls"} needed you. See{" "}
          <a href="/rules">which rules would save questions</a>.
        </span>
      </p>
      <Shares rows={rows} total={total.calls} />
    </section>
  );
}

function Waits({ statistics, only }: { readonly statistics: Statistics; readonly only: Only }) {
  const { waits, total } = statistics;
  const asked = waits.reduce((sum, { count }) => sum + count, 0);
  const most = Math.max(1, ...waits.map(({ count }) => count));
  return (
    <section class="box w5">
      <h2>Time waiting for you</h2>
      <p class="figline">
        <span class="fig">{total.waitedMs ? longTime(total.waitedMs.p50) : "–"}</span>
        <span class="soft">
          {total.waitedMs
            ? `in the middle (p50), ${longTime(total.waitedMs.p95)} at p95. ${counted(asked, "answered question")}`
            : "Nobody was asked."}
        </span>
      </p>
      <div class="hb">
        {waits.map(({ underMs, count }, index) => (
          <>
            <span>{bucketName(underMs, waits[index - 1]?.underMs)}</span>
            <span class="b">
              <span style={{ width: `${(100 * count) / most}%` }} />
            </span>
            <span class="num">{grouped(count)}</span>
            <span class="num">{rate(count, asked)}</span>
          </>
        ))}
      </div>
      <LongestWait only={only} />
    </section>
  );
}

function LongestWait({ only: { project, agent } }: { readonly only: Only }) {
  const questions = useStore(live, (state) => state.questions) ?? [];
  const now = useNow();
  const longest = questions.find(
    (one) =>
      one.isAnswerable &&
      (project === ALL || one.folder === project) &&
      (agent === ALL || one.agent === agent),
  );
  if (!longest) return null;
  return (
    <p class="faint xs">
      Longest that still waits:{" "}
      <a href={questionPath(longest.questionId)}>
        <Visible text={longest.title} isOneLine />
      </a>
      , {longTime(now - longest.askedAt)}
    </p>
  );
}

const MAX_ROWS = 8;

type GroupProps = {
  readonly groups: readonly CallStatistics[];
  readonly name: string;
  readonly columns: "times" | "rates";
};

function GroupTable({ groups, name, columns }: GroupProps) {
  const sorted = groups.toSorted((one, other) => other.calls - one.calls).slice(0, MAX_ROWS);
  const most = Math.max(1, ...sorted.map(({ calls }) => calls));
  const isTimes = columns === "times";
  return (
    <table class="table">
      <thead>
        <tr>
          <th>{name}</th>
          <th>
            <span class="sr">Share</span>
          </th>
          <th class="num">Calls</th>
          <th class="num">{isTimes ? "p50" : "Failed"}</th>
          <th class="num">{isTimes ? "p95" : "Refused"}</th>
        </tr>
      </thead>
      <tbody>
        {sorted.map(({ key, calls, ranMs, failed, refused }) => (
          <tr key={key}>
            <td class="anywhere">
              <Visible text={key === "" ? "unnamed" : key} isOneLine />
            </td>
            <td class="barc">
              <span class="b">
                <span style={{ width: `${(100 * calls) / most}%` }} />
              </span>
            </td>
            <td class="num">{grouped(calls)}</td>
            <td class="num soft">{isTimes ? (ranMs ? runTime(ranMs.p50) : "–") : rate(failed, calls)}</td>
            <td class="num soft">{isTimes ? (ranMs ? runTime(ranMs.p95) : "–") : rate(refused, calls)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function RulesDecided({ groups }: { readonly groups: readonly CallStatistics[] }) {
  const named = groups.filter(({ key }) => key !== "");
  if (named.length === 0) return null;
  return (
    <section class="box w12">
      <h2>
        What rules decided{" "}
        <span class="faint xs">
          {counted(named.length, "rule")}; a call that several let through together counts for each
        </span>
      </h2>
      <GroupTable groups={named} name="Rule" columns="rates" />
    </section>
  );
}

function Breaches({ statistics }: { readonly statistics: Statistics }) {
  const { breaches } = statistics;
  return (
    <section class="box w4">
      <h2 class="row">
        Breaches
        {breaches.length > 0 && (
          <span class="end">
            <StatePill status="breach" word={String(breaches.length)} />
          </span>
        )}
      </h2>
      <p class="soft">
        Calls that an agent ran although a rule denies them, you refused them, or nobody was asked.
      </p>
      {breaches.length === 0 && <p>None in this period.</p>}
      <ul class="stack">
        {breaches.slice(0, 6).map((call) => (
          <li key={`${call.sessionId} ${call.toolCallId}`}>
            <a href={callPath(call.sessionId, call.toolCallId)}>
              <code class="anywhere">
                <Visible text={call.title} isOneLine />
              </code>
            </a>
            <div class="faint xs">
              <Visible
                text={[call.agent, when(call.at), call.rule && `rule ${call.rule}`]
                  .filter(Boolean)
                  .join(" · ")}
                isOneLine
              />
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Models({ statistics }: { readonly statistics: Statistics }) {
  const { since } = statistics;
  // A script has no name and no tokens.
  const models = statistics.models.filter(({ model, inputTokens }) => model !== "" || inputTokens > 0);
  if (models.length === 0) return null;
  return (
    <section class="box w12">
      <h2>
        Models <span class="faint xs">{since === undefined ? "" : `since ${shortDate(since)}`}</span>
      </h2>
      <table class="table">
        <thead>
          <tr>
            <th>Model</th>
            <th class="num">Tokens in</th>
            <th class="num">Tokens out</th>
            <th class="num">Cost</th>
          </tr>
        </thead>
        <tbody>
          {models.map(({ model, inputTokens, outputTokens, costUsd }) => (
            <tr key={model}>
              <td>{model}</td>
              <td class="num">{grouped(inputTokens)}</td>
              <td class="num">{grouped(outputTokens)}</td>
              <td class="num soft">{costUsd === undefined ? "not known" : costText(costUsd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
