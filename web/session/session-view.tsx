/** One session, live: talk, calls, plan, prompt. Only the entries on the screen are in the document. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import type { SessionDetail, SessionEntry, SessionTurn, UndoRequest } from "toolgate/serve/client";
import { errorText } from "../api.js";
import { useKeys } from "../keys.js";
import { me } from "../live.js";
import { usePageTitle } from "../page-title.js";
import { Empty, Loading } from "../parts/controls.js";
import { Folder } from "../parts/folder.js";
import { Icon } from "../parts/icon.js";
import { NotRead } from "../parts/not-read.js";
import { StatePill } from "../parts/state.js";
import { showToast } from "../parts/toast.js";
import { Visible } from "../parts/visible.js";
import type { Route } from "../read-route.js";
import { goTo, route } from "../route.js";
import { useStore } from "../store.js";
import { counted } from "../words.js";
import { cancelCall } from "./call-card-view.js";
import { EntryView } from "./entry-view.js";
import { PromptBox } from "./prompt-box.js";
import { Rail } from "./rail.js";
import { RunningCommands, useRunningCommands } from "./running-commands.js";
import { SessionActions } from "./session-actions.js";
import { stopTurn } from "./stop-turn.js";
import { UndoDialog } from "./undo-dialog.js";
import { useFollowing } from "./use-following.js";
import { useSession } from "./use-session.js";

type SessionProps = { readonly sessionId: string; readonly toolCallId: string | undefined };

export function SessionView({ sessionId, toolCallId }: SessionProps) {
  const followed = useSession(sessionId);
  const { detail, entries, error, isDeleted } = followed;
  const commands = useRunningCommands(sessionId, detail?.state);
  usePageTitle(detail?.title);
  if (isDeleted)
    return (
      <Empty icon="unknown" title="This session was deleted">
        <p>Its record is gone, and it takes no prompt.</p>
        <p>
          <a href="/s">All sessions</a>
        </p>
      </Empty>
    );
  if (!detail || !entries)
    return error === undefined ? (
      <Loading what="the session" />
    ) : (
      <NotRead what="session" error={error} onRetry={followed.reload}>
        <p>
          <a href="/s">All sessions</a>
        </p>
      </NotRead>
    );
  return (
    <Folder.Provider value={detail.folder}>
      <RunningCommands.Provider value={commands}>
        <Talk {...followed} {...{ detail, entries, toolCallId }} />
      </RunningCommands.Provider>
    </Folder.Provider>
  );
}

type TalkProps = Pick<
  ReturnType<typeof useSession>,
  "earlier" | "earlierError" | "isPrepended" | "loadEarlier"
> & {
  readonly detail: SessionDetail;
  readonly entries: readonly SessionEntry[];
  readonly toolCallId: string | undefined;
};

const PROBLEMS: ReadonlySet<string> = new Set(["breach", "unknown", "failed", "command-failed", "waiting"]);

const isProblem = (entry: SessionEntry): boolean => entry.type === "call" && PROBLEMS.has(entry.card.status);

const isAsking = (entry: SessionEntry): boolean => entry.type === "call" && entry.card.question !== undefined;

/** The most that the server sends at once. */
const MAX_PAGE = 1_000;

/** Questions that keep a half-written answer while they are out of sight. */
const MAX_KEPT = 10;

/** The card that has the focus, or one of its parts. */
const focused = (): HTMLElement | null =>
  document.activeElement instanceof HTMLElement ? document.activeElement.closest("[data-call]") : null;

