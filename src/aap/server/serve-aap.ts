/** Serves agents on a port of this machine: the protocol and the operator's routes, behind the HTTP door that checks access. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createSecureContext } from "node:tls";
import {
  AMOUNT,
  BadOption,
  checkOptions,
  FLAG,
  LEDGER,
  listOf,
  OBJECT,
  required,
  STRING,
  TEXT,
  WORKSPACE,
} from "../../call/check-options.js";
import type { OptionChecks } from "../../call/check-options.js";
import { errorMessage } from "../../call/error-message.js";
import { openDoor } from "../../http/index.js";
import type { DoorLimits, DoorOptions, Site } from "../../http/index.js";
import { LocalWorkspace } from "../../tools/index.js";
import { checkAgents, openServer, SERVER_OPTIONS } from "./create-aap-server.js";
import type { AapServer, AapServerOptions, OpenedServer } from "./create-aap-server.js";
import type { OpenSink } from "../stream/event-stream.js";
import { Metrics } from "./metrics.js";
import { ENDPOINTS, OPERATOR_ENDPOINTS } from "../api/endpoints.js";
import { methodsIn } from "../api/methods-in.js";
import type { MoreEndpoints } from "../api/openapi.js";
import { operatorRoutes } from "./operator-routes.js";
import { AapProblem, problemOf, problemResponse } from "../api/aap-problem.js";
import { ResponseWriter } from "./response-writer.js";

type GivenAgent = AapServerOptions["agents"][number];

export type ServeOptions = Omit<DoorOptions, "at"> &
  Omit<AapServerOptions, "agents" | "ledger" | "workspace"> & {
    /** 0 for any free port. */
    readonly port: number;
    /** The address to listen on: by default only this machine can reach it. */
    readonly host?: string;
    /** Where sessions are stored: by default in memory. */
    readonly ledger?: AapServerOptions["ledger"];
    /** Where the agents' tools act: by default the folder that the process was started in. */
    readonly workspace?: AapServerOptions["workspace"];
    readonly limits?: Partial<DoorLimits>;
  };

export type Serving = {
  readonly url: string;
  /**
   * Takes no new turns, and waits up to `timeoutMs` for those under way to end or to park. On a ledger that instances
   * share, parked turns and new requests go on elsewhere. `/readyz` answers 503 from then on.
   */
  readonly drain: (timeoutMs: number) => Promise<void>;
  /** Cancels the turns under way, lets their streams end, then closes every connection. */
  readonly close: () => Promise<void>;
};

const { agents: _, ...OF_THE_SERVER } = SERVER_OPTIONS;

const SERVE_OPTIONS: OptionChecks<ServeOptions> = {
  ...OF_THE_SERVER,
  ledger: LEDGER,
  workspace: WORKSPACE,
  port: required(AMOUNT),
  host: TEXT,
  limits: OBJECT,
  token: required(STRING),
  tls: OBJECT,
  isGuarded: FLAG,
  allowedHosts: listOf(TEXT),
  allowedOrigins: listOf(TEXT),
};

const LIMITS: OptionChecks<DoorLimits> = {
  sockets: AMOUNT,
  socketsWithoutToken: AMOUNT,
  requestsPerSocket: AMOUNT,
  requestsPerSecond: AMOUNT,
  bodyBytes: AMOUNT,
  headTimeoutMs: AMOUNT,
  requestTimeoutMs: AMOUNT,
  stallTimeoutMs: AMOUNT,
  closeTimeoutMs: AMOUNT,
};

