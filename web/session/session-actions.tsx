/** All that can be done with a session as a whole: in its bar, and on a phone in the sheet with its plan. */
import type { SessionDetail } from "toolgate/serve/client";
import { me } from "../live.js";
import { replayPath } from "../route.js";
import { useStore } from "../store.js";
import { saveSession } from "./save-session.js";

type ActionsProps = {
  readonly detail: SessionDetail;
  readonly onProblem: () => void;
  readonly onUndoTurn: (() => void) | undefined;
};

export function SessionActions({ detail, onProblem, onUndoTurn }: ActionsProps) {
  const role = useStore(me, (self) => self?.device.role);
  return (
    <>
      <button type="button" class="btn small" onClick={onProblem}>
        Next problem <kbd>P</kbd>
      </button>
      {role === "all" && onUndoTurn && detail.state !== "running" && (
        <button type="button" class="btn small" onClick={onUndoTurn}>
          Undo turn
        </button>
      )}
      <a class="btn small" href={replayPath(detail.sessionId)}>
        Replay
      </a>
      <button type="button" class="btn small" onClick={() => void saveSession(detail)}>
        Export
      </button>
    </>
  );
}
