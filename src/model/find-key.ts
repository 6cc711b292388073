/** Finds a provider's key: an option, its own variable, or the key file. Never uses another provider's key. */
import { keyFromFile } from "./key-file.js";
import { ModelError } from "./model-error.js";
import type { ModelName, ProviderName } from "./model-name.js";

export type KeyOptions = {
  readonly apiKey?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly keyFile?: string;
};

export type FoundKey = {
  readonly key: string | undefined;
  /** Names the place where a person can change it. */
  readonly place: string;
};

const VARIABLES: ReadonlyMap<ProviderName, readonly string[]> = new Map([
  ["anthropic", ["ANTHROPIC_API_KEY"]],
  ["openai", ["OPENAI_API_KEY"]],
  ["google", ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"]],
]);

export async function findKey(name: ModelName, options: KeyOptions): Promise<FoundKey> {
  const { apiKey, env = process.env, keyFile } = options;
  const { provider } = name;
  if (apiKey !== undefined) return { key: checked(apiKey, "given"), place: "the key that was given" };
  const variables = VARIABLES.get(provider) ?? ownVariables(name);
  for (const variable of variables) {
    const value = env[variable];
    if (value !== undefined && value.trim() !== "")
      return { key: checked(value, `in ${variable}`), place: variable };
  }
  const stored = keyFile === undefined ? undefined : await keyFromFile(keyFile, provider);
  if (stored !== undefined && keyFile !== undefined)
    return { key: checked(stored, `for ${provider} in ${keyFile}`), place: keyFile };
  const place = variables.join(" or ");
  // Most self-hosted servers need no key.
  if (provider === "openai-compatible") return { key: undefined, place };
  const orFile = keyFile === undefined ? "" : `, or put {"${provider}": "…"} into ${keyFile} (mode 0600)`;
  throw new ModelError(
    "KEY_MISSING",
    `There is no key for ${provider}: set ${place}${orFile}. No model was opened.`,
  );
}

export type ProviderKey = {
  readonly provider: ProviderName;
  readonly isSet: boolean;
  /** The places where the key is, or can be set. */
  readonly place: string;
};

/** The providers that have a key; never the keys themselves. A key file that cannot be used has none. */
export async function providerKeys({
  env = process.env,
  keyFile,
}: KeyOptions): Promise<readonly ProviderKey[]> {
  return Promise.all(
    [...VARIABLES].map(async ([provider, variables]) => {
      const variable = variables.find((name) => (env[name] ?? "").trim() !== "");
      if (variable !== undefined) return { provider, isSet: true, place: variable };
      const stored =
        keyFile === undefined ? undefined : await keyFromFile(keyFile, provider).catch(() => undefined);
      return stored === undefined
        ? { provider, isSet: false, place: variables.join(" or ") }
        : { provider, isSet: true, place: keyFile ?? "" };
    }),
  );
}

/** For `openai-compatible/deepseek-chat`: `TOOLGATE_MODEL_KEY`, else `DEEPSEEK_CHAT_API_KEY`. */
function ownVariables({ modelId }: ModelName): readonly string[] {
  const own = modelId
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
  return ["TOOLGATE_MODEL_KEY", ...(own === "" ? [] : [`${own}_API_KEY`])];
}

/** A key becomes a header line. An invalid one must fail here: the HTTP client would quote it in its error. */
function checked(value: string, where: string): string {
  const key = value.trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new ModelError(
    "KEY_BAD",
    `The key ${where} is empty or has characters in it that no key has (a space, a line end, a letter with an accent). No model was opened; copy it again.`,
  );
}
