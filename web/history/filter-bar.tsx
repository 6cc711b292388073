/** The search field and the filters above the calls of the history. */
import { useEffect, useRef, useState } from "preact/hooks";
import { TOOL_KINDS } from "toolgate/call";
import type { HistoryPage } from "toolgate/serve/client";
import { Pick } from "../parts/controls.js";
import { Icon } from "../parts/icon.js";
import { lookOf } from "../parts/state.js";
import { counted, runTime } from "../words.js";
import { STATES, type Filters } from "./history-query.js";
import { PeriodFilter } from "./period-filter.js";

const TYPING_MS = 250;

type BarProps = { readonly filters: Filters; readonly onSet: (change: Partial<Filters>) => void };

export function SearchBar({ filters, onSet }: BarProps) {
  const [text, setText] = useState(filters.text);
  /** The words that this field asked for last: letters that are typed after them stay. */
  const sent = useRef(filters.text);
  useEffect(() => {
    if (text === filters.text) return undefined;
    const timer = setTimeout(() => {
      sent.current = text;
      onSet({ text });
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  // A link to the history, or "back", takes the words away.
  useEffect(() => {
    if (filters.text === sent.current) return;
    sent.current = filters.text;
    setText(filters.text);
  }, [filters.text]);
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

const DECIDERS: readonly (readonly [string, string])[] = [
  ["", "Decided by"],
  ["rule", "by rule or mode"],
  ["person", "by you"],
  ["sandbox", "contained"],
  ["nobody", "by nobody"],
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

export function FilterBar({ filters, onSet, page, count, hasMore }: FilterProps) {
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
      <PeriodFilter filters={filters} onSet={onSet} />
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
  useEffect(() => setPath(filters.path), [filters.path]);
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
