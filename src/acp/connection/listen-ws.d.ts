/** What we use of the package `ws`, which brings no types of its own. */
declare module "ws" {
  import type { EventEmitter } from "node:events";
  import type { IncomingMessage } from "node:http";
  import type { Duplex } from "node:stream";

  export class WebSocket extends EventEmitter {
    constructor(
      url: string,
      protocols?: string | string[],
      options?: { readonly headers?: Record<string, string> },
    );
    readonly readyState: number;
    readonly protocol: string;
    readonly bufferedAmount: number;
    send(data: string): void;
    ping(): void;
    pause(): void;
    close(code?: number, reason?: string): void;
    terminate(): void;
  }

  export class WebSocketServer extends EventEmitter {
    constructor(options: {
      readonly noServer: true;
      readonly maxPayload: number;
      readonly allowSynchronousEvents: boolean;
      readonly closeTimeout: number;
      readonly handleProtocols: (offered: ReadonlySet<string>) => string | false;
    });
    readonly clients: ReadonlySet<WebSocket>;
    handleUpgrade(
      request: IncomingMessage,
      socket: Duplex,
      head: Buffer,
      accepted: (socket: WebSocket) => void,
    ): void;
  }
}
