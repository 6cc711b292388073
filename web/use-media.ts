/** Whether a media query holds, followed as the window changes. */
import { useEffect, useState } from "preact/hooks";

export function useMedia(query: string): boolean {
  const [isMatching, setMatching] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const follow = (): void => setMatching(list.matches);
    follow();
    list.addEventListener("change", follow);
    return () => list.removeEventListener("change", follow);
  }, [query]);
  return isMatching;
}

export const useIsPhone = (): boolean => useMedia("(max-width: 700px)");
