/** One session: read once, then followed by the live stream from where the read ended. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { LiveFrame, SessionDetail, SessionEntry } from "toolgate/serve/client";
import { api } from "../api.js";
import { followSession, unfollowSession, type FollowedSession } from "../live.js";
import { EntryList } from "./entry-list.js";

const PAGE = 200;

export type FollowedState = {
  readonly detail: SessionDetail | undefined;
  readonly entries: readonly SessionEntry[] | undefined;
  readonly earlier: number;
  readonly error: unknown;
  /** The last change added entries at the top: the view keeps its place. */
  readonly isPrepended: boolean;
};

const NOTHING: FollowedState = {
  detail: undefined,
  entries: undefined,
  earlier: 0,
  error: undefined,
  isPrepended: false,
};

export function useSession(sessionId: string) {
  const [state, setState] = useState<FollowedState>(NOTHING);
  const list = useRef<EntryList | undefined>(undefined);
  const isLoading = useRef(false);

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
    const onFrame = (live: LiveFrame): void => {
      if (!isCurrent) return;
      if (live.type === "reload") void load();
      else if (live.type === "detail") setState((before) => ({ ...before, detail: live.session }));
      else if (live.type === "entry" || live.type === "message-grew" || live.type === "entry-removed") {
        list.current?.apply(live);
        show();
      } else if (live.type === "session-removed" && live.sessionId === sessionId)
        setState((before) => ({ ...before, error: new Error("This session was deleted.") }));
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
  }, [sessionId]);

  const loadEarlier = useCallback(async () => {
    const first = list.current?.snapshot()[0];
    if (isLoading.current || !first || !list.current || list.current.earlier === 0) return;
    isLoading.current = true;
    try {
      const page = await api.entries(sessionId, { before: first.key, limit: PAGE });
      list.current.prepend(page.entries, page.earlier);
      const entries = list.current.snapshot();
      setState((before) => ({ ...before, entries, earlier: page.earlier, isPrepended: true }));
    } finally {
      isLoading.current = false;
    }
  }, [sessionId]);

  return { ...state, loadEarlier };
}
