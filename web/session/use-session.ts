/** One session: read once, then followed by the live stream from where the read ended. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { LiveFrame, SessionDetail, SessionEntry } from "toolgate/serve/client";
import { api } from "../api.js";
import { followSession, live, unfollowSession, type FollowedSession } from "../live.js";
import { useStore } from "../store.js";
import { EntryList } from "./entry-list.js";

const PAGE = 200;

export type FollowedState = {
  readonly detail: SessionDetail | undefined;
  readonly entries: readonly SessionEntry[] | undefined;
  readonly earlier: number;
  readonly error: unknown;
  /** Why the entries before the first one could not be read. */
  readonly earlierError: unknown;
  /** Deleted while it was on the screen. */
  readonly isDeleted: boolean;
  /** The last change added entries at the top: the view keeps its place. */
  readonly isPrepended: boolean;
};

const NOTHING: FollowedState = {
  detail: undefined,
  entries: undefined,
  earlier: 0,
  error: undefined,
  earlierError: undefined,
  isDeleted: false,
  isPrepended: false,
};

export function useSession(sessionId: string) {
  const [state, setState] = useState<FollowedState>(NOTHING);
  const list = useRef<EntryList | undefined>(undefined);
  const isLoading = useRef(false);
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  const hasFailed = state.error !== undefined;
  const connections = useStore(live, (all) => all.connections);
  useEffect(() => {
    if (hasFailed) reload();
  }, [connections]);

  useEffect(() => {
    let isCurrent = true;
    let followed: FollowedSession | undefined;
    let frame = 0;
    /** Many frames between two paints make one render. */
    const show = (): void => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        if (isCurrent && list.current) {
          const { earlier } = list.current;
          const entries = list.current.snapshot();
          setState((before) => ({ ...before, entries, earlier, isPrepended: false }));
        }
      });
    };
    const onFrame = (change: LiveFrame): void => {
      if (!isCurrent) return;
      if (change.type === "reload") void load();
      else if (change.type === "detail") setState((before) => ({ ...before, detail: change.session }));
      else if (change.type === "entry" || change.type === "message-grew" || change.type === "entry-removed") {
        list.current?.apply(change);
        show();
      } else if (change.type === "session-removed" && change.sessionId === sessionId)
        setState({ ...NOTHING, isDeleted: true });
    };
    const load = async (): Promise<void> => {
      try {
        const [detail, page] = await Promise.all([
          api.session(sessionId),
          api.entries(sessionId, { limit: PAGE }),
        ]);
        if (!isCurrent) return;
        list.current = new EntryList(page.entries, page);
        setState({ ...NOTHING, detail, entries: page.entries, earlier: page.earlier });
        if (followed) unfollowSession(followed);
        followed = { session: sessionId, after: page.seq, onFrame };
        followSession(followed);
      } catch (error) {
        if (isCurrent) setState((before) => ({ ...before, error }));
      }
    };
    void load();
    return () => {
      isCurrent = false;
      cancelAnimationFrame(frame);
      if (followed) unfollowSession(followed);
    };
  }, [sessionId, round]);

  const loadEarlier = useCallback(
    async (limit = PAGE) => {
      const into = list.current;
      const first = into?.snapshot()[0];
      if (isLoading.current || !first || !into || into.earlier === 0) return;
      isLoading.current = true;
      try {
        const page = await api.entries(sessionId, { before: first.key, limit });
        // The session was read again meanwhile: between its entries and these, some may be missing.
        if (list.current !== into) return;
        into.prepend(page.entries, page.earlier);
        const entries = into.snapshot();
        setState((before) => ({
          ...before,
          entries,
          earlier: page.earlier,
          isPrepended: true,
          earlierError: undefined,
        }));
      } catch (earlierError) {
        setState((before) => ({ ...before, earlierError }));
      } finally {
        isLoading.current = false;
      }
    },
    [sessionId],
  );

  return { ...state, loadEarlier, reload };
}
