/**
 * Does a row of items follow a pattern in which `any` stands for any number of items, also none?
 *
 * Only the last `any` is ever tried again, and each try starts one item later. So for a pattern whose
 * longest run without `any` is L, `same` is asked at most L times per item: never exponential.
 */
export function matchWildcards(
  pattern: readonly string[],
  items: readonly string[],
  { any, same }: { readonly any: string; readonly same: (wanted: string, item: string) => boolean },
): boolean {
  let at = 0;
  let next = 0;
  let lastAny: { readonly at: number; next: number } | undefined;
  for (let item = items[next]; item !== undefined; item = items[next]) {
    const wanted = pattern[at];
    if (wanted === any) {
      lastAny = { at, next };
      at += 1;
      if (at === pattern.length) return true;
    } else if (wanted !== undefined && same(wanted, item)) {
      at += 1;
      next += 1;
    } else {
      if (!lastAny) return false;
      lastAny.next += 1;
      at = lastAny.at + 1;
      next = lastAny.next;
    }
  }
  while (pattern[at] === any) at += 1;
  return at === pattern.length;
}
