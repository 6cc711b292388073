/** Limits the time and the size of data from the network. */

export type Limit = {
  readonly signal: AbortSignal;
  readonly isTimeUp: () => boolean;
  readonly end: () => void;
};

/** A signal that aborts with `signal`, or when the time is up. `end` it when the work is done. */
export function timeLimited(signal: AbortSignal, milliseconds: number): Limit {
  const limit = new AbortController();
  let isTimeUp = false;
  const cancel = () => limit.abort(signal.reason);
  const timer = setTimeout(() => {
    isTimeUp = true;
    limit.abort();
  }, milliseconds);
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  return {
    signal: limit.signal,
    isTimeUp: () => isTimeUp,
    end: () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
    },
  };
}

export type Body = {
  readonly bytes: Buffer;
  /** The body was larger than the limit, or did not arrive in time. */
  readonly cut?: "size" | "time";
};

/** Reads a body up to its limit. Bytes are counted after decompression. */
export async function readBody(
  body: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
  limit: Limit,
): Promise<Body> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body ?? []) {
      chunks.push(chunk);
      size += chunk.length;
      // Leaving the loop cancels the rest.
      if (size > maxBytes) return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), cut: "size" };
    }
  } catch (error) {
    if (!limit.isTimeUp()) throw error;
    return { bytes: Buffer.concat(chunks), cut: "time" };
  }
  return { bytes: Buffer.concat(chunks) };
}
