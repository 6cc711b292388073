/** The code of a system error, such as ENOENT; undefined for anything else that was thrown. */
export function errorCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !("code" in thrown)) return undefined;
  return typeof thrown.code === "string" ? thrown.code : undefined;
}
