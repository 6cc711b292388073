/** The current time for texts such as "Waiting 22 s", once a second while somebody looks. */
import { useEffect, useState } from "preact/hooks";
import { Store } from "./store.js";

const clock = new Store(Date.now());

setInterval(() => {
  if (!document.hidden) clock.set(Date.now());
}, 1_000);
document.addEventListener("visibilitychange", () => clock.set(Date.now()));

export function useNow(isRunning = true): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!isRunning) return undefined;
    setNow(Date.now());
    return clock.subscribe(() => setNow(clock.value));
  }, [isRunning]);
  return now;
}
