/**
 * Whether the part that a person decides on was on the screen whole. Until then the main button reads on instead of
 * allowing. `isMoreBelow`: there is something below the fold; `partsBelow`: so many parts of the command.
 */
import type { RefObject } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

export type ReadEnd = {
  readonly isSeen: boolean;
  readonly isMoreBelow: boolean;
  readonly partsBelow: number;
  readonly end: RefObject<(HTMLLIElement & HTMLDivElement) | null>;
  readonly readOn: () => void;
};

const NEAR_PX = 24;

export function useReadEnd(box: RefObject<HTMLElement | null>, shown: string): ReadEnd {
  const end = useRef<HTMLLIElement & HTMLDivElement>(null);
  const [seen, setSeen] = useState<string>();
  const [isMoreBelow, setMoreBelow] = useState(false);
  const [partsBelow, setPartsBelow] = useState(0);
  useEffect(() => {
    const area = box.current;
    if (!area) return undefined;
    area.scrollTop = 0;
    const look = (): void => {
      setMoreBelow(area.scrollHeight - area.scrollTop - area.clientHeight > NEAR_PX);
      const mark = end.current?.getBoundingClientRect();
      const bottom = Math.min(area.getBoundingClientRect().bottom, innerHeight) + NEAR_PX;
      if (mark && mark.bottom <= bottom) setSeen(shown);
      const parts = [...area.querySelectorAll(".part")];
      setPartsBelow(parts.filter((part) => part.getBoundingClientRect().bottom > bottom).length);
    };
    look();
    // The area scrolls, or a list in which it stands.
    document.addEventListener("scroll", look, { passive: true, capture: true });
    const resized = new ResizeObserver(look);
    resized.observe(area);
    for (const child of area.children) resized.observe(child);
    return () => {
      document.removeEventListener("scroll", look, { capture: true });
      resized.disconnect();
    };
  }, [shown, box]);
  const readOn = useCallback(() => {
    const area = box.current;
    if (!area) return;
    const isAtEnd = area.scrollHeight - area.scrollTop - area.clientHeight < 2;
    if (isAtEnd) end.current?.scrollIntoView({ block: "end", behavior: "smooth" });
    else area.scrollBy({ top: area.clientHeight - 40, behavior: "smooth" });
  }, [box]);
  return { isSeen: seen === shown, isMoreBelow, partsBelow, end, readOn };
}
