/** What whoever operates a server reads from it, beside its health, which the door tells by itself. */
import { openApi } from "../api/openapi.js";

type Answer = () => Promise<Response>;

const PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

/** By their paths. */
export function operations(
  version: string | undefined,
  figures: () => Promise<string>,
): ReadonlyMap<string, Answer> {
  return new Map<string, Answer>([
    ["/metrics", async () => new Response(await figures(), { headers: { "content-type": PROMETHEUS } })],
    ["/openapi.json", async () => Response.json(openApi(version))],
  ]);
}
