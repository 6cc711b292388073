/**
 * Whether the rule of a wide yes was in sight to its end. Until then the main button reads on: nobody should store a rule
 * that stood below the fold.
 */
import type { RefObject } from "preact";
import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";

export type RuleSight = {
  readonly isSeen: boolean;
  /** Grows when a rule comes into sight that was out of it: a press that was meant to read on must not be a yes. */
  readonly reads: number;
  readonly rule: RefObject<HTMLDivElement | null>;
  readonly readOn: () => void;
};

/** `shown` changes with the rule; undefined where the answer stores none. */
export function useRuleSight(shown: string | undefined): RuleSight {
  const rule = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState<string>();
  const [reads, setReads] = useState(0);
  // Before the browser paints: a rule that is in sight at once has no moment at which it is not.
  useLayoutEffect(() => {
    const area = rule.current?.closest(".opts");
    if (shown === undefined || !area) return undefined;
    const stop = (): void => {
      document.removeEventListener("scroll", look, { capture: true });
      resized.disconnect();
    };
    let looks = 0;
    const look = (): void => {
      if (rule.current && !isEndInSight(rule.current)) {
        looks += 1;
        return;
      }
      setSeen(shown);
      if (looks > 0) setReads((count) => count + 1);
      stop();
    };
    const resized = new ResizeObserver(look);
    document.addEventListener("scroll", look, { passive: true, capture: true });
    for (const part of [area, ...area.children]) resized.observe(part);
    look();
    return stop;
  }, [shown]);
  const readOn = useCallback(() => {
    const area = rule.current?.closest(".opts");
    if (!area || !rule.current) return;
    const below = rule.current.getBoundingClientRect().bottom - area.getBoundingClientRect().bottom;
    const page = area.clientHeight - KEPT_PX;
    if (below > page) area.scrollBy({ top: page, behavior: "smooth" });
    else rule.current.scrollIntoView({ block: "end", behavior: "smooth" });
  }, []);
  return { isSeen: shown === undefined || seen === shown, reads, rule, readOn };
}

/** So much of the page before stays in sight. */
const KEPT_PX = 40;
/** Positions are fractions of a pixel. */
const SLACK_PX = 2;

/** In a card, the list around it cuts the answer off, too. */
function isEndInSight(box: HTMLElement): boolean {
  const end = box.getBoundingClientRect().bottom - SLACK_PX;
  for (let around = box.parentElement; around; around = around.parentElement)
    if (getComputedStyle(around).overflowY !== "visible" && around.getBoundingClientRect().bottom < end)
      return false;
  return end <= innerHeight;
}
