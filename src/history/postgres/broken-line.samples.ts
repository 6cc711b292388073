/** A line to the run's server that can lose the server's replies, end, and come back. */
import { mkdtempSync, rmSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export class BrokenLine {
  readonly #folder = mkdtempSync(join(tmpdir(), "toolgate-line-"));
  readonly #sockets = new Set<Socket>();
  readonly #silent = new WeakSet<Socket>();
  readonly #server = createServer((client) => this.#connected(client));
  #target = "";
  #lostText: string | undefined;
  #isCut = false;

  /** The address by this line. */
  async open(address: string): Promise<string> {
    this.leadTo(address);
    const url = new URL(address);
    url.searchParams.set("host", this.#folder);
    const socket = join(this.#folder, `.s.PGSQL.${url.port}`);
    await new Promise<void>((resolve) => this.#server.listen(socket, resolve));
    return url.href;
  }

  /** Connects to the server of this address from now on. */
  leadTo(address: string): void {
    const url = new URL(address);
    this.#target = join(url.searchParams.get("host") ?? "", `.s.PGSQL.${url.port}`);
  }

  /** The server gets the statement with this text, and its reply does not arrive. */
  loseReplyTo(text: string): void {
    this.#lostText = text;
  }

  /** Stops all data from the server on the open connections. */
  silence(): void {
    for (const socket of this.#sockets) this.#silent.add(socket);
  }

  /** Ends all connections, and every new one. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  reopen(): void {
    this.#isCut = false;
    this.#lostText = undefined;
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #connected(client: Socket): void {
    if (this.#isCut) {
      client.destroy();
      return;
    }
    const server = createConnection(this.#target);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
    let isReplyLost = false;
    client.on("data", (bytes) => {
      isReplyLost ||= this.#lostText !== undefined && bytes.includes(this.#lostText);
      server.write(bytes);
    });
    server.on("data", (bytes) => {
      if (!isReplyLost && !this.#silent.has(client)) client.write(bytes);
    });
  }
}
