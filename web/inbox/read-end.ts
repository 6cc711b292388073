/** Whether the end of what will happen was on the screen. Until then the main button reads on instead of allowing. */
import type { RefObject } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

export function useReadEnd(box: RefObject<HTMLElement | null>, shown: string) {
  const end = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState<string>();
  useEffect(() => {
    if (box.current) box.current.scrollTop = 0;
    const mark = end.current;
    if (!mark) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(shown);
      },
      // The last line counts when it is nearly there.
      { root: box.current, rootMargin: "0px 0px 24px 0px" },
    );
    observer.observe(mark);
    return () => observer.disconnect();
  }, [shown, box]);
  const readOn = useCallback(() => {
    const area = box.current;
    area?.scrollBy({ top: area.clientHeight - 40, behavior: "smooth" });
  }, [box]);
  return { isSeen: seen === shown, end, readOn };
}
