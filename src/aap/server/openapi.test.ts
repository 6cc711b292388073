import { Hono } from "hono";
import { expect, test } from "vitest";
import { MemoryLedger } from "../../history/index.js";
import { FlushTimer } from "../../record/index.js";
import { LocalWorkspace } from "../../tools/index.js";
import { sealing } from "../server-context.js";
import type { ServerContext } from "../server-context.js";
import { openApi } from "../api/openapi.js";
import { operatorRoutes } from "./operator-routes.js";
import { addRoutes } from "./add-routes.js";
import type { AapEnv } from "./add-routes.js";
import { TurnEngine } from "../turns/turn-engine.js";

async function server(): Promise<ServerContext> {
  return {
    agents: new Map(),
    ledger: new MemoryLedger(),
    workspace: await LocalWorkspace.open(import.meta.dirname),
    flushTimer: new FlushTimer(),
    trustable: () => false,
    questionLifetimeMs: undefined,
    isRedacted: false,
    redactPatterns: [],
    onError: () => undefined,
    now: Date.now,
    ...sealing(new Uint8Array(32)),
  };
}

/** The routes of the router, and the routes beside it. */
async function routes(): Promise<readonly string[]> {
  const app = new Hono<AapEnv>();
  const given = await server();
  const turns = new TurnEngine(given);
  const outlookOf = async () => ({ liveness: "live", resumes: "here" }) as const;
  addRoutes(app, { server: given, turns, version: "1.2.3", outlookOf });
  const own = [
    ...operatorRoutes(undefined, { metrics: async () => "", readiness: async () => undefined }).keys(),
    "/healthz",
  ].map((path) => `get ${path}`);
  return [
    ...app.routes.map(
      ({ method, path }) => `${method.toLowerCase()} ${path.replace(/:(\w+)(?:\{[^}]*\})?/g, "{$1}")}`,
    ),
    ...own,
  ].toSorted();
}

test("describes every route, and no other", async () => {
  const { paths } = openApi() as { paths: Record<string, Record<string, unknown>> };
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  const there = await routes();
  expect(there).toHaveLength(17);
  expect(described.toSorted()).toEqual(there);
});
