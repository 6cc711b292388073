/**
 * A connection to a server. The handshake that every server supports comes first; a server that refuses it may support
 * only the newer protocol, or, over HTTP, only the older transport.
 */
import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import type { ClientOptions, Transport } from "@modelcontextprotocol/client";
import { boundedFetch } from "./bounded-fetch.js";
import type { HttpServerConfig, McpServerConfig } from "./config.js";
import { webUrl } from "./config.js";
import { deliverInOrder } from "./deliver-in-order.js";
import { StdioTransport } from "./stdio-transport.js";

export type ClientInfo = { readonly name: string; readonly version: string };

export type ConnectionOptions = {
  readonly config: McpServerConfig;
  readonly cwd: string;
  readonly clientInfo: ClientInfo;
  /** How long the handshake may take, in milliseconds. */
  readonly timeout: number;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
  /** Called before the handshake: sets the handlers for the server's requests and notifications. */
  readonly prepare: (client: Client) => void;
  readonly onToolsChanged: () => void;
};

export type Connection = {
  readonly client: Client;
  /** Why it ended, as far as that is known. */
  exitReport(): string;
  close(): Promise<void>;
};

type Negotiation = NonNullable<ClientOptions["versionNegotiation"]>;

const NEWER: Negotiation = { mode: { pin: "2026-07-28" } };

/** The connection failed. `exitReport`: how the program ended and the end of its stderr. */
export class ConnectFailure extends Error {
  constructor(
    override readonly cause: unknown,
    readonly exitReport: string,
  ) {
    super("The server could not be connected to.");
    this.name = "ConnectFailure";
  }
}

/** Throws the last attempt's ConnectFailure. */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { config, cwd } = options;
  if (!("url" in config)) {
    try {
      return await connect(options, new StdioTransport(config, cwd), {});
    } catch (error) {
      if (!(error instanceof ConnectFailure && error.cause instanceof ProtocolError)) throw error;
      return connect(options, new StdioTransport(config, cwd), NEWER);
    }
  }
  if (config.type === "sse") return connect(options, sseTransport(config), {});
  try {
    // Over HTTP a first attempt in the newer protocol costs no second process.
    return await connect(options, httpTransport(config), { mode: "auto" });
  } catch (error) {
    if (config.type !== undefined || !isUnknownWay(error)) throw error;
    return connect(options, sseTransport(config), {});
  }
}

/** Whether the error means that the endpoint does not support this transport or protocol. */
function isUnknownWay(error: unknown): boolean {
  const cause = error instanceof ConnectFailure ? error.cause : undefined;
  return cause instanceof SdkHttpError && cause.status >= 400 && cause.status < 500;
}

function httpTransport(config: HttpServerConfig): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(addressOf(config), {
    requestInit: { headers: { ...config.headers } },
    fetch: boundedFetch,
    redirectPolicy: "same-origin",
  });
}

function sseTransport(config: HttpServerConfig): SSEClientTransport {
  return new SSEClientTransport(addressOf(config), {
    requestInit: { headers: { ...config.headers } },
    fetch: boundedFetch,
    redirectPolicy: "same-origin",
  });
}

function addressOf({ url }: HttpServerConfig): URL {
  const address = webUrl(url);
  if (!address) throw new Error("Its URL may not be requested.");
  return address;
}

async function connect(
  { clientInfo, timeout, signal, prepare, onToolsChanged }: ConnectionOptions,
  transport: Transport,
  versionNegotiation: Negotiation,
): Promise<Connection> {
  signal.throwIfAborted();
  const client = new Client(clientInfo, {
    versionNegotiation,
    // The client offers neither sampling nor roots, and refuses requests for them.
    capabilities: { elicitation: { form: {}, url: {} } },
    listChanged: { tools: { autoRefresh: false, onChanged: onToolsChanged } },
  });
  prepare(client);
  const connection: Connection = {
    client,
    exitReport: () => (transport instanceof StdioTransport ? transport.exitReport : ""),
    async close() {
      if (transport instanceof StreamableHTTPClientTransport) await endSession(transport);
      await transport.close();
    },
  };
  // The end of the attempt must also end a program that never responds.
  const giveUp = () => void transport.close();
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    await client.connect(transport, { timeout, signal });
    deliverInOrder(transport, () => void transport.close());
    return connection;
  } catch (error) {
    await transport.close();
    throw new ConnectFailure(causeOf(error), connection.exitReport());
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

/** Unwraps the cause: it explains more than the failed choice of a protocol. */
function causeOf(error: unknown): unknown {
  const isChoice = error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed;
  return isChoice ? (error.cause ?? error) : error;
}

/** Ends the session as a courtesy, without waiting long for a dead or slow server. */
async function endSession(transport: StreamableHTTPClientTransport): Promise<void> {
  const endTimeout = new Promise((resolve) => setTimeout(resolve, 500).unref());
  await Promise.race([transport.terminateSession().catch(() => undefined), endTimeout]);
}
