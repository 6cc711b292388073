/** How long a replay shows a moment: as long as it was, at its speed, but never so long that one waits for nothing. */
const MIN_PAUSE_MS = 60;
const MAX_PAUSE_MS = 1_500;

export const pauseMs = (tookMs: number, speed: number): number =>
  Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, tookMs / speed));
