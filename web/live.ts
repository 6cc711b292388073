/**
 * The state that every view follows: the inbox, the sessions under way, and the connection. All of it comes from the server's one
 * stream. The page keeps nothing of its own, so a reload or a lost network neither loses nor doubles anything.
 */
import type { LiveFrame, LiveStatus, Me } from "toolgate/serve/client";
import { api, isLoggedOut, problemOf } from "./api.js";
import { readAhead } from "./inbox/question-ahead.js";
import { NOTHING_YET, withFrame, type LiveState } from "./live-state.js";
import { onNetworkSign } from "./on-network-sign.js";
import { notify } from "./notify.js";
import { Store } from "./store.js";

export const live = new Store<LiveState>(NOTHING_YET);

/** `undefined`: not known yet; `null`: not logged in. */
export const me = new Store<Me | null | undefined>(undefined);

export type FollowedSession = {
  readonly session: string;
  readonly after: number;
  readonly call?: string;
  readonly onFrame: (frame: LiveFrame) => void;
};

let followed: FollowedSession | undefined;
let current: AbortController | undefined;

/** Opens the stream, in place of the one before. */
function open(): void {
  current?.abort();
  const controller = new AbortController();
  current = controller;
  void read(controller, followed);
}

async function read(controller: AbortController, session: FollowedSession | undefined): Promise<void> {
  const { signal } = controller;
  const query = session && {
    session: session.session,
    after: session.after,
    ...(session.call !== undefined && { call: session.call }),
  };
  const onStatus = (connection: LiveStatus): void => {
    if (signal.aborted) return;
    const isNew = connection.type === "connected";
    live.update((state) => ({ ...state, connection, connections: state.connections + (isNew ? 1 : 0) }));
  };
  try {
    for await (const frame of api.live({ ...query, signal, onStatus, onRetry: onNetworkSign })) {
      if (signal.aborted) return;
      readAhead(frame);
      live.update((state) => withFrame(state, frame));
      session?.onFrame(frame);
      notify(frame);
    }
  } catch (error) {
    if (signal.aborted) return;
    if (isLoggedOut(error)) me.set(null);
    // The session in the query cannot be followed: its view says so where it is gone, and the rest goes on.
    else if (session && followed === session) {
      if (problemOf(error) === "NOT_FOUND")
        session.onFrame({ type: "session-removed", sessionId: session.session });
      unfollowSession(session);
    } else setTimeout(() => !signal.aborted && open(), 5_000);
  }
}

export function startLive(): void {
  open();
}

export function followSession(session: FollowedSession): void {
  followed = session;
  if (current) open();
}

export function unfollowSession(session: FollowedSession): void {
  if (followed !== session) return;
  followed = undefined;
  if (current) open();
}
