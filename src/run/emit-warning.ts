/** Reports an error that nobody waits for: the process goes on, and whoever watches it can see why something is missing. */
export function emitWarning(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
