/** Amounts, durations and sizes as text for people and models, the same on every machine: no locale is used. */

/** Digits in groups of three: 1,234,567. */
export function grouped(amount: number): string {
  return String(amount).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** An amount with its noun, with plain digits: 1 rule, 2 rules, 1234 rules. */
export function pluralize(amount: number, one: string, many: string = `${one}s`): string {
  return `${amount} ${amount === 1 ? one : many}`;
}

/** An amount with its noun, with grouped digits: 1 line, 1,234 lines. */
export function countOf(amount: number, one: string, many: string = `${one}s`): string {
  return `${grouped(amount)} ${amount === 1 ? one : many}`;
}

/** Undefined when the clocks of two machines disagree, so that the end would be before the start. */
export function durationText(from: number | undefined, to: number | undefined): string | undefined {
  if (from === undefined || to === undefined || !Number.isFinite(to - from) || to < from) return undefined;
  const milliseconds = Math.round(to - from);
  if (milliseconds < 1000) return `${milliseconds} ms`;
  // Rounded down: 59.96 s must not show as 60.0 s, which reads as a minute.
  if (milliseconds < 60_000) return `${(Math.floor(milliseconds / 100) / 10).toFixed(1)} s`;
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1440) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${grouped(Math.floor(minutes / 1440))} d ${Math.floor(minutes / 60) % 24} h`;
}

const UNITS = ["kB", "MB", "GB", "TB"] as const;

/** In the largest unit that the bytes fill. */
export function sizeText(bytes: number): string {
  let size = bytes;
  let unit: string = "B";
  for (const next of UNITS) {
    if (size < 1024) break;
    size /= 1024;
    unit = next;
  }
  // Rounded down, so that a size is never shown as one that a limit would let through or the next unit's.
  const digits = unit === "B" || size >= 100 ? Math.floor(size) : Math.floor(size * 10) / 10;
  return `${digits} ${unit}`;
}
