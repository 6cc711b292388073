/**
 * The HTTP entry of a server: it admits requests and passes them on. By itself it answers only refused requests, health
 * checks and preflights.
 */
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Duplex } from "node:stream";
import { addressOf, urlOf } from "./address.js";
import type { ListenAddress } from "./address.js";
import { admit } from "./admission.js";
import type { Admission, AdmissionRules, Site } from "./admission.js";
import { DOOR_LIMITS, HANDSHAKE_LIMITS, serverOptions } from "./limits.js";
import type { DoorLimits } from "./limits.js";
import { corsHeaders, preflightHeaders, readOrigin } from "./origins.js";
import type { PageHeaders } from "./origins.js";
import { ParseInSteps } from "./parse-in-steps.js";
import { Rate } from "./rate.js";
import { SocketTable } from "./socket-table.js";
import { isToken, TOKEN_RULE } from "./token.js";
import { NO_STORE, refuseOnSocket } from "./refuse.js";

/** The choices of the person who starts a server. */
export type DoorOptions = {
  /** Port 0 is any free port. */
  readonly at: ListenAddress;
  readonly token: string;
  readonly tls?: { readonly cert: string; readonly key: string };
  /** A tunnel or a proxy protects connections from beyond this machine. */
  readonly isGuarded?: boolean;
  /** Names of this server beside the one it listens on. */
  readonly allowedHosts?: readonly string[];
  /** Sites whose pages may connect: `https://app.example`. By default only pages of this server itself. */
  readonly allowedOrigins?: readonly string[];
};

/** The server behind the door. */
export type BehindDoor = {
  readonly limits?: Partial<DoorLimits>;
  /** Paths that may be read without the token. */
  readonly openPaths?: readonly string[];
  readonly site?: Site | undefined;
  readonly methodsOf?: AdmissionRules["methodsOf"];
  readonly pageHeaders: PageHeaders;
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void;
  readonly onUpgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
};

export type OpenDoor = {
  readonly url: string;
  /** Admits no more requests. `settle` ends the running work; then responses get a while to reach their readers. */
  readonly close: (settle: () => Promise<void>) => Promise<void>;
};

export async function openDoor(options: DoorOptions, behind: BehindDoor): Promise<OpenDoor> {
  const { at, tls, token, allowedHosts = [], allowedOrigins = [] } = options;
  if (!isToken(token))
    throw Object.assign(new Error(`The token must be ${TOKEN_RULE}. Nothing was started.`), {
      code: "TOKEN_UNUSABLE",
    });
  const limits = { ...DOOR_LIMITS, ...behind.limits };
  const rules: AdmissionRules = {
    address: await addressOf(at, tls !== undefined || (options.isGuarded ?? false)),
    names: new Set([at.host, ...allowedHosts].map((name) => name.toLowerCase())),
    origins: new Set(allowedOrigins.map(readOrigin)),
    isSecure: tls !== undefined,
    openPaths: new Set(behind.openPaths),
    bodyBytes: limits.bodyBytes,
    site: behind.site,
    methodsOf: behind.methodsOf,
    token,
  };
  const server = tls
    ? createSecureServer({ ...serverOptions(limits), ...HANDSHAKE_LIMITS, ...tls })
    : createServer(serverOptions(limits));
  const door = new Door(server, rules, limits, behind);
  const port = await door.listen(at.port);
  return { url: urlOf({ ...at, port }, tls !== undefined), close: (settle) => door.close(settle) };
}

class Door {
  readonly #server: Server;
  readonly #rules: AdmissionRules;
  readonly #limits: DoorLimits;
  readonly #behind: BehindDoor;
  readonly #rate: Rate;
  /** A limit of its own, so that a client without the token cannot use up the requests of an address. */
  readonly #rateWithoutToken: Rate;
  readonly #sockets: SocketTable;
  readonly #steps = new ParseInSteps();
  /** Unfinished responses, and how many of them each socket waits for. */
  readonly #responses = new Set<ServerResponse>();
  readonly #waiting = new WeakMap<Duplex, number>();
  #isClosing = false;
  #onQuiet: () => void = () => undefined;

