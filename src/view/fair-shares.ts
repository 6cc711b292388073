/** Divides the room: no share exceeds its need, and room that small needs leave goes to the large ones. */
export function fairShares(needs: readonly number[], room: number): readonly number[] {
  const shares = needs.map(() => 0);
  let left = room;
  let waiting = needs.length;
  const smallestFirst = [...needs.entries()].toSorted(([, need], [, other]) => need - other);
  for (const [index, need] of smallestFirst) {
    const share = Math.min(need, Math.floor(left / waiting));
    shares[index] = share;
    left -= share;
    waiting -= 1;
  }
  return shares;
}
