/**
 * `fetch` with bounded memory: a body, or one event of an event stream, that exceeds its limit is aborted. The
 * transport handles redirects and stays within the origin.
 */
const MAX_BYTES = 16 * 1024 * 1024;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (!response.body) return response;
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  const { status, statusText, headers } = response;
  const bounded = new Response(response.body.pipeThrough(limit(isStream)), { status, statusText, headers });
  // A response that is made here has no address; redirects and error messages need it.
  Object.defineProperty(bounded, "url", { value: response.url });
  return bounded;
}

function limit(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  let lineIsEmpty = true;
  return new TransformStream({
    transform(chunk, controller) {
      for (const byte of isStream ? chunk : []) {
        size += 1;
        if (byte === NEWLINE) {
          // An empty line ends an event.
          if (lineIsEmpty) size = 0;
          lineIsEmpty = true;
        } else if (byte !== RETURN) lineIsEmpty = false;
      }
      if (!isStream) size += chunk.length;
      if (size > MAX_BYTES) controller.error(new Error("The server's answer is too large."));
      else controller.enqueue(chunk);
    },
  });
}
