/** A call's state as icon, word and colour. */
import type { CallCard, CardStatus } from "toolgate/view";
import { useNow } from "../clock.js";
import { longTime, runTime } from "../words.js";
import { Icon, type IconName } from "./icon.js";

type StateLook = { readonly icon: IconName; readonly word: string; readonly tone: string };

type ShownStatus = CardStatus | "partly-undone";

const LOOKS: Readonly<Record<ShownStatus, StateLook>> = {
  drafting: { icon: "edit", word: "Being written", tone: "running" },
  ready: { icon: "pending", word: "Being checked", tone: "running" },
  waiting: { icon: "waiting", word: "Waiting", tone: "waiting" },
  cleared: { icon: "pending", word: "Allowed", tone: "running" },
  running: { icon: "running", word: "Running", tone: "running" },
  done: { icon: "done", word: "Done", tone: "done" },
  failed: { icon: "failed", word: "Failed", tone: "failed" },
  refused: { icon: "refused", word: "Refused", tone: "refused" },
  cancelled: { icon: "cancelled", word: "Cancelled", tone: "cancelled" },
  unknown: { icon: "unknown", word: "Outcome unknown", tone: "unknown" },
  "command-failed": { icon: "exit", word: "Failed", tone: "failed" },
  undone: { icon: "undone", word: "Undone", tone: "undone" },
  "partly-undone": { icon: "undone", word: "Partly undone", tone: "undone" },
  breach: { icon: "breach", word: "Breach: it ran", tone: "breach" },
};

/** A call of which some changes were put back is done, and its files say something else. */
export const statusOfCard = ({ status, putBack }: Pick<CallCard, "status" | "putBack">): ShownStatus =>
  status === "done" && putBack !== undefined ? "partly-undone" : status;

/** A status that this page does not know yet is shown as it is called. */
export const lookOf = (status: string): StateLook =>
  Object.hasOwn(LOOKS, status)
    ? LOOKS[status as ShownStatus] // `hasOwn` has just shown that it is one.
    : { icon: "pending", word: status, tone: "refused" };

type PillProps = { readonly status: string; readonly word?: string; readonly since?: number | undefined };

/** `since`: it counts the time in this state. */
export function StatePill({ status, word, since }: PillProps) {
  const look = lookOf(status);
  const now = useNow(since !== undefined);
  const isRunning = status === "running";
  const time = since === undefined ? "" : ` ${isRunning ? runTime(now - since) : longTime(now - since)}`;
  return (
    <span class={`st st-${look.tone} pill`}>
      <Icon name={look.icon} turns={isRunning} />
      {word ?? look.word}
      {time}
    </span>
  );
}

export function Verdict({ verdict }: { readonly verdict: "allowed" | "asks" | "denied" }) {
  const [tone, icon, word] = VERDICTS[verdict];
  return (
    <span class={`st st-${tone}`}>
      <Icon name={icon} />
      {word}
    </span>
  );
}

const VERDICTS: Readonly<Record<"allowed" | "asks" | "denied", readonly [string, IconName, string]>> = {
  allowed: ["done", "done", "Allowed"],
  asks: ["waiting", "waiting", "Asks"],
  denied: ["failed", "refused", "Denied"],
};
