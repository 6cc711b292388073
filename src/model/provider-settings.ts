/** The input of each provider's open function. */
export type ProviderSettings = {
  readonly modelId: string;
  readonly key: string | undefined;
  readonly baseUrl: string | undefined;
};

/** A key goes only to the named address: a redirect counts as a failure. */
export const directFetch: typeof fetch = (input, init) => fetch(input, { ...init, redirect: "manual" });
