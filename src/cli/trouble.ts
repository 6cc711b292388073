/** What a person is told when a command fails: the words of an error that has some, all of an error that is a bug. */
export function troubleText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error ? error.message : (error.stack ?? error.message);
}
