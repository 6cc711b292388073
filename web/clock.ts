/** The current time for texts such as "Waiting 22 s", once a second while somebody looks. */
import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { Store } from "./store.js";

/** The time of a replay: for the entries inside it the clock stands there. */
export const ReplayTime = createContext<number | undefined>(undefined);

/** Ticks come a little early or late. */
const SLACK_MS = 200;

const clock = new Store(Date.now());

setInterval(() => {
  if (!document.hidden) clock.set(Date.now());
}, 1_000);
document.addEventListener("visibilitychange", () => clock.set(Date.now()));

/** `stepMs`: how often the component is rendered again at most; at each tick unless given. */
export function useNow(isRunning = true, stepMs = 0): number {
  const [now, setNow] = useState(Date.now());
  const replayed = useContext(ReplayTime);
  useEffect(() => {
    if (!isRunning || replayed !== undefined) return undefined;
    let shownAt = Date.now();
    setNow(shownAt);
    return clock.subscribe(() => {
      if (clock.value - shownAt < stepMs - SLACK_MS) return;
      shownAt = clock.value;
      setNow(shownAt);
    });
  }, [isRunning, stepMs, replayed === undefined]);
  return replayed ?? now;
}
