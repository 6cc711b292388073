/** Follows the end of a list while the list grows, until a person scrolls up. */
import type { RefObject } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

/** Nearer to the end than this counts as the end. */
const END_PX = 80;
/** A scroll so soon after the wheel or the finger is a person's. */
const HAND_MS = 200;

type Following = {
  readonly isFollowing: boolean;
  readonly setFollowing: (isFollowing: boolean) => void;
  /** Call it at each scroll of the area. */
  readonly onMoved: () => void;
};

export function useFollowing(
  box: RefObject<HTMLElement | null>,
  { isEmpty, isFirst }: { readonly isEmpty: boolean; readonly isFirst: boolean },
): Following {
  const [isFollowing, setShown] = useState(isFirst);
  // Read by the observer below. The state of a render is too late for it: between a scroll and the next render, the observer
  // would pull a person who scrolls up back to the end, which starts to follow again, without an end.
  const follows = useRef(isFirst);
  const last = useRef({ top: 0, height: 0 });
  const handAt = useRef(-HAND_MS);

  const toEnd = useCallback(() => {
    const area = box.current;
    // A question stays where it is under the hand of somebody who is about to answer it.
    if (!area || !follows.current || area.querySelector(".in-card :is(:focus, .acts:hover)") !== null) return;
    area.scrollTop = area.scrollHeight;
  }, []);
  const setFollowing = useCallback((next: boolean) => {
    follows.current = next;
    // A wheel before a button "to the end" is over: what scrolls next is the list that shrinks.
    if (next) handAt.current = -HAND_MS;
    setShown(next);
    toEnd();
  }, []);
  const onMoved = useCallback(() => {
    const area = box.current;
    if (!area) return;
    const moved = area.scrollTop - last.current.top;
    const isResized = area.scrollHeight !== last.current.height;
    last.current = { top: area.scrollTop, height: area.scrollHeight };
    const isAtEnd = area.scrollTop + area.clientHeight >= area.scrollHeight - END_PX;
    const isByHand = performance.now() - handAt.current < HAND_MS;
    // A card that grows or shrinks scrolls too: the list keeps what is in sight in its place.
    if (moved > 0 && isAtEnd && !follows.current) setFollowing(true);
    else if (moved < 0 && follows.current && (isByHand || (!isAtEnd && !isResized))) setFollowing(false);
  }, []);

  useEffect(() => {
    const area = box.current;
    if (!area) return undefined;
    // A card grows again when its question arrives, and the list does not scroll by itself then.
    const sizes = new ResizeObserver(toEnd);
    for (const one of [area, ...area.children]) sizes.observe(one);
    const onHand = (): void => void (handAt.current = performance.now());
    for (const type of HAND) area.addEventListener(type, onHand, { passive: true });
    return () => {
      sizes.disconnect();
      for (const type of HAND) area.removeEventListener(type, onHand);
    };
  }, [isEmpty]);
  return { isFollowing, setFollowing, onMoved };
}

const HAND = ["wheel", "touchmove"] as const;
