/** A number of bytes, for people and models. */

const UNITS = ["kB", "MB", "GB", "TB"] as const;

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
