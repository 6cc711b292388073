/** A session as it was, moment by moment: nothing here can be answered or undone. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import type { ReplayMoment, ReplayQuery, SessionEntry } from "toolgate/serve/client";
import { api } from "../api.js";
import { ReplayTime } from "../clock.js";
import { useKeys } from "../keys.js";
import { Loading, Pick } from "../parts/controls.js";
import { NotRead } from "../parts/not-read.js";
import { Folder } from "../parts/folder.js";
import { Icon } from "../parts/icon.js";
import { Visible } from "../parts/visible.js";
import { sessionPath } from "../route.js";
import { EntryView } from "../session/entry-view.js";
import { Plan } from "../session/rail.js";
import { useLoaded } from "../use-loaded.js";
import { clockTime, counted, grouped, longTime, when } from "../words.js";
import { useReplay, type Replay } from "./use-replay.js";

const SPEEDS: readonly (readonly [string, string])[] = [
  ["1", "As it was"],
  ["4", "4 times as fast"],
  ["16", "16 times as fast"],
];

type ReplayProps = { readonly sessionId: string; readonly search: string };

export function ReplayView({ sessionId, search }: ReplayProps) {
  const session = useLoaded(() => api.session(sessionId), [sessionId]);
  const detail = session.data;
  const [speed, setSpeed] = useState("4");
  const replay = useReplay(sessionId, firstMoment(search), Number(speed));
  const { shown, error, isPlaying, setPlaying, goTo } = replay;
  const step = (by: number) => () => {
    setPlaying(false);
    if (shown) goTo(Math.min(shown.moments, shown.moment + by));
  };
  const play = (): void => {
    // At the end there is nothing left to play: it begins again.
    if (!isPlaying && shown && shown.moment >= shown.moments) goTo(1);
    setPlaying(!isPlaying);
  };
  useKeys({ p: play, j: step(1), k: step(-1), arrowright: step(1), arrowleft: step(-1) });
  if (!shown || !detail) {
    const why = error ?? session.error;
    const retry = (): void => {
      session.reload();
      replay.reload();
    };
    return why === undefined ? (
      <Loading what="the record" />
    ) : (
      <NotRead what="session" error={why} onRetry={retry} />
    );
  }
  return (
    <Folder.Provider value={detail.folder}>
      <ReplayTime.Provider value={shown.at}>
        <div class="sess">
          <div class="talk replay">
            <div class="bar">
              <h1 class="cut">
                <Visible text={detail.title} isOneLine />
              </h1>
              <span class="st st-undone pill">
                <Icon name="history" /> Replay
              </span>
              <span class="end row">
                <Pick label="Speed" value={speed} options={SPEEDS} onPick={setSpeed} />
                <a class="btn small" href={sessionPath(sessionId)}>
                  As it is now
                </a>
              </span>
            </div>
            <Moments shown={shown} replay={replay} onPlay={play} onStep={step} />
            <Entries entries={shown.entries} earlier={shown.earlier} sessionId={sessionId} />
          </div>
          <aside class="rail" aria-label="The plan as it was">
            {shown.plan.length > 0 && (
              <Plan plan={shown.plan} entries={shown.entries} sessionId={sessionId} isAtWork={isPlaying} />
            )}
            <section class="sec">
              <h2>This moment</h2>
              <dl class="kv">
                <dt>Time</dt>
                <dd>{when(shown.at)}</dd>
                <dt>Since the start</dt>
                <dd>{longTime(shown.at - shown.startedAt)}</dd>
                <dt>Event</dt>
                <dd>{shown.seq}</dd>
              </dl>
            </section>
          </aside>
        </div>
      </ReplayTime.Provider>
    </Folder.Provider>
  );
}

/** `?call=call_3` starts where that call was announced, `?moment=7` at a moment; else the replay starts at its beginning. */
function firstMoment(search: string): Partial<ReplayQuery> {
  const query = new URLSearchParams(search);
  const call = query.get("call");
  if (call !== null) return { call };
  const moment = Number(query.get("moment"));
  return { moment: Number.isInteger(moment) && moment > 0 ? moment : 1 };
}

type MomentsProps = {
  readonly shown: ReplayMoment;
  readonly replay: Replay;
  readonly onPlay: () => void;
  readonly onStep: (by: number) => () => void;
};

function Moments({ shown, replay, onPlay, onStep }: MomentsProps) {
  const { moment, moments, at, words } = shown;
  const { isPlaying, setPlaying, goTo } = replay;
  return (
    <div class="moments">
      <div class="row">
        <button
          type="button"
          class="btn small"
          onClick={onStep(-1)}
          disabled={moment === 1}
          aria-label="Step back"
        >
          <Icon name="back" />
        </button>
        <button type="button" class="btn small take" onClick={onPlay}>
          <Icon name={isPlaying ? "pause" : "play"} />
          {isPlaying ? "Pause" : "Play"} <kbd>P</kbd>
        </button>
        <button
          type="button"
          class="btn small"
          onClick={onStep(1)}
          disabled={moment === moments}
          aria-label="Step forward"
        >
          <Icon name="forward" />
        </button>
        <input
          type="range"
          class="grow"
          min={1}
          max={moments}
          value={moment}
          style={{ "--done": `${moments > 1 ? (100 * (moment - 1)) / (moments - 1) : 100}%` }}
          aria-label="Moment of the session"
          aria-valuetext={`${moment} of ${moments}, ${clockTime(at)}`}
          onInput={(event) => {
            setPlaying(false);
            goTo(Number(event.currentTarget.value));
          }}
        />
        <span class="faint xs num">
          {grouped(moment)} of {grouped(moments)}
        </span>
      </div>
      <p class="cut" role="status">
        <span class="faint num">{clockTime(at)}</span> <Visible text={words} isOneLine />
      </p>
    </div>
  );
}

type EntriesProps = {
  readonly entries: readonly SessionEntry[];
  readonly earlier: number;
  readonly sessionId: string;
};

const nothing = (): void => undefined;

function Entries({ entries, earlier, sessionId }: EntriesProps) {
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  useEffect(() => {
    if (entries.length > 0) list.current?.scrollToIndex(entries.length - 1, { align: "end" });
  }, [entries]);
  return (
    <div class="flow-box">
      <div class="flow" ref={box} tabIndex={0} role="log" aria-label="Session as it was" aria-live="off">
        <Virtualizer ref={list} data={entries} scrollRef={box}>
          {(entry: SessionEntry, index: number) => (
            <div key={entry.key} class={index === 0 ? "first-entry" : ""}>
              {index === 0 && earlier > 0 && (
                <p class="entry faint xs">… {counted(earlier, "earlier entry", "earlier entries")}</p>
              )}
              <EntryView entry={entry} sessionId={sessionId} onUndo={nothing} />
            </div>
          )}
        </Virtualizer>
      </div>
    </div>
  );
}
