/** A scale whose steps people can read: 1, 2 or 5 times a power of ten. */
export function niceSteps(most: number, count = 4): readonly number[] {
  const rough = Math.max(most, 1) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(
    1,
    [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough) ?? rough,
  );
  return Array.from({ length: Math.ceil(Math.max(most, 1) / step) + 1 }, (_, index) => index * step);
}

const DAY_MS = 86_400_000;

/** All days of the period, also those without calls. Days are UTC, as the record counts them. */
export function allDays(
  since: number | undefined,
  days: number,
  known: readonly string[],
): readonly string[] {
  if (since === undefined) return known;
  return Array.from({ length: days }, (_, index) =>
    new Date(since + index * DAY_MS).toISOString().slice(0, 10),
  );
}

export const dayOfMonth = (day: string): string => String(Number(day.slice(8, 10)));
