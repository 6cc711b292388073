/** The routes for the operator of a server, beside its health, which the HTTP door answers by itself. */
import { OPERATOR_ENDPOINTS } from "../api/endpoints.js";
import { openApi } from "../api/openapi.js";
import type { MoreEndpoints } from "../api/openapi.js";

type Handler = () => Promise<Response>;

const PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

/** By their paths. */
export function operatorRoutes(
  version: string | undefined,
  metrics: () => Promise<string>,
  more?: MoreEndpoints,
): ReadonlyMap<string, Handler> {
  const { getMetrics, getOpenApi } = OPERATOR_ENDPOINTS;
  return new Map<string, Handler>([
    [getMetrics.path, async () => new Response(await metrics(), { headers: { "content-type": PROMETHEUS } })],
    [getOpenApi.path, async () => Response.json(openApi(version, more))],
  ]);
}
