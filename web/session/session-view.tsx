/** One session, live: talk, calls, plan, prompt. Only the entries on the screen are in the document. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import type { SessionDetail, SessionEntry, UndoRequest } from "toolgate/serve/client";
import { errorText } from "../api.js";
import { useKeys } from "../keys.js";
import { me } from "../live.js";
import { Empty, Loading } from "../parts/controls.js";
import { Folder } from "../parts/folder.js";
import { Icon } from "../parts/icon.js";
import { StatePill } from "../parts/state.js";
import { showToast } from "../parts/toast.js";
import { Visible } from "../parts/visible.js";
import { goTo, replayPath } from "../route.js";
import { useStore } from "../store.js";
import { counted } from "../words.js";
import { cancelCall } from "./call-card-view.js";
import { EntryView } from "./entry-view.js";
import { PromptBox } from "./prompt-box.js";
import { Rail } from "./rail.js";
import { RunningCommands, useRunningCommands } from "./running-commands.js";
import { saveSession } from "./save-session.js";
import { stopTurn } from "./stop-turn.js";
import { UndoDialog } from "./undo-dialog.js";
import { useSession } from "./use-session.js";

type SessionProps = { readonly sessionId: string; readonly toolCallId: string | undefined };

export function SessionView({ sessionId, toolCallId }: SessionProps) {
  const { detail, entries, earlier, error, isPrepended, loadEarlier } = useSession(sessionId);
  const commands = useRunningCommands(sessionId, detail?.state);
  if (!detail || !entries)
    return error === undefined ? (
      <Loading what="the session" />
    ) : (
      <Empty icon="unknown" title="This session is not there">
        <p>{errorText(error)}</p>
        <p>
          <a href="/s">All sessions</a>
        </p>
      </Empty>
    );
  return (
    <Folder.Provider value={detail.folder}>
      <RunningCommands.Provider value={commands}>
        <Talk {...{ detail, entries, earlier, isPrepended, loadEarlier, toolCallId }} />
      </RunningCommands.Provider>
    </Folder.Provider>
  );
}

type TalkProps = {
  readonly detail: SessionDetail;
  readonly entries: readonly SessionEntry[];
  readonly earlier: number;
  readonly isPrepended: boolean;
  readonly loadEarlier: () => Promise<void>;
  readonly toolCallId: string | undefined;
};

const PROBLEMS: ReadonlySet<string> = new Set(["breach", "unknown", "failed", "command-failed", "waiting"]);
/** Nearer to the end than this counts as the end. */
const END_PX = 80;

const isProblem = (entry: SessionEntry): boolean => entry.type === "call" && PROBLEMS.has(entry.card.status);

const isAsking = (entry: SessionEntry): boolean => entry.type === "call" && entry.card.question !== undefined;

/** Questions that keep a half-written answer while they are out of sight. */
const MAX_KEPT = 10;

/** The card that has the focus, or one of its parts. */
const focused = (): HTMLElement | null =>
  document.activeElement instanceof HTMLElement ? document.activeElement.closest("[data-call]") : null;

