/** The routes for the operator of a server, beside its health, which the HTTP door answers by itself. */
import { OPERATOR_ENDPOINTS } from "../api/endpoints.js";
import { openApi } from "../api/openapi.js";
import type { MoreEndpoints } from "../api/openapi.js";

/** Why the server takes no new turns; undefined when it does. */
export type Readiness = () => Promise<string | undefined>;

type Handler = () => Promise<Response>;

const PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

/** By their paths. */
export function operatorRoutes(
  version: string | undefined,
  { metrics, readiness }: { readonly metrics: () => Promise<string>; readonly readiness: Readiness },
  more?: MoreEndpoints,
): ReadonlyMap<string, Handler> {
  const { getReadiness, getMetrics, getOpenApi } = OPERATOR_ENDPOINTS;
  const isReady = async () => {
    const why = await readiness();
    return new Response(`${why ?? "ready"}\n`, {
      status: why === undefined ? 200 : 503,
      headers: { "content-type": "text/plain" },
    });
  };
  return new Map<string, Handler>([
    [getReadiness.path, isReady],
    [getMetrics.path, async () => new Response(await metrics(), { headers: { "content-type": PROMETHEUS } })],
    [getOpenApi.path, async () => Response.json(openApi(version, more))],
  ]);
}
