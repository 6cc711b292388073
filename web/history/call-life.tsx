/** One call from its announcement to its end, with everything that was recorded. */
import { useState } from "preact/hooks";
import type { ToolCallEvent } from "toolgate/call";
import type { CallDetail, LifeEvent } from "toolgate/serve/client";
import { api, errorText } from "../api.js";
import { me } from "../live.js";
import { Loading } from "../parts/controls.js";
import { useShortPaths } from "../parts/folder.js";
import { Icon, type IconName } from "../parts/icon.js";
import { NotRead } from "../parts/not-read.js";
import { lookOf, StatePill, statusOfCard } from "../parts/state.js";
import { Visible } from "../parts/visible.js";
import { replayPath, sessionPath } from "../route.js";
import { UndoDialog } from "../session/undo-dialog.js";
import { WholeCall } from "../session/whole-call.js";
import { useStore } from "../store.js";
import { useLoaded } from "../use-loaded.js";
import { mergedLife } from "./merged-life.js";
import { clockTime, counted, runTime, sentence } from "../words.js";

type LifeProps = { readonly sessionId: string; readonly toolCallId: string; readonly onClose: () => void };

export function CallLife({ sessionId, toolCallId, onClose }: LifeProps) {
  const { data, error, reload } = useLoaded(() => api.call(sessionId, toolCallId), [sessionId, toolCallId]);
  const [isUndoing, setUndoing] = useState(false);
  const role = useStore(me, (self) => self?.device.role);
  if (!data)
    return (
      <aside aria-label="Life of the call">
        {error === undefined ? (
          <Loading what="the call" />
        ) : (
          <NotRead what="call" error={error} onRetry={reload} />
        )}
      </aside>
    );
  const { card, life, undo } = data;
  const status = statusOfCard(card);
  return (
    <aside aria-label="Life of the call">
      <div class="row wrap">
        <button type="button" class="btn small back" onClick={onClose}>
          <Icon name="back" /> All calls
        </button>
        <StatePill status={status} word={lookOf(status).word} />
        <span class="end row">
          {undo.isPossible && role === "all" && (
            <button type="button" class="btn small" onClick={() => setUndoing(true)}>
              <Icon name="undone" /> Undo
            </button>
          )}
          <button type="button" class="btn small no-phone" onClick={onClose} aria-label="Close">
            <Icon name="close" />
          </button>
        </span>
      </div>
      <h1 class="anywhere">
        <Visible text={card.title} isOneLine />
      </h1>
      <Facts detail={data} />
      <section class="sec">
        <h2>Life of this call</h2>
        <ol class="life">
          {mergedLife(life).map((event, index, all) => (
            <LifeRow key={event.seq} event={event} before={all[index - 1]} next={all[index + 1]} />
          ))}
        </ol>
      </section>
      <section class="sec">
        <h2>As data</h2>
        <WholeCall detail={data} />
        <RawEvents sessionId={sessionId} toolCallId={toolCallId} count={life.length} />
        <div>
          <a class="btn small" href={replayPath(sessionId, toolCallId)}>
            <Icon name="play" /> Replay the session from here
          </a>
        </div>
      </section>
      {isUndoing && (
        <UndoDialog
          sessionId={sessionId}
          wanted={{ toolCallId }}
          onClose={() => {
            setUndoing(false);
            reload();
          }}
        />
      )}
    </aside>
  );
}

function Facts({ detail }: { readonly detail: CallDetail }) {
  const { card, sessionId, toolCallId, undo } = detail;
  const { times, decision } = card;
  const waited = times.waitedMs ?? span(times.asked, times.answered);
  const ran = times.ranMs ?? span(times.started, times.ended);
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Tool", [card.name, card.kind.replace("_", " ")].filter(Boolean).join(", ")],
    ["Decided", decision && sentence(decision.words)],
    ["Reason", decision?.reason],
    [
      "Time",
      [waited !== undefined && `waited ${runTime(waited)}`, ran !== undefined && `ran ${runTime(ran)}`]
        .filter(Boolean)
        .join(", "),
    ],
    [
      "Undo",
      [card.putBack, undo.isPossible ? `${counted(undo.paths.length, "file")} kept` : undo.why]
        .filter(Boolean)
        .join(", "),
    ],
  ];
  return (
    <dl class="kv">
      <dt>Session</dt>
      <dd>
        <a href={sessionPath(sessionId, toolCallId)}>Open it at this call</a>
      </dd>
      {facts.map(
        ([name, value]) =>
          value !== undefined &&
          value !== "" && (
            <>
              <dt>{name}</dt>
              <dd>
                <Visible text={value} />
              </dd>
            </>
          ),
      )}
    </dl>
  );
}

type LifeEventType = ToolCallEvent["type"] | "question-answered" | "question-withdrawn";

const span = (from: number | undefined, to: number | undefined): number | undefined =>
  from === undefined || to === undefined ? undefined : Math.max(0, to - from);

/** A new event of calls does not compile until it has its icon here. */
const ICONS: Readonly<Record<LifeEventType, IconName>> = {
  "call-announced": "branch",
  "input-delta": "edit",
  "input-ready": "edit",
  "question-asked": "waiting",
  "question-answered": "person",
  "question-withdrawn": "withdrawn",
  "call-cleared": "rule",
  "call-refused": "refused",
  "run-started": "running",
  "file-kept": "kept",
  "call-done": "done",
  "call-failed": "failed",
  "call-cancelled": "cancelled",
  "call-unknown": "unknown",
  "call-undone": "undone",
  "call-breached": "breach",
  "terminal-output": "execute",
  // The mark of a failure would stand beside exit code 0 too.
  "terminal-exited": "execute",
  "sandbox-refused": "contained",
  "call-revised": "edit",
  "content-appended": "edit",
  "app-awaited": "waiting",
  "child-awaited": "waiting",
  "child-stepped": "branch",
  "process-started": "execute",
  "cancel-requested": "cancelled",
};

/** A newer server may send others. */
const iconOf = (type: string): IconName =>
  new Map<string, IconName>(Object.entries(ICONS)).get(type) ?? "pending";

const LONG_MS = 5_000;

type RowProps = {
  readonly event: LifeEvent;
  readonly before: LifeEvent | undefined;
  readonly next: LifeEvent | undefined;
};

function LifeRow({ event, before, next }: RowProps) {
  const inProject = useShortPaths();
  const isLong = next !== undefined && next.at - event.at > LONG_MS;
  const at = before === undefined ? clockTime(event.at) : `+${runTime(Math.max(0, event.at - before.at))}`;
  return (
    <li class={isLong ? "long" : ""}>
      <span class="at">{at}</span>
      <Icon name={iconOf(event.type)} />
      <div class="anywhere">
        <Visible text={inProject(sentence(event.words).replace(/\.$/, ""))} />
      </div>
    </li>
  );
}

type RawProps = { readonly sessionId: string; readonly toolCallId: string; readonly count: number };

function RawEvents({ sessionId, toolCallId, count }: RawProps) {
  const [text, setText] = useState<string>();
  const load = (): void => {
    if (text !== undefined) return;
    api.callEvents(sessionId, toolCallId).then(
      ({ events }) => setText(events.map((one) => JSON.stringify(one)).join("\n")),
      (error: unknown) => setText(errorText(error)),
    );
  };
  return (
    <details onToggle={load}>
      <summary class="faint xs">{counted(count, "event")}</summary>
      <pre class="json">
        <Visible text={text ?? "Reading …"} />
      </pre>
    </details>
  );
}
