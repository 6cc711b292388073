/** The address of a provider. Only the user's own setting counts: another program's variable must not redirect a key. */
import { oneLine } from "../call/index.js";
import { ModelError } from "./model-error.js";
import type { ModelName } from "./model-name.js";

export function readBaseUrl({ provider }: ModelName, baseUrl: string | undefined): string | undefined {
  if (baseUrl === undefined) {
    if (provider !== "openai-compatible") return undefined;
    throw new ModelError(
      "BASE_URL_NEEDED",
      "An openai-compatible model has no address of its own: name it with --base-url (baseUrl in config.json and in code), for example http://localhost:11434/v1. No model was opened.",
    );
  }
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (
    url &&
    /^https?:$/.test(url.protocol) &&
    url.username === "" &&
    url.password === "" &&
    url.search === ""
  )
    return baseUrl.replace(/\/+$/, "");
  // A name or password in it is not repeated.
  const shown = url ? `${url.protocol}//${url.host}` : baseUrl.replace(/^.*@/, "…@");
  throw new ModelError(
    "BASE_URL_BAD",
    `The base URL (${oneLine(shown, 80)}) cannot be used: it must begin with http:// or https:// and have no user name, password or query in it. No model was opened.`,
  );
}
