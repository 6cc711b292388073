/** The key of this device: where it is kept, and the header that carries it. */

export type KeyStore = {
  readonly get: () => string | undefined;
  /** Forgets it when undefined. */
  readonly set: (key: string | undefined) => void;
};

const NAME = "toolgate.key";
const HEADER = "x-toolgate-key";

/** The browser's storage for this origin; in memory where there is none. */
export function browserKeys(): KeyStore {
  let kept: string | undefined;
  return {
    get: () => kept ?? storage()?.getItem(NAME) ?? undefined,
    set: (key) => {
      kept = key;
      if (key === undefined) storage()?.removeItem(NAME);
      else storage()?.setItem(NAME, key);
    },
  };
}

type KeyStorage = {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
};

/** A browser may forbid a page to store anything, and throws then. */
function storage(): KeyStorage | undefined {
  try {
    // The types of Node do not have it.
    return (globalThis as { readonly localStorage?: KeyStorage }).localStorage;
  } catch {
    return undefined;
  }
}

export function withKey(request: Request, key: string | undefined): Request {
  if (key !== undefined) request.headers.set(HEADER, key);
  return request;
}
