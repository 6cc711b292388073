/**
 * Lists a server's tools. Each tool is read on its own, leniently: an invalid tool must not hide the others. The
 * number of pages is bounded.
 */
import type { Client } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { ReportProblem } from "./bounded-problems.js";

const MAX_PAGES = 50;
const MAX_TOOLS = 1000;

const pageSchema = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });

export type ListOptions = {
  readonly timeout: number;
  readonly signal: AbortSignal;
  readonly onProblem: ReportProblem;
};

export async function listTools(
  client: Client,
  { timeout, signal, onProblem }: ListOptions,
): Promise<readonly unknown[]> {
  if (!client.getServerCapabilities()?.tools) return [];
  const listed: unknown[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && listed.length < MAX_TOOLS; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = await client.request({ method: "tools/list", params }, pageSchema, {
      timeout,
      signal,
    });
    listed.push(...tools.slice(0, MAX_TOOLS - listed.length));
    if (nextCursor === undefined || nextCursor === null || cursors.has(nextCursor)) return listed;
    cursors.add(nextCursor);
    cursor = nextCursor;
  }
  onProblem(
    `its list of tools does not end. The first ${listed.length} are available; the rest is left out.`,
  );
  return listed;
}
