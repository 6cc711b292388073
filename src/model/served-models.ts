/** The models that a server with OpenAI's API names. None where it does not answer, or answers with something else. */
import { findKey } from "./find-key.js";
import type { KeyOptions } from "./find-key.js";
import { isModelId, readModelName } from "./model-name.js";

const TIMEOUT_MS = 2_000;
const MAX_MODELS = 200;
const MAX_NAME_LENGTH = 200;

/** `model`: one that the server is known by, whose key is sent. */
export async function servedModels(
  model: string,
  baseUrl: string,
  keys: KeyOptions,
): Promise<readonly string[]> {
  try {
    const name = readModelName(model);
    const { key } = await findKey(name, keys);
    const response = await fetch(`${baseUrl.replace(/\/+$/, "")}/models`, {
      // A key goes to the address that was named, and to no other.
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    });
    if (!response.ok) return [];
    const body: unknown = await response.json();
    return idsIn(body).map((id) => `${name.provider}/${id}`);
  } catch {
    return [];
  }
}

function idsIn(body: unknown): readonly string[] {
  if (typeof body !== "object" || body === null || !("data" in body) || !Array.isArray(body.data)) return [];
  const ids = body.data.flatMap((one: unknown) =>
    typeof one === "object" && one !== null && "id" in one && typeof one.id === "string" ? [one.id] : [],
  );
  return ids.filter((id) => isModelId(id) && id.length <= MAX_NAME_LENGTH).slice(0, MAX_MODELS);
}
