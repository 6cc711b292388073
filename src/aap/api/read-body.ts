/** Reads the body of a request and checks it against its schema. */
import { z } from "zod";
import { AapProblem } from "./aap-problem.js";
import { isTooDeep } from "./is-too-deep.js";

/** Another site's page can make a browser send a form or text without a preflight, but not JSON: so only JSON is read. */
export async function readBody<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
): Promise<z.output<Schema>> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get("content-type") ?? "")) {
    throw new AapProblem("NOT_JSON", 'The content type must be "application/json". Nothing was done.');
  }
  const text = await readText(request);
  if (isTooDeep(text)) throw new AapProblem("BAD_REQUEST", "The body is nested too deep. Nothing was done.");
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new AapProblem("BAD_REQUEST", "The body is not JSON. Nothing was done.");
  }
  return checkedBody(json, schema);
}

export function checkedBody<Schema extends z.ZodType>(json: unknown, schema: Schema): z.output<Schema> {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new AapProblem(
    "BAD_REQUEST",
    `The request is not valid: ${z.prettifyError(parsed.error)}\nNothing was done.`,
  );
}

const MAX_BYTES = 8 * 1024 * 1024;

async function readText(request: Request): Promise<string> {
  const contentLength = Number(request.headers.get("content-length") ?? Number.NaN);
  // Node reads no more than the head says; reading it whole is several times faster than chunk by chunk.
  if (contentLength <= MAX_BYTES) return decoded(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength;
    if (length > MAX_BYTES) {
      throw new AapProblem("TOO_LARGE", `The body has more than ${MAX_BYTES} bytes. Nothing was done.`);
    }
    chunks.push(chunk);
  }
  return decoded(Buffer.concat(chunks));
}

/** A body that is not UTF-8 is refused: decoding would change the text that the app sent. */
function decoded(bytes: ArrayBuffer | Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new AapProblem("BAD_REQUEST", "The body is not UTF-8. Nothing was done.");
  }
}
