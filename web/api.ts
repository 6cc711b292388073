/** The one connection to the server that served the page. */
import { ServeClient, ServeError } from "toolgate/serve/client";

export const api = new ServeClient({ baseUrl: location.origin });

/** One sentence for a person: the server's own where it refused. */
export function errorText(error: unknown): string {
  if (isUnreachable(error)) return "The server does not answer.";
  return error instanceof Error ? error.message : String(error);
}

export const isUnreachable = (error: unknown): boolean =>
  error instanceof ServeError && error.code === "UNREACHABLE";

export const problemOf = (error: unknown): string | undefined =>
  error instanceof ServeError ? error.problem : undefined;

export const isLoggedOut = (error: unknown): boolean => error instanceof ServeError && error.status === 401;