  constructor(server: Server, rules: AdmissionRules, limits: DoorLimits, behind: BehindDoor) {
    this.#server = server;
    this.#rules = rules;
    this.#limits = limits;
    this.#behind = behind;
    this.#rate = new Rate(limits.requestsPerSecond);
    this.#rateWithoutToken = new Rate(limits.requestsPerSecond);
    this.#sockets = new SocketTable(limits);
    server.on("connection", (socket) => this.#sockets.add(socket));
    this.#steps.follow(server, rules.isSecure);
    server.on("request", (request, response) => this.#request(request, response));
    // A client that sends Expect: 100-continue gets a refusal before it sends the body.
    server.on("checkContinue", (request, response) =>
      this.#request(request, response, () => response.writeContinue()),
    );
    const { onUpgrade } = behind;
    if (onUpgrade)
      server.on("upgrade", (request, socket, head) => {
        const rest = this.#steps.leave(socket);
        this.#upgrade(request, socket, Buffer.concat([head, rest]), onUpgrade);
      });
  }

  async listen(port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, this.#rules.address, () => {
        this.#server.off("error", reject);
        resolve();
      });
    });
    const address = this.#server.address();
    return typeof address === "object" && address ? address.port : port;
  }

  async close(settle: () => Promise<void>): Promise<void> {
    this.#isClosing = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    await settle();
    if (this.#responses.size > 0) await this.#quiet();
    this.#server.closeAllConnections();
    await closed;
  }

  #request(
    request: IncomingMessage,
    response: ServerResponse,
    sendContinue: () => void = () => undefined,
  ): void {
    const { socket } = request;
    // The socket was refused or closed: no response can reach the client. Node parses the rest of a step.
    if (socket.writableEnded || socket.destroyed) return;
    const cors = corsHeaders(request.headers.origin, this.#rules.origins, this.#behind.pageHeaders);
    const waiting = this.#waiting.get(socket) ?? 0;
    const admission = this.#admit(request);
    if (admission.type !== "refused") {
      if (waiting >= this.#limits.requestsPerSocket) return void socket.destroy();
      this.#follow(response, socket);
    }
    switch (admission.type) {
      case "refused":
        // A refusal cannot be written in the middle of another response.
        if (waiting > 0) socket.destroy();
        else refuseOnSocket(request, socket, { ...admission, headers: { ...admission.headers, ...cors } });
        return;
      case "health":
        response.writeHead(200, { ...NO_STORE, ...cors, "content-type": "text/plain" }).end("ok\n");
        return;
      case "preflight":
        response
          .writeHead(204, { ...NO_STORE, ...cors, ...preflightHeaders(this.#behind.pageHeaders) })
          .end();
        return;
      case "admitted":
        response.setHeaders(new Map(Object.entries({ ...NO_STORE, ...cors })));
        sendContinue();
        this.#behind.onRequest(request, response);
        return;
      default:
        return admission satisfies never;
    }
  }

  #upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    onUpgrade: NonNullable<BehindDoor["onUpgrade"]>,
  ): void {
    const admission = this.#admit(request);
    if (admission.type === "admitted") onUpgrade(request, socket, head);
    else if (admission.type === "refused") refuseOnSocket(request, socket, admission);
    else
      refuseOnSocket(request, socket, {
        code: "NOT_FOUND",
        why: "There is nothing to upgrade here. Nothing was done.",
      });
  }

  #admit(request: IncomingMessage): Admission {
    const admission = admit(request, this.#rules);
    // The refusal closes the socket.
    if (admission.type === "refused") return admission;
    const hasToken = admission.type === "admitted" && admission.hasToken;
    if (hasToken) this.#sockets.admitted(request.socket);
    if (this.#isClosing && admission.type === "admitted")
      return { type: "refused", code: "UNAVAILABLE", why: "The server is about to end. Nothing was done." };
    const rate = hasToken ? this.#rate : this.#rateWithoutToken;
    if (rate.take(request.socket.remoteAddress ?? "", performance.now())) return admission;
    const why = `More than ${this.#limits.requestsPerSecond} requests a second are not taken. Nothing was done.`;
    return { type: "refused", code: "TOO_MANY_REQUESTS", why };
  }

  /** Tracks a response until it is finished or its client is gone. */
  #follow(response: ServerResponse, socket: IncomingMessage["socket"]): void {
    const { stallTimeoutMs } = this.#limits;
    this.#responses.add(response);
    this.#waiting.set(socket, (this.#waiting.get(socket) ?? 0) + 1);
    // Node emits no "close" on a response that is queued behind another one when the socket closes.
    const gone = () => void response.emit("close");
    if (!response.socket) socket.once("close", gone);
    response.once("close", () => {
      socket.off("close", gone);
      this.#responses.delete(response);
      this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1);
      if (this.#responses.size === 0) this.#onQuiet();
    });
    response.setTimeout(stallTimeoutMs, () => {
      // An idle response is not a stall: a turn may take its time. Unread data is.
      if (response.writableLength > 0 || socket.writableLength > 0) socket.destroy();
      else socket.setTimeout(stallTimeoutMs);
    });
  }

  #quiet(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#limits.closeTimeoutMs);
      this.#onQuiet = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
