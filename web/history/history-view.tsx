/** Every recorded call of every agent, with filters; beside it one call's whole life. */
import { useEffect, useState } from "preact/hooks";
import { TOOL_KINDS } from "toolgate/call";
import type { HistoryCall, HistoryMessage, HistoryPage } from "toolgate/serve/client";
import { api, errorText } from "../api.js";
import { useKeys } from "../keys.js";
import { live } from "../live.js";
import { Empty, Loading, Pick } from "../parts/controls.js";
import { Folder } from "../parts/folder.js";
import { Icon, kindIcon, type IconName } from "../parts/icon.js";
import { lookOf, StatePill } from "../parts/state.js";
import { Visible } from "../parts/visible.js";
import { goTo, sessionPath } from "../route.js";
import { useStore } from "../store.js";
import { useLoaded } from "../use-loaded.js";
import { clockTime, counted, dayName, runTime } from "../words.js";
import { matchedLine, type ExcerptPiece } from "./matched-line.js";
import { CallLife } from "./call-life.js";
import { filterPath, historyQuery, readFilters, type Filters } from "./history-query.js";

const TYPING_MS = 250;

export function HistoryView({ search }: { readonly search: string }) {
  const filters = readFilters(search);
  const { call, session, ...wanted } = filters;
  const connections = useStore(live, (state) => state.connections);
  const key = JSON.stringify(wanted);
  const { data, error } = useLoaded(() => api.history(historyQuery(filters, Date.now())), [key, connections]);
  const [more, setMore] = useState<readonly HistoryCall[]>([]);
  const [next, setNext] = useState<string>();
  useEffect(() => {
    setMore([]);
    setNext(data?.next);
  }, [data]);
  const loadMore = async (): Promise<void> => {
    const page = await api.history({
      ...historyQuery(filters, Date.now()),
      ...(next !== undefined && { before: next }),
    });
    setMore([...more, ...page.calls]);
    setNext(page.next);
  };
  const set = (change: Partial<Filters>): void =>
    goTo(filterPath({ ...filters, ...change }), { isReplaced: true });
  const calls = [...(data?.calls ?? []), ...more];
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
            page={data}
            count={calls.length}
            hasMore={next !== undefined}
          />
        </div>
        {!data && error === undefined && <Loading what="the history" />}
        {!data && error !== undefined && (
          <Empty icon="unknown" title="The history could not be read">
            <p>{errorText(error)}</p>
          </Empty>
        )}
        {data && calls.length === 0 && data.messages.length === 0 && (
          <Empty icon="history" title="No call fits">
            <p>Every call of every agent is recorded here, also those that were refused.</p>
          </Empty>
        )}
        {data && data.messages.length > 0 && <Messages messages={data.messages} />}
        {calls.length > 0 && <CallTable calls={calls} filters={filters} />}
        {next !== undefined && (
          <p class="entry">
            <button type="button" class="btn" onClick={() => void loadMore()}>
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

type BarProps = { readonly filters: Filters; readonly onSet: (change: Partial<Filters>) => void };

function SearchBar({ filters, onSet }: BarProps) {
  const [text, setText] = useState(filters.text);
  useEffect(() => {
    if (text === filters.text) return undefined;
    const timer = setTimeout(() => onSet({ text }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div class="bar">
      <h1>History</h1>
      <label class="field grow">
        <Icon name="search" />
        <span class="sr">Search in calls and messages</span>
        <input
          id="history-search"
          value={text}
          placeholder="Words, a path, a command"
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <kbd>/</kbd>
      </label>
    </div>
  );
}

const STATES = ["waiting", "running", "done", "failed", "refused", "cancelled", "unknown", "breach"];
const DECIDERS: readonly (readonly [string, string])[] = [
  ["", "Decided by"],
  ["rule", "by rule or mode"],
  ["person", "by you"],
  ["sandbox", "contained"],
  ["nobody", "by nobody"],
];
const DAYS: readonly (readonly [string, string])[] = [
  ["", "All time"],
  ["1", "Last 24 hours"],
  ["7", "Last 7 days"],
  ["30", "Last 30 days"],
];

type FilterProps = BarProps & {
  readonly page: HistoryPage | undefined;
  readonly count: number;
  readonly hasMore: boolean;
};

/** The names that were seen, and the chosen one. */
const choices = (
  first: string,
  all: Iterable<string>,
  chosen: string,
): readonly (readonly [string, string])[] => [
  ["", first],
  ...[...new Set([...all, ...(chosen === "" ? [] : [chosen])])].toSorted().map((one) => [one, one] as const),
];

function FilterBar({ filters, onSet, page, count, hasMore }: FilterProps) {
  const [names, setNames] = useState<{
    readonly agents: ReadonlySet<string>;
    readonly tools: ReadonlySet<string>;
  }>({
    agents: new Set(),
    tools: new Set(),
  });
  useEffect(() => {
    if (!page) return;
    const agents = page.calls.flatMap(({ agent }) => (agent === undefined ? [] : [agent]));
    const tools = page.calls.map(({ tool }) => tool).filter(Boolean);
    setNames((before) => ({
      agents: new Set([...before.agents, ...agents]),
      tools: new Set([...before.tools, ...tools]),
    }));
  }, [page]);
  return (
    <div class="bar wrap filters">
      <Pick
        label="Period"
        value={filters.days}
        options={DAYS}
        isSet={filters.days !== ""}
        onPick={(days) => onSet({ days })}
      />
      <Pick
        label="Agent"
        value={filters.agent}
        options={choices("Agent", names.agents, filters.agent)}
        isSet={filters.agent !== ""}
        onPick={(agent) => onSet({ agent })}
      />
      <Pick
        label="Tool"
        value={filters.tool}
        options={choices("Tool", names.tools, filters.tool)}
        isSet={filters.tool !== ""}
        onPick={(tool) => onSet({ tool })}
      />
      <Pick
        label="Kind"
        value={filters.kind}
        options={choices("Kind", TOOL_KINDS, filters.kind)}
        isSet={filters.kind !== ""}
        onPick={(kind) => onSet({ kind })}
      />
      <Pick
        label="State"
        value={filters.status}
        options={[["", "State"], ...STATES.map((state) => [state, lookOf(state).word] as const)]}
        isSet={filters.status !== ""}
        onPick={(status) => onSet({ status })}
      />
      <Pick
        label="Decided by"
        value={filters.decidedBy}
        options={DECIDERS}
        isSet={filters.decidedBy !== ""}
        onPick={(decidedBy) => onSet({ decidedBy })}
      />
      <PathFilter filters={filters} onSet={onSet} />
      <span class="faint xs end no-phone">
        {page ? `${counted(count, "call")}${hasMore ? " and more" : ""}, ${runTime(page.tookMs)}` : ""}
      </span>
    </div>
  );
}

function PathFilter({ filters, onSet }: BarProps) {
  const [path, setPath] = useState(filters.path);
  const apply = (event: Event): void => {
    event.preventDefault();
    onSet({ path: path.trim() });
  };
  return (
    <form class={filters.path === "" ? "pick" : "pick on"} onSubmit={apply}>
      <input
        class="chip"
        aria-label="Path or pattern"
        placeholder="Path, src/**"
        size={14}
        value={path}
        onInput={(event) => setPath(event.currentTarget.value)}
        onBlur={() => path.trim() !== filters.path && onSet({ path: path.trim() })}
      />
    </form>
  );
}

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
  "command-failed": "Failed",
};

function CallRow({ call, filters }: { readonly call: HistoryCall; readonly filters: Filters }) {
  const { sessionId, toolCallId, at, kind, title, agent, sessionTitle, excerpt, ranMs, breach } = call;
  const status = breach === undefined ? call.status : "breach";
  const isChosen = filters.call === toolCallId && filters.session === sessionId;
  const path = filterPath({ ...filters, call: toolCallId, session: sessionId });
  const line = excerpt && matchedLine(excerpt, title);
  return (
    <tr aria-current={isChosen ? "true" : undefined}>
      <td class="soft">{clockTime(at)}</td>
      <td>
        <StatePill status={status} word={SHORT_WORDS[status] ?? lookOf(status).word} />
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
          <span class="faint">{status === "running" ? "" : "not run"}</span>
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
