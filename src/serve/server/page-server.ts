/** The page's API as a function from requests to responses. Each request needs a device with the right role. */
import { Hono } from "hono";
import { AapProblem, problemOf, problemResponse } from "../../aap/api/aap-problem.js";
import { ENDPOINTS } from "../../aap/api/endpoints.js";
import { methodsIn } from "../../aap/api/methods-in.js";
import type { OpenSink } from "../../aap/stream/event-stream.js";
import { redact } from "../../history/index.js";
import { redactedRecord } from "../../history/redaction/redact-event.js";
import { STATUSES } from "../../http/index.js";
import type { RequestHeaders, Site } from "../../http/index.js";
import { cookieIn, keyIn } from "../access/device-cookie.js";
import type { StoredDevice } from "../access/devices.js";
import { ROLE_RANKS } from "../api/access-bodies.js";
import type { DeviceRole } from "../api/access-bodies.js";
import { SERVE_ENDPOINTS } from "../api/serve-endpoints.js";
import type { ServeEndpoint } from "../api/serve-endpoints.js";
import { LiveHub } from "../live/live-hub.js";
import type { TurnLiveness } from "../api/question-bodies.js";
import { QuestionNotices } from "../notify/question-notices.js";
import { openNotices } from "../notify/open-notices.js";
import { PageTurns } from "../sessions/page-turns.js";
import type { SessionFacts } from "../sessions/session-facts.js";
import { resumeOwnTurns } from "../sessions/resume-own-turns.js";
import { SessionIndex } from "../sessions/session-index.js";
import { SessionSummaries } from "../sessions/session-summaries.js";
import { SessionViews } from "../sessions/session-views.js";
import { pageHandlers } from "./page-handlers.js";
import type { PageEnv, PageParts } from "./page-request.js";
import type { ServeContext } from "./serve-context.js";
import type { StaticFiles } from "./static-files.js";

export type PageServer = {
  readonly site: Site;
  /** Whether the request belongs to the page and not to apps. */
  readonly isFor: (request: Request) => boolean;
  readonly isFile: (path: string) => boolean;
  readonly fetch: (request: Request, openSink?: OpenSink) => Promise<Response>;
  /** Takes no new turns, and resolves when those under way are over or parked. */
  readonly drain: () => Promise<void>;
  readonly close: () => Promise<void>;
};

const API = "/api/";

/** Links carry a key of their own, which their handlers check. */
const LINKS = "/api/link/";

const isOpenPath = (method: string, path: string): boolean =>
  (path.startsWith(LINKS) && (method === "GET" || method === "POST")) ||
  (method === "POST" && path === SERVE_ENDPOINTS.login.path);

const isForDevices = (path: string): boolean =>
  path.startsWith(API) && !path.startsWith(LINKS) && path !== SERVE_ENDPOINTS.login.path;

const methodsOfApps = methodsIn(ENDPOINTS);

/** A person's browser at an address that nothing has: the page says so. Programs, which have a token, get a problem. */
function isVisit(method: string, path: string, { accept, authorization }: RequestHeaders): boolean {
  return (
    (method === "GET" || method === "HEAD") &&
    authorization === undefined &&
    String(accept ?? "").includes("text/html") &&
    !path.startsWith(API) &&
    methodsOfApps(path).length === 0
  );
}

