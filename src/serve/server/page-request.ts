/** A request of the page's API as its handler gets it, and the parts of the server that handlers use. */
import type { Context } from "hono";
import type { z } from "zod";
import { checkedBody, readBody } from "../../aap/api/read-body.js";
import type { OpenSink } from "../../aap/stream/event-stream.js";
import type { StoredDevice } from "../access/devices.js";
import type { LiveHub } from "../live/live-hub.js";
import type { Notices } from "../notify/open-notices.js";
import type { PageTurns } from "../sessions/page-turns.js";
import type { SessionIndex } from "../sessions/session-index.js";
import type { SessionSummaries } from "../sessions/session-summaries.js";
import type { SessionViews } from "../sessions/session-views.js";
import type { ServeContext } from "./serve-context.js";

/** A checked request. */
export type PageRequest = {
  readonly context: Context<PageEnv>;
  /** Undefined for a program with the server's token. */
  readonly device: StoredDevice | undefined;
  readonly id: string;
};

export type PageEnv = { readonly Bindings: { readonly openSink: OpenSink | undefined } };

export type PageHandler = (request: PageRequest) => Promise<Response>;

/** The parts that handlers use. */
export type PageParts = {
  readonly context: ServeContext;
  readonly index: SessionIndex;
  readonly summaries: SessionSummaries;
  readonly views: SessionViews;
  readonly turns: PageTurns;
  readonly hub: LiveHub;
  readonly notices: Notices;
  /** The address under which other devices reach the page. */
  readonly pageUrl: () => string;
};

export async function bodyOf<Schema extends z.ZodType>(
  { context }: PageRequest,
  schema: Schema,
): Promise<z.output<Schema>> {
  return readBody(context.req.raw, schema);
}

export const queryOf = <Schema extends z.ZodType>(
  { context }: PageRequest,
  schema: Schema,
): z.output<Schema> => checkedBody(context.req.query(), schema);

export const done = (): Response => new Response(null, { status: 204 });

/** The origin that the browser sees: a proxy may add TLS. */
export const originOf = ({ context }: PageRequest): string =>
  context.req.header("origin") ?? new URL(context.req.url).origin;