/** Another API on the same port: its own requests, and who may make them. */
export type BesideApps = {
  readonly site: Site;
  readonly isFor: (request: Request) => boolean;
  /** Whether a file answers this path, by GET only. */
  readonly isFile: (path: string) => boolean;
  readonly fetch: (request: Request, openSink?: OpenSink) => Promise<Response>;
  readonly described: MoreEndpoints;
  /** Takes no new turns, and resolves when those under way are over or parked. */
  readonly drain: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export async function serveAap(
  agents: GivenAgent | readonly GivenAgent[],
  served: ServeOptions,
): Promise<Serving> {
  return serveBeside(agents, served);
}

/** A key or a certificate that cannot be read would only fail at the first connection. */
function checkCertificate(tls: NonNullable<ServeOptions["tls"]>): void {
  checkOptions<NonNullable<ServeOptions["tls"]>>("serveAap tls", tls, {
    cert: required(TEXT),
    key: required(TEXT),
  });
  try {
    createSecureContext(tls);
  } catch (error) {
    throw new BadOption(`serveAap: "tls" is no certificate with its key: ${errorMessage(error)}.`, "tls");
  }
}

/** `openBeside` opens another API on the same port. */
export async function serveBeside(
  agents: GivenAgent | readonly GivenAgent[],
  served: ServeOptions,
  openBeside?: (server: OpenedServer) => Promise<BesideApps>,
): Promise<Serving> {
  checkOptions("serveAap", served, SERVE_OPTIONS);
  checkOptions("serveAap limits", served.limits ?? {}, LIMITS);
  if (served.tls) checkCertificate(served.tls);
  const all = isMany(agents) ? agents : [agents];
  checkAgents("serveAap", all);
  const { port, host = "127.0.0.1", limits, ...options } = served;
  const given = options.ledger;
  const ledger = given ?? (await memoryLedger());
  const workspace = options.workspace ?? (await LocalWorkspace.open(process.cwd()));
  const metrics = new Metrics();
  const server = openServer({
    ...options,
    agents: all,
    ledger: metrics.watched(ledger),
    workspace,
    onTakenOver: metrics.countTakeOver,
  });
  const beside = await openBeside?.(server);
  const { answer, writer } = await answering(
    withBeside(server, beside),
    operatorRoutes(
      options.version,
      { metrics: () => metrics.text(ledger), readiness: () => readinessOf(server, ledger) },
      beside?.described,
    ),
  );
  const door = await openDoor(
    { ...options, at: { host, port } },
    {
      limits: { bodyBytes: MAX_BODY_BYTES, ...limits },
      openPaths: ["/meta", OPERATOR_ENDPOINTS.getReadiness.path],
      site: beside?.site,
      methodsOf: methodsBeside(beside),
      pageHeaders: { sent: ["idempotency-key", "last-event-id"], read: ["retry-after"] },
      onRequest: (request, response) => {
        metrics.countRequest(request.method ?? "", response);
        void answer(request, response);
      },
    },
  ).catch(async (error: unknown) => {
    await beside?.close();
    throw error;
  });
  const settle = async () => {
    await beside?.close();
    await server.close();
    writer.end();
  };
  return {
    url: door.url,
    drain: async (timeoutMs) => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, timeoutMs);
      });
      await Promise.race([Promise.all([server.drain(), beside?.drain()]), late]);
      clearTimeout(timer);
    },
    close: async () => {
      await door.close(settle);
      if (!given) await ledger.close();
    },
  };
}

const HEALTH_TIMEOUT_MS = 2_000;

async function readinessOf(
  server: OpenedServer,
  ledger: AapServerOptions["ledger"],
): Promise<string | undefined> {
  if (server.isDraining()) return "The server is about to end.";
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("late")), HEALTH_TIMEOUT_MS);
  });
  try {
    await Promise.race([Promise.all([ledger.health?.(), ledger.probe?.()]), late]);
    return undefined;
  } catch {
    // The error may name the server of the ledger, and anyone may read this answer.
    return "The ledger cannot be reached or written.";
  } finally {
    clearTimeout(timer);
  }
}

function withBeside(server: AapServer, beside: BesideApps | undefined): Pick<AapServer, "fetch"> {
  if (!beside) return server;
  return {
    fetch: (request, openSink) => {
      const isBeside = beside.isFor(request);
      return isBeside ? beside.fetch(request, openSink) : server.fetch(request, openSink);
    },
  };
}

/** The methods of every path of the server, for the door to check before a request is routed. */
function methodsBeside(beside: BesideApps | undefined): (path: string) => readonly string[] {
  const ofEndpoints = methodsIn({ ...ENDPOINTS, ...beside?.described.endpoints });
  return (path) => {
    const methods = ofEndpoints(path);
    return methods.length === 0 && beside?.isFile(path) === true ? ["GET"] : methods;
  };
}

const MAX_BODY_BYTES = 8 * 1024 * 1024;

const isMany = (agents: GivenAgent | readonly GivenAgent[]): agents is readonly GivenAgent[] =>
  Array.isArray(agents);

/** Loaded late: it is needed only where no ledger is given. */
async function memoryLedger(): Promise<AapServerOptions["ledger"]> {
  const { MemoryLedger } = await import("../../history/index.js");
  return new MemoryLedger();
}

type Answering = {
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;
  readonly writer: ResponseWriter;
};

async function answering(
  server: Pick<AapServer, "fetch">,
  own: ReturnType<typeof operatorRoutes>,
): Promise<Answering> {
  const [{ getRequestListener, RequestError }, { RESPONSE_ALREADY_SENT }] = await Promise.all([
    import("@hono/node-server"),
    import("@hono/node-server/utils/response"),
  ]);
  const writer = new ResponseWriter(RESPONSE_ALREADY_SENT);
  const get = async (request: Request, stream?: OpenSink): Promise<Response> =>
    own.get(new URL(request.url).pathname)?.() ?? server.fetch(request, stream);
  const fetch = async (request: Request, stream: OpenSink): Promise<Response> => {
    if (request.method === "GET") return get(request, stream);
    if (request.method !== "HEAD") return server.fetch(request, stream);
    const { body, status, headers } = await get(new Request(request.url, { headers: [...request.headers] }));
    // A stream is not started for its headers.
    await body?.cancel();
    return new Response(null, { status, headers });
  };
  const answer = getRequestListener(
    async (request, { outgoing }) => {
      // The door is an HTTP/1 server.
      const to = outgoing as ServerResponse;
      await writer.write(await fetch(request, writer.streamTo(to)), to);
      return RESPONSE_ALREADY_SENT;
    },
    {
      overrideGlobalObjects: false,
      errorHandler: (error) => problemResponse(error instanceof RequestError ? UNREADABLE : problemOf(error)),
    },
  );
  return { answer, writer };
}

const UNREADABLE = new AapProblem("BAD_REQUEST", "The address cannot be read. Nothing was done.");
