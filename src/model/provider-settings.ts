/** What each provider's file is given to open a model of it. */
export type ProviderSettings = {
  readonly modelId: string;
  readonly key: string | undefined;
  readonly baseUrl: string | undefined;
};

/** A key goes to the address that was named and to no other: a redirect is an answer like any other failure. */
export const directFetch: typeof fetch = (input, init) => fetch(input, { ...init, redirect: "manual" });
