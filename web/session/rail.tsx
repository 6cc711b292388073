/** Beside the session: the plan with its calls, the file that the agent touches, and facts. */
import type { ComponentChildren } from "preact";
import type { PlanEntry } from "toolgate/call";
import type { SessionDetail, SessionEntry } from "toolgate/serve/client";
import { Icon, kindIcon, type IconName } from "../parts/icon.js";
import { lookOf, StatePill, statusOfCard } from "../parts/state.js";
import { Visible } from "../parts/visible.js";
import { sessionPath } from "../route.js";
import { RunningSection } from "./running-commands.js";
import { costText, counted, grouped, inFolder, lastPart, longTime, when } from "../words.js";

type RailProps = {
  readonly detail: SessionDetail;
  readonly entries: readonly SessionEntry[];
  readonly isOpen: boolean;
  readonly isFollowing: boolean;
  readonly onFollow: () => void;
  readonly onClose: () => void;
  /** On a phone: what the bar has no room for. */
  readonly children: ComponentChildren;
};

export function Rail({ detail, entries, isOpen, isFollowing, onFollow, onClose, children }: RailProps) {
  const { plan, touched, sessionId, state } = detail;
  return (
    <aside class={isOpen ? "rail open" : "rail"} aria-label="Plan and facts">
      <div class="row only-narrow">
        <button type="button" class="btn small end" onClick={onClose}>
          <Icon name="close" /> Close
        </button>
      </div>
      <div class="row wrap only-phone">{children}</div>
      {plan.length > 0 && <Plan {...{ plan, entries, sessionId, isAtWork: state === "running" }} />}
      <RunningSection sessionId={sessionId} />
      <section class="sec">
        <h2>
          Follow
          <button
            type="button"
            class={isFollowing ? "chip on end" : "chip end"}
            aria-pressed={isFollowing}
            onClick={onFollow}
          >
            {isFollowing ? "On" : "Off"} <kbd>F</kbd>
          </button>
        </h2>
        {touched.length > 0 && <Touched detail={detail} />}
      </section>
      <Facts detail={detail} />
      <Problems detail={detail} />
    </aside>
  );
}

/** The file that the agent is at, then those before it. */
function Touched({ detail: { touched, folder, sessionId } }: { readonly detail: SessionDetail }) {
  return (
    <ul class="touched" aria-label="Files that the agent touched last">
      {touched.map(({ path, line, toolCallId, kind, isNow }) => (
        <li key={path} aria-current={isNow ? "step" : undefined}>
          <Icon name={kindIcon(kind)} />
          <a href={sessionPath(sessionId, toolCallId)}>
            <code class="anywhere">
              <Visible text={path === folder ? `${lastPart(path)}/` : inFolder(path, folder)} isOneLine />
              {line !== undefined && <span class="faint">:{line}</span>}
            </code>
          </a>
          {isNow && <span class="st st-running xs">now</span>}
        </li>
      ))}
    </ul>
  );
}

const PLAN_ICONS: Readonly<Record<PlanEntry["status"], IconName>> = {
  pending: "pending",
  in_progress: "running",
  completed: "done",
  cancelled: "cancelled",
};

type PlanProps = {
  readonly plan: readonly PlanEntry[];
  readonly entries: readonly SessionEntry[];
  readonly sessionId: string;
  readonly isAtWork: boolean;
};

export function Plan({ plan, entries, sessionId, isAtWork }: PlanProps) {
  const calls = new Map(
    entries.flatMap((entry) => (entry.type === "call" ? [[entry.card.toolCallId, entry] as const] : [])),
  );
  const done = plan.filter(({ status }) => status === "completed").length;
  return (
    <section class="sec">
      <h2>
        Plan{" "}
        <span class="end">
          {done} of {plan.length} done
        </span>
      </h2>
      <ol class="plan">
        {plan.map((item, index) => (
          <li key={index} aria-current={item.status === "in_progress" ? "step" : undefined}>
            <Icon name={PLAN_ICONS[item.status]} turns={isAtWork && item.status === "in_progress"} />
            <span class="anywhere">
              <span class="sr">{item.status.replace("_", " ")}: </span>
              <Visible text={item.content} isProse />
            </span>
            {item.toolCallIds && item.toolCallIds.length > 0 && (
              <span class="links">
                {item.toolCallIds.length > MAX_CHIPS && (
                  <span class="faint xs">
                    … {counted(item.toolCallIds.length - MAX_CHIPS, "earlier call")}
                  </span>
                )}
                {item.toolCallIds.slice(-MAX_CHIPS).map((id) => (
                  <CallChip key={id} id={id} entry={calls.get(id)} sessionId={sessionId} />
                ))}
              </span>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The last calls of an entry that took many. */
const MAX_CHIPS = 24;

type ChipProps = {
  readonly id: string;
  readonly entry: Extract<SessionEntry, { type: "call" }> | undefined;
  readonly sessionId: string;
};

function CallChip({ id, entry, sessionId }: ChipProps) {
  const look = entry && lookOf(statusOfCard(entry.card));
  return (
    <a
      class="chip"
      href={sessionPath(sessionId, id)}
      aria-label={entry ? `Call ${entry.number}, ${look?.word ?? ""}` : id}
    >
      <Icon name={look?.icon ?? "pending"} />
      {entry?.number ?? id.replace("call_", "")}
    </a>
  );
}

function Facts({ detail }: { readonly detail: SessionDetail }) {
  const { agent, door, folder, modeId, model, calls, createdAt, usage, turns } = detail;
  const turn = turns.at(-1);
  const tokens = usage && grouped(usage.inputTokens + usage.outputTokens);
  const facts: readonly (readonly [string, string | undefined])[] = [
    [
      "Agent",
      [agent ?? "unknown", door === "unknown" || door === "page" || door === agent ? "" : door]
        .filter(Boolean)
        .join(", "),
    ],
    ["Folder", folder],
    ["Mode", modeId],
    ["Model", model],
    ["Calls", grouped(calls)],
    [
      "Cost",
      tokens && `${usage.costUsd === undefined ? "" : `${costText(usage.costUsd)}, `}${tokens} tokens`,
    ],
    ["Started", when(createdAt)],
    ["Last turn", turn?.endedAt === undefined ? undefined : longTime(turn.endedAt - turn.startedAt)],
  ];
  return (
    <section class="sec">
      <h2>Session</h2>
      <dl class="kv">
        {facts.map(
          ([name, value]) =>
            value !== undefined &&
            value !== "" && (
              <>
                <dt>{name}</dt>
                <dd>
                  <Visible text={value} isOneLine />
                </dd>
              </>
            ),
        )}
      </dl>
    </section>
  );
}

const PROBLEMS = ["breach", "unknown", "failed", "command-failed", "refused"] as const;

function Problems({ detail }: { readonly detail: SessionDetail }) {
  const found = PROBLEMS.filter((status) => (detail.statuses[status] ?? 0) > 0);
  if (found.length === 0) return null;
  return (
    <section class="sec">
      <h2>Since the start</h2>
      <div class="row wrap">
        {found.map((status) => (
          <StatePill key={status} status={status} word={problemWords(status, detail.statuses[status] ?? 0)} />
        ))}
      </div>
    </section>
  );
}

function problemWords(status: (typeof PROBLEMS)[number], count: number): string {
  if (status === "breach") return counted(count, "breach", "breaches");
  return status === "command-failed" ? counted(count, "non-zero exit") : `${count} ${status}`;
}
