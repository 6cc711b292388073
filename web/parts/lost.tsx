/** The line above every view while the server does not answer. */
import { useNow } from "../clock.js";
import { live } from "../live.js";
import { useStore } from "../store.js";
import { longTime } from "../words.js";
import { Icon } from "./icon.js";

/** A restart or a change of session takes less than this. */
const QUIET_MS = 1_500;

export function Lost() {
  const connection = useStore(live, (state) => state.connection);
  const now = useNow(connection.type === "lost");
  if (connection.type !== "lost" || now - connection.since < QUIET_MS) return null;
  return (
    <div class="note st-waiting over" role="alert">
      <Icon name="unknown" />
      <span>
        <b>Not connected for {longTime(now - connection.since)}.</b> You see what was last known. Answers are
        not possible until the connection is back; the questions stay. This page tries again by itself.
      </span>
    </div>
  );
}