function Talk({ detail, entries, earlier, isPrepended, loadEarlier, toolCallId }: TalkProps) {
  const { sessionId } = detail;
  const list = useRef<VirtualizerHandle>(null);
  const box = useRef<HTMLDivElement>(null);
  const [isFollowing, setFollowing] = useState(toolCallId === undefined);
  /** More than half a screen away from the end. */
  const [isFar, setFar] = useState(false);
  const [isRailOpen, setRailOpen] = useState(false);
  const [undo, setUndo] = useState<Pick<UndoRequest, "turnId" | "toolCallId">>();
  const problem = useRef(-1);

  useEffect(() => {
    // A question stays where it is under the hand of somebody who is about to answer it.
    const isBusy = box.current?.querySelector(".in-card :is(:focus, .acts:hover)") !== null;
    if (isFollowing && !isBusy && entries.length > 0)
      list.current?.scrollToIndex(entries.length - 1, { align: "end" });
  }, [entries, isFollowing]);
  const asking = entries.flatMap((entry, index) => (isAsking(entry) ? [index] : []));
  const show = (index: number): void => {
    setFollowing(false);
    list.current?.scrollToIndex(index, { align: "center" });
    const entry = entries[index];
    if (entry?.type !== "call") return;
    setTimeout(() => document.getElementById(entry.card.toolCallId)?.focus(), 50);
  };
  useEffect(() => {
    const at = entries.findIndex((entry) => entry.type === "call" && entry.card.toolCallId === toolCallId);
    if (toolCallId !== undefined && at !== -1) show(at);
  }, [toolCallId]);

  const onScroll = (offset: number): void => {
    const handle = list.current;
    if (!handle) return;
    const isAtEnd = offset + handle.viewportSize >= handle.scrollSize - END_PX;
    if (isAtEnd !== isFollowing && (isAtEnd || handle.scrollSize > handle.viewportSize))
      setFollowing(isAtEnd);
    setFar(handle.scrollSize - offset > 1.5 * handle.viewportSize);
    if (offset < 600 && earlier > 0) void loadEarlier();
  };
  const nextProblem = (): void => {
    const after = entries.findIndex((entry, index) => index > problem.current && isProblem(entry));
    const at = after === -1 ? entries.findIndex(isProblem) : after;
    problem.current = at;
    if (at === -1) showToast("No problem in what is loaded.");
    else show(at);
  };
  useKeys({
    p: nextProblem,
    f: () => setFollowing(!isFollowing),
    u: () => focused()?.querySelector<HTMLElement>("[data-undo]")?.click(),
    t: () => focused()?.querySelector<HTMLElement>("[data-open]")?.click(),
    j: () => box.current?.scrollBy({ top: 200 }),
    k: () => box.current?.scrollBy({ top: -200 }),
    i: () => goTo("/"),
    escape: () => {
      const call = focused();
      if (call?.dataset["status"] === "running") void cancelCall(sessionId, call.dataset["call"] ?? "");
      else if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    },
  });
  const turn = detail.turns.at(-1);
  return (
    <div class="sess">
      <div class="talk">
        <Bar
          detail={detail}
          onProblem={nextProblem}
          onRail={() => setRailOpen(true)}
          onUndoTurn={turn && (() => setUndo({ turnId: turn.turnId }))}
        />
        <div class="flow-box">
          <div class="flow" ref={box} tabIndex={0} role="log" aria-label="Session" aria-live="off">
            {entries.length === 0 ? (
              <Empty icon="sessions" title="Nothing here yet">
                <p>Write the first prompt below.</p>
              </Empty>
            ) : (
              <Virtualizer
                ref={list}
                data={entries}
                shift={isPrepended}
                onScroll={onScroll}
                scrollRef={box}
                keepMounted={asking.slice(0, MAX_KEPT)}
              >
                {(entry: SessionEntry, index: number) => (
                  <div key={entry.key} class={index === 0 && earlier === 0 ? "first-entry" : ""}>
                    {index === 0 && earlier > 0 && (
                      <p class="entry faint xs">… {counted(earlier, "earlier entry", "earlier entries")}</p>
                    )}
                    <EntryView
                      entry={entry}
                      sessionId={sessionId}
                      onUndo={(id) => setUndo({ toolCallId: id })}
                    />
                  </div>
                )}
              </Virtualizer>
            )}
          </div>
          {!isFollowing && isFar && (
            <button type="button" class="btn small newer" onClick={() => setFollowing(true)}>
              <Icon name="down" /> To the end <kbd>F</kbd>
            </button>
          )}
        </div>
        <PromptBox detail={detail} onUndo={setUndo} />
      </div>
      <Rail
        detail={detail}
        entries={entries}
        isOpen={isRailOpen}
        isFollowing={isFollowing}
        onFollow={() => setFollowing(!isFollowing)}
        onClose={() => setRailOpen(false)}
      />
      {undo && <UndoDialog sessionId={sessionId} wanted={undo} onClose={() => setUndo(undefined)} />}
    </div>
  );
}

type BarProps = {
  readonly detail: SessionDetail;
  readonly onProblem: () => void;
  readonly onRail: () => void;
  readonly onUndoTurn: (() => void) | undefined;
};

function Bar({ detail, onProblem, onRail, onUndoTurn }: BarProps) {
  const { title, state, sessionId, canCancel, turns } = detail;
  const role = useStore(me, (self) => self?.device.role);
  const turn = turns.at(-1);
  return (
    <div class="bar">
      <h1 class="cut">
        <Visible text={title} isOneLine isProse />
      </h1>
      <TurnPill state={state} since={turn?.startedAt} />
      <span class="end row">
        <button type="button" class="btn small no-phone" onClick={onProblem}>
          Next problem <kbd>P</kbd>
        </button>
        {role === "all" && onUndoTurn && state !== "running" && (
          <button type="button" class="btn small no-phone" onClick={onUndoTurn}>
            Undo turn
          </button>
        )}
        {role === "all" && canCancel && (state === "running" || state === "waiting") && (
          <button type="button" class="btn small take" onClick={() => void stopTurn(sessionId)}>
            <span>
              Stop<span class="no-phone"> turn</span>
            </span>
          </button>
        )}
        <a class="btn small no-phone" href={replayPath(sessionId)}>
          Replay
        </a>
        <button type="button" class="btn small no-phone" onClick={() => void saveSession(detail)}>
          Export
        </button>
        <button type="button" class="btn small only-narrow" onClick={onRail}>
          Plan
        </button>
      </span>
    </div>
  );
}

function TurnPill({
  state,
  since,
}: {
  readonly state: SessionDetail["state"];
  readonly since: number | undefined;
}) {
  switch (state) {
    case "running":
      return <StatePill status="running" word="Working" since={since} />;
    case "waiting":
      return <StatePill status="waiting" word="Waits for you" />;
    case "error":
      return <StatePill status="failed" word="Last turn failed" />;
    case "idle":
      return <StatePill status="done" word="Finished" />;
    default:
      return state satisfies never;
  }
}
