/** Durations and sizes as text for people, the same on every machine: no locale is used. */
import { grouped } from "../call/pluralize.js";

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

export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
