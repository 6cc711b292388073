/** Serves the page and its API beside apps, on one port and from one process. */
import { serveBeside } from "../../aap/server/serve-aap.js";
import type { ServeOptions, Serving } from "../../aap/server/serve-aap.js";
import type { Ledger } from "../../call/index.js";
import { SERVE_ENDPOINTS, SERVE_RESPONSES } from "../api/serve-endpoints.js";
import { appSessions } from "./app-sessions.js";
import { openPageServer } from "./page-server.js";
import type { ServeContext } from "./serve-context.js";
import { StaticFiles } from "./static-files.js";

export type PageOptions = Omit<ServeContext, "apps" | "now" | "onError" | "ownUrl" | "questionLifetimeMs"> & {
  /** The built page; without it only the API is served. */
  readonly pageFolder?: string | undefined;
  readonly now?: () => number;
};

export async function servePage(
  agents: Parameters<typeof serveBeside>[0],
  served: ServeOptions & { readonly ledger: Ledger },
  { pageFolder, now = Date.now, ...page }: PageOptions,
): Promise<Serving> {
  const { onError = () => undefined, questionLifetimeMs } = served;
  let listensAt = "";
  const serving = await serveBeside(agents, served, async (server) => {
    const names = new Set(page.agents.map(({ name }) => name));
    const apps = appSessions({ server, ledger: page.ledger, agents: names, onError });
    const opened = await openPageServer(
      { ...page, apps, onError, now, questionLifetimeMs, ownUrl: () => listensAt },
      new StaticFiles(pageFolder),
    );
    return { ...opened, described: { endpoints: SERVE_ENDPOINTS, responses: SERVE_RESPONSES } };
  });
  listensAt = serving.url;
  return serving;
}
