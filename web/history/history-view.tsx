/** Every recorded call of every agent, with filters; beside it one call's whole life. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { HistoryCall, HistoryMessage, HistoryPage } from "toolgate/serve/client";
import { api } from "../api.js";
import { useKeys } from "../keys.js";
import { live } from "../live.js";
import { act } from "../parts/act.js";
import { Empty, Loading } from "../parts/controls.js";
import { NotRead } from "../parts/not-read.js";
import { Folder } from "../parts/folder.js";
import { Icon, kindIcon, type IconName } from "../parts/icon.js";
import { lookOf, StatePill } from "../parts/state.js";
import { Visible } from "../parts/visible.js";
import { goTo, sessionPath } from "../route.js";
import { useStore } from "../store.js";
import { useLoaded } from "../use-loaded.js";
import { clockTime, counted, dayName, runTime, sentence } from "../words.js";
import { matchedLine, type ExcerptPiece } from "./matched-line.js";
import { CallLife } from "./call-life.js";
import { FilterBar, SearchBar } from "./filter-bar.js";
import { filterPath, historyQuery, isFiltered, readFilters, type Filters } from "./history-query.js";

export function HistoryView({ search }: { readonly search: string }) {
  const filters = readFilters(search);
  const { call, session, ...wanted } = filters;
  const connections = useStore(live, (state) => state.connections);
  const key = JSON.stringify(wanted);
  const { data, error, reload } = useLoaded(
    () => api.history(historyQuery(filters, Date.now())),
    [key, connections],
  );
  /** The later pages. */
  const [more, setMore] = useState<readonly HistoryPage[]>([]);
  // Calls that were found before do not fit the filters of now.
  const pages = data && error === undefined ? [data, ...more] : [];
  const next = pages.at(-1)?.next;
  const latest = useRef(data);
  useLayoutEffect(() => {
    latest.current = data;
    setMore([]);
  }, [data]);
  const loadMore = async (): Promise<undefined> => {
    const own = latest.current;
    const page = await api.history({
      ...historyQuery(filters, Date.now()),
      ...(next !== undefined && { before: next }),
    });
    if (own === latest.current) setMore((before) => [...before, page]);
  };
  const set = (change: Partial<Filters>): void =>
    goTo(filterPath({ ...filters, ...change }), { isReplaced: true });
  const calls = pages.flatMap((page) => page.calls);
  const messages = pages.flatMap((page) => page.messages);
  const isFound = calls.length > 0 || messages.length > 0;
  // One request looks through so many calls at most. A filter that fits few of them needs several.
  const isLooking = !isFound && next !== undefined;
  useEffect(() => {
    if (isLooking) void act(loadMore, NOT_READ);
  }, [isLooking, next]);
  const chosenAt = calls.findIndex((one) => one.toolCallId === call && one.sessionId === session);
  const chosen = calls[chosenAt];
  const step = (by: 1 | -1): void => {
    const found = calls[chosenAt === -1 ? 0 : chosenAt + by];
    if (found) set({ call: found.toolCallId, session: found.sessionId });
  };
  useKeys({
    "/": () => document.getElementById("history-search")?.focus(),
    j: () => step(1),
    k: () => step(-1),
    escape: () => set({ call: "", session: "" }),
  });
  const isChosen = call !== "" && session !== "";
  return (
    <div class={isChosen ? "hist chosen" : "hist alone"}>
      <div class="list">
        <div class="heads">
          <SearchBar filters={filters} onSet={set} />
          <FilterBar
            filters={filters}
            onSet={set}
            page={pages[0]}
            count={calls.length}
            hasMore={next !== undefined}
          />
        </div>
        {!data && error === undefined && <Loading what="the history" />}
        {error !== undefined && <NotRead what="history" isList error={error} onRetry={reload} />}
        {pages.length > 0 && !isFound && (
          <Empty
            icon="history"
            title={isLooking ? "None of the latest calls fits; looking at older ones …" : "No call fits"}
          >
            <p>Every call of every agent is recorded here, also those that were refused.</p>
            {isFiltered(filters) && (
              <a class="btn" href="/history">
                Without filters
              </a>
            )}
          </Empty>
        )}
        {messages.length > 0 && <Messages messages={messages} />}
        {calls.length > 0 && <CallTable calls={calls} filters={filters} />}
        {next !== undefined && !isLooking && (
          <p class="entry">
            <button type="button" class="btn" onClick={() => void act(loadMore, NOT_READ)}>
              Older calls
            </button>
          </p>
        )}
      </div>
      {isChosen && (
        <Folder.Provider value={chosen?.folder}>
          <CallLife
            key={`${session} ${call}`}
            sessionId={session}
            toolCallId={call}
            onClose={() => set({ call: "", session: "" })}
          />
        </Folder.Provider>
      )}
    </div>
  );
}

const NOT_READ = "The older calls were not read.";