function Talk({ detail, entries, toolCallId, ...before }: TalkProps) {
  const { sessionId } = detail;
  const { earlier, earlierError, isPrepended, loadEarlier } = before;
  const list = useRef<VirtualizerHandle>(null);
  const box = useRef<HTMLDivElement>(null);
  const isEmpty = entries.length === 0;
  const { isFollowing, setFollowing, onMoved } = useFollowing(box, {
    isEmpty,
    isFirst: toolCallId === undefined,
  });
  /** More than half a screen away from the end. */
  const [isFar, setFar] = useState(false);
  const [isRailOpen, setRailOpen] = useState(false);
  const [undo, setUndo] = useState<Pick<UndoRequest, "turnId" | "toolCallId">>();
  const problem = useRef(-1);

  const asking = entries.flatMap((entry, index) => (isAsking(entry) ? [index] : []));
  const show = (index: number): void => {
    setFollowing(false);
    // The rail may lie over it.
    setRailOpen(false);
    list.current?.scrollToIndex(index, { align: "center" });
    const entry = entries[index];
    if (entry?.type !== "call") return;
    setTimeout(() => document.getElementById(entry.card.toolCallId)?.focus(), 50);
  };
  // Each click on a link is a route of its own. A call that is not loaded is looked for in the earlier entries.
  const here = useStore(route, (value) => value);
  const shownAt = useRef<Route | undefined>(undefined);
  useEffect(() => {
    if (toolCallId === undefined || shownAt.current === here) return;
    const at = entries.findIndex((entry) => entry.type === "call" && entry.card.toolCallId === toolCallId);
    if (at === -1 && earlier > 0) {
      if (earlierError === undefined) void loadEarlier(MAX_PAGE);
      return;
    }
    shownAt.current = here;
    if (at !== -1) show(at);
    else showToast("That call is not in this session.");
  }, [here, toolCallId, earlier, earlierError]);

  const onScroll = (offset: number): void => {
    const handle = list.current;
    if (!handle) return;
    onMoved();
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
      if (isRailOpen) setRailOpen(false);
      else if (call?.dataset["status"] === "running") void cancelCall(sessionId, call.dataset["call"] ?? "");
      else if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    },
  });
  const turn = detail.turns.at(-1);
  const undoTurn = turn && ((): void => setUndo({ turnId: turn.turnId }));
  /** The sheet would lie over it. */
  const fromRail = (act: () => void) => (): void => {
    setRailOpen(false);
    act();
  };
  return (
    <div class="sess">
      <div class="talk">
        <Bar detail={detail} onProblem={nextProblem} onRail={() => setRailOpen(true)} onUndoTurn={undoTurn} />
        <div class="flow-box">
          <div class="flow" ref={box} tabIndex={0} role="log" aria-label="Session" aria-live="off">
            {isEmpty ? (
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
                    {index === 0 && earlier > 0 && <EarlierRow {...before} />}
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
        <PromptBox detail={detail} onUndo={setUndo} onSent={() => setFollowing(true)} />
      </div>
      <Rail
        detail={detail}
        entries={entries}
        isOpen={isRailOpen}
        isFollowing={isFollowing}
        onFollow={() => setFollowing(!isFollowing)}
        onClose={() => setRailOpen(false)}
      >
        <SessionActions
          detail={detail}
          onProblem={fromRail(nextProblem)}
          onUndoTurn={undoTurn && fromRail(undoTurn)}
        />
      </Rail>
      {undo && <UndoDialog sessionId={sessionId} wanted={undo} onClose={() => setUndo(undefined)} />}
    </div>
  );
}

function EarlierRow({
  earlier,
  earlierError,
  loadEarlier,
}: Pick<TalkProps, "earlier" | "earlierError" | "loadEarlier">) {
  const count = counted(earlier, "earlier entry", "earlier entries");
  if (earlierError === undefined) return <p class="entry faint xs">… {count}</p>;
  return (
    <p class="entry row wrap xs">
      {count} could not be read. {errorText(earlierError)}
      <button type="button" class="btn small" onClick={() => void loadEarlier()}>
        Try again
      </button>
    </p>
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
      <TurnPill state={state} turn={turn} />
      {/* Beside the state: no other button takes its place under the pointer of somebody who clicks twice. */}
      {role === "all" && canCancel && (state === "running" || state === "waiting") && (
        <button type="button" class="btn small take" onClick={() => void stopTurn(sessionId)}>
          <span>
            Stop<span class="no-phone"> turn</span>
          </span>
        </button>
      )}
      <span class="end row">
        <span class="row no-phone">
          <SessionActions {...{ detail, onProblem, onUndoTurn }} />
        </span>
        <button type="button" class="btn small only-narrow" onClick={onRail}>
          <span class="no-phone">Plan</span>
          <span class="only-phone">More</span>
        </button>
      </span>
    </div>
  );
}

type TurnPillProps = {
  readonly state: SessionDetail["state"];
  readonly turn: SessionTurn | undefined;
};

function TurnPill({ state, turn }: TurnPillProps) {
  switch (state) {
    case "running":
      return <StatePill status="running" word="Working" since={turn?.startedAt} />;
    case "waiting":
      return <StatePill status="waiting" word="Waits for you" />;
    case "error":
      return <StatePill status="failed" word="Last turn failed" />;
    case "idle":
      return <IdlePill turn={turn} />;
    default:
      return state satisfies never;
  }
}

/** Only a turn that its agent ended is finished. */
function IdlePill({ turn }: Pick<TurnPillProps, "turn">) {
  if (!turn) return null;
  // Its process is gone.
  if (turn.status !== "stopped") return <StatePill status="cancelled" word="Interrupted" />;
  if (turn.stopReason === "end_turn") return <StatePill status="done" word="Finished" />;
  return <StatePill status="cancelled" word="Stopped" />;
}
