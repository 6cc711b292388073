/**
 * The open sockets of a server. A socket has shown the token once a request with it was admitted; until then it may be
 * anybody's, half-open or silent.
 *
 * Invariants: sockets without the token never keep a new one out, because the oldest of them is closed instead: of the same
 * address when that has too many, else of all. A socket that has shown the token is never closed for a new one.
 */
import type { Socket } from "node:net";

export type SocketLimits = {
  /** Open sockets. */
  readonly sockets: number;
  /** Open sockets of one address that have not shown the token. */
  readonly socketsWithoutToken: number;
};

type Peer = { readonly remoteAddress?: string | undefined; readonly remotePort?: number | undefined };

/** `address` is kept: a closed socket has none. */
type Entry = { readonly socket: Socket; readonly address: string };

export class SocketTable {
  readonly #limits: SocketLimits;
  readonly #open = new Set<Socket>();
  /** By their peers, in the order in which they were opened. */
  readonly #withoutToken = new Map<string, Entry>();
  readonly #byAddress = new Map<string, Set<string>>();

  constructor(limits: SocketLimits) {
    this.#limits = limits;
  }

  /** Takes a new socket. Closes it when every other one has shown the token and there is no room. */
  add(socket: Socket): void {
    const { sockets, socketsWithoutToken } = this.#limits;
    const { remoteAddress: address = "" } = socket;
    if ((this.#byAddress.get(address)?.size ?? 0) >= socketsWithoutToken)
      this.#closeOldest(this.#byAddress.get(address));
    if (this.#open.size >= sockets) this.#closeOldest(this.#withoutToken);
    if (this.#open.size >= sockets) return void socket.destroy();
    this.#open.add(socket);
    const peer = peerOf(socket);
    this.#withoutToken.set(peer, { socket, address });
    this.#byAddress.set(address, (this.#byAddress.get(address) ?? new Set()).add(peer));
    socket.once("close", () => {
      this.#open.delete(socket);
      if (this.#withoutToken.get(peer)?.socket === socket) this.#forget(peer);
    });
  }

  /** Removes the peer of a request that had the token. With TLS this socket is another object than the added one. */
  admitted(socket: Peer): void {
    if (this.#withoutToken.size > 0) this.#forget(peerOf(socket));
  }

  #closeOldest(peers: Pick<Map<string, unknown>, "keys"> | undefined): void {
    const [oldest] = peers?.keys() ?? [];
    const entry = oldest === undefined ? undefined : this.#forget(oldest);
    if (!entry) return;
    this.#open.delete(entry.socket);
    entry.socket.destroy();
  }

  #forget(peer: string): Entry | undefined {
    const entry = this.#withoutToken.get(peer);
    if (!entry) return undefined;
    this.#withoutToken.delete(peer);
    const siblings = this.#byAddress.get(entry.address);
    siblings?.delete(peer);
    if (siblings?.size === 0) this.#byAddress.delete(entry.address);
    return entry;
  }
}

const peerOf = ({ remoteAddress = "", remotePort = 0 }: Peer): string => `${remoteAddress} ${remotePort}`;