export async function openPageServer(context: ServeContext, files: StaticFiles): Promise<PageServer> {
  const { devices } = context;
  const index = new SessionIndex(context.ledger);
  const summaries = new SessionSummaries(context, index);
  const views = new SessionViews(context);
  const turns = new PageTurns(context);
  context.apps.addPart({
    isOpen: (sessionId) => turns.isOpen(sessionId),
    continuer: async (info) => ((await context.agentFor(info)) ? "here" : undefined),
    takeOver: async (sessionId) => ((await turns.takeOver(sessionId)) ? "taken" : "left"),
  });
  const resume = (sessionId: string): void => {
    void resumeSession(context, turns, sessionId).catch(context.onError);
  };
  const hub = new LiveHub({
    context,
    index,
    summaries,
    liveness: (facts) => livenessOf(context, facts),
    onSettled: resume,
  });
  views.onEnd = (sessionId) => hub.look(sessionId);
  const notices = openNotices(context.notify, context);
  const pageUrl = (): string => notices.url ?? context.ownUrl();
  const app = routes({ context, index, summaries, views, turns, hub, notices, pageUrl });
  await hub.open();
  await resumeOwnTurns(context, index, turns);
  // Questions that were open before this start had their notices then.
  const ringing = new QuestionNotices({
    ...notices,
    hub,
    linkTo: (questionId) => new URL(`/q/${encodeURIComponent(questionId)}`, pageUrl()).href,
    onError: context.onError,
  });
  return {
    site: {
      isPublic: (method, path, headers) =>
        isOpenPath(method, path) ||
        ((method === "GET" || method === "HEAD") && files.isPath(path)) ||
        isVisit(method, path, headers),
      isForDevices,
      isDevice: (headers) => deviceIn(devices, headers) !== undefined,
    },
    isFile: (path) => files.isPath(path),
    isFor: ({ method, url, headers }) => {
      const { pathname } = new URL(url);
      return (
        pathname.startsWith(API) ||
        files.isPath(pathname) ||
        isVisit(method, pathname, Object.fromEntries(headers))
      );
    },
    fetch: async (request, openSink) => {
      const { pathname } = new URL(request.url);
      return pathname.startsWith(API)
        ? app.fetch(request, { openSink })
        : files.response(pathname, request.headers.get("accept-encoding") ?? "");
    },
    drain: () => turns.drain(),
    close: async () => {
      ringing.close();
      hub.close();
      await turns.close();
      await views.close();
    },
  };
}

function deviceIn(devices: ServeContext["devices"], headers: RequestHeaders): StoredDevice | undefined {
  const [cookie, key] = [cookieIn(headers), keyIn(headers)];
  return cookie === undefined || key === undefined ? undefined : devices.find(cookie, key);
}

function routes(parts: PageParts): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  const { onError, devices, redactPatterns } = parts.context;
  app.onError((error) => {
    const problem = problemOf(error);
    if (STATUSES[problem.code] >= 500) onError(error);
    return problemResponse(redactedProblem(problem, redactPatterns));
  });
  app.notFound(({ req }) =>
    problemResponse(new AapProblem("NOT_FOUND", `There is no ${req.method} ${req.path}. Nothing was done.`)),
  );
  const handlers = pageHandlers(parts);
  // The table has them in an order in which the more special path comes first.
  for (const [name, endpoint] of Object.entries<ServeEndpoint>(SERVE_ENDPOINTS)) {
    const { method, path, hasSlashes = false, role, isOpen = false } = endpoint;
    const pattern = path.replace("{id}", hasSlashes ? ":id{.+}" : ":id").replace("{callId}", ":callId");
    // Both tables have the same names.
    const handler = handlers[name as keyof typeof handlers];
    app.on(method.toUpperCase(), pattern, async (context) => {
      const headers = Object.fromEntries(context.req.raw.headers);
      const device = isOpen ? undefined : deviceIn(devices, headers);
      // Admission let it in as a device, and that was revoked since: it is no program with the token.
      if (!isOpen && !device && keyIn(headers) !== undefined)
        throw new AapProblem("UNAUTHORIZED", "This device was revoked. Nothing was done.");
      if (device) checkRole(device, role);
      if (device) void devices.note(device).catch(onError);
      return handler({ context, device, id: context.req.param("id") ?? "" });
    });
  }
  return app;
}

/** A problem names a question by its title, and may have a recorded answer with it. */
const redactedProblem = (
  { code, message, details }: AapProblem,
  patterns: ServeContext["redactPatterns"],
): AapProblem =>
  // The walk changes texts and nothing else, so the details stay an object.
  new AapProblem(code, redact(message, patterns), redactedRecord(details, patterns) as object);

function checkRole({ role, name }: StoredDevice, needed: DeviceRole): void {
  if (ROLE_RANKS[role] >= ROLE_RANKS[needed]) return;
  const may = role === "watch" ? "may only watch" : "may only watch and answer";
  throw new AapProblem("FORBIDDEN", `${name} ${may}. Nothing was done.`);
}

async function livenessOf({ apps }: ServeContext, facts: SessionFacts): Promise<TurnLiveness> {
  const { sessionId, info, turn } = facts;
  const state = async () => ({ info, isStopped: turn?.status === "stopped" });
  return (await apps.outlookOf(sessionId, state)).liveness;
}

async function resumeSession(context: ServeContext, turns: PageTurns, sessionId: string): Promise<void> {
  try {
    // Each of the two ignores sessions that are not its own.
    await context.apps.resume(sessionId);
    await turns.resume(sessionId);
  } catch (error) {
    // Another process or place has the session: it continues there.
    if (!(error instanceof AapProblem) || (error.code !== "BUSY" && error.code !== "CONFLICT")) throw error;
  }
}
