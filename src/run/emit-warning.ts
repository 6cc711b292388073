/** Reports an error that no caller awaits: the process continues, and its operator can see why something is missing. */
export function emitWarning(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
