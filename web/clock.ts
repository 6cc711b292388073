/** The current time for texts such as "Waiting 22 s", once a second while somebody looks. */
import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { Store } from "./store.js";

/** The time of a replay: for the entries inside it the clock stands there. */
export const ReplayTime = createContext<number | undefined>(undefined);

const clock = new Store(Date.now());

setInterval(() => {
  if (!document.hidden) clock.set(Date.now());
}, 1_000);
document.addEventListener("visibilitychange", () => clock.set(Date.now()));

export function useNow(isRunning = true): number {
  const [now, setNow] = useState(Date.now());
  const replayed = useContext(ReplayTime);
  useEffect(() => {
    if (!isRunning || replayed !== undefined) return undefined;
    setNow(Date.now());
    return clock.subscribe(() => setNow(clock.value));
  }, [isRunning, replayed === undefined]);
  return replayed ?? now;
}