function CallTable({
  calls,
  filters,
}: {
  readonly calls: readonly HistoryCall[];
  readonly filters: Filters;
}) {
  const days: { name: string; calls: HistoryCall[] }[] = [];
  for (const call of calls) {
    const name = dayName(call.at);
    const last = days.at(-1);
    if (last?.name === name) last.calls.push(call);
    else days.push({ name, calls: [call] });
  }
  return (
    <table class="table calls-t">
      <colgroup>
        <col class="k1" />
        <col class="k2" />
        <col />
        <col class="k3" />
        <col class="k4" />
      </colgroup>
      <thead>
        <tr>
          <th>Time</th>
          <th>State</th>
          <th>Call</th>
          <th>Decided by</th>
          <th class="num">Ran</th>
        </tr>
      </thead>
      <tbody>
        {days.map((day) => (
          <>
            <tr key={day.name} class="day">
              <td colSpan={5}>
                {day.name} · {counted(day.calls.length, "call")}
              </td>
            </tr>
            {day.calls.map((call) => (
              <CallRow key={`${call.sessionId} ${call.toolCallId}`} call={call} filters={filters} />
            ))}
          </>
        ))}
      </tbody>
    </table>
  );
}

const SHORT_WORDS: Readonly<Record<string, string>> = {
  breach: "Breach",
  unknown: "Unknown",
};

/** Other calls without a run time ran: such as a task, whose own calls did the work. */
const NOT_RUN: ReadonlySet<string> = new Set(["waiting", "failed", "refused", "cancelled"]);

/** As its card has it. */
function statusOfCall({ breach, undone, failure, status }: HistoryCall): string {
  if (breach !== undefined) return "breach";
  if (undone === "whole") return "undone";
  if (failure !== undefined) return "command-failed";
  return undone === "part" ? "partly-undone" : status;
}

function CallRow({ call, filters }: { readonly call: HistoryCall; readonly filters: Filters }) {
  const { sessionId, toolCallId, at, kind, title, agent, sessionTitle, excerpt, ranMs } = call;
  const status = statusOfCall(call);
  const word =
    status === "command-failed" ? sentence(call.failure ?? "").replace(/\.$/, "") : lookOf(status).word;
  const isChosen = filters.call === toolCallId && filters.session === sessionId;
  const path = filterPath({ ...filters, call: toolCallId, session: sessionId });
  const line = excerpt && matchedLine(excerpt, title);
  return (
    <tr aria-current={isChosen ? "true" : undefined}>
      <td class="soft">{clockTime(at)}</td>
      <td>
        <StatePill status={status} word={SHORT_WORDS[status] ?? word} />
      </td>
      <td>
        <a class="row-link two" href={path}>
          <Icon name={kindIcon(kind)} />
          <span class={kind === "execute" ? "cut mono" : "cut"}>
            <Visible text={title} isOneLine />
          </span>
          <span class="faint xs cut">
            {line ? (
              <Excerpt excerpt={line} />
            ) : (
              <Visible text={[agent, sessionTitle].filter(Boolean).join(" · ")} isOneLine />
            )}
          </span>
        </a>
      </td>
      <td>
        <Decider call={call} />
      </td>
      <td class="num soft">
        {ranMs === undefined ? (
          <span class="faint">{NOT_RUN.has(status) ? "not run" : ""}</span>
        ) : (
          runTime(ranMs)
        )}
      </td>
    </tr>
  );
}

function Excerpt({ excerpt }: { readonly excerpt: readonly ExcerptPiece[] }) {
  return (
    <>
      {excerpt.map(({ text, isMatch }, index) =>
        isMatch ? (
          <b key={index}>
            <Visible text={text} isOneLine />
          </b>
        ) : (
          <Visible key={index} text={text} isOneLine />
        ),
      )}
    </>
  );
}

function Decider({ call }: { readonly call: HistoryCall }) {
  const [icon, tone, text] = deciderOf(call);
  return (
    <span class="two">
      <Icon name={icon} />
      <span class={tone}>
        <Visible text={text} isOneLine />
      </span>
      {call.waitedMs !== undefined && <span class="faint xs">after {runTime(call.waitedMs)}</span>}
    </span>
  );
}

function deciderOf({
  decidedBy,
  who,
  rule,
  status,
  breach,
}: HistoryCall): readonly [IconName, string, string] {
  if (breach !== undefined) return ["breach", "soft", "nobody: it just ran"];
  if (decidedBy === "sandbox") return ["contained", "st st-contained", "contained"];
  if (decidedBy === "person") return ["person", "soft cut", who === undefined ? "you" : `you, ${who}`];
  if (decidedBy === "rule") return ["rule", "soft cut mono", rule ?? "a rule"];
  return status === "waiting" ? ["waiting", "soft", "nobody yet"] : ["withdrawn", "soft", "nobody"];
}

function Messages({ messages }: { readonly messages: readonly HistoryMessage[] }) {
  return (
    <details class="entry">
      <summary class="faint xs">{counted(messages.length, "message")} with these words</summary>
      <ul class="stack">
        {messages.map(({ sessionId, at, role, excerpt }, index) => (
          <li key={index} class="anywhere">
            <a href={sessionPath(sessionId)}>{clockTime(at)}</a> <span class="faint">{role}</span>{" "}
            <Excerpt excerpt={excerpt} />
          </li>
        ))}
      </ul>
    </details>
  );
}
