/**
 * Gives the bytes of a socket to Node's parser in small steps, and stops when the socket is refused or closed. One read
 * brings 64 KB, which can be 1,700 requests, and Node makes objects and an error for each of them although the first was
 * refused: tens of milliseconds for a socket, seconds for some hundred of them.
 */
import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Mostly a whole request, and at most some tens of them. */
const STEP_BYTES = 2_048;

export class ParseInSteps {
  /** The bytes of a read that the parser has not got yet. */
  readonly #rest = new WeakMap<object, Buffer>();
  readonly #ends = new WeakMap<object, () => void>();

  /** Call this after Node's own listeners are there. */
  follow(server: Server, isSecure: boolean): void {
    server.on(isSecure ? "secureConnection" : "connection", (socket: Socket) => this.#follow(socket));
  }

  /** Leaves the socket to somebody else, who gets the bytes that were read and not parsed. */
  leave(socket: object): Buffer {
    const rest = this.#rest.get(socket) ?? Buffer.alloc(0);
    this.#rest.delete(socket);
    this.#ends.get(socket)?.();
    return rest;
  }

  #follow(socket: Socket): void {
    const [parse, ...others] = socket.listeners("data");
    // A runtime with another parser.
    if (!parse || others.length > 0) return;
    const onData = (bytes: Buffer) => this.#parse(socket, bytes, (step) => parse.call(socket, step));
    socket.off("data", parse as () => void).on("data", onData);
    this.#ends.set(socket, () => void socket.off("data", onData));
  }

  #parse(socket: Socket, bytes: Buffer, parse: (step: Buffer) => void): void {
    this.#rest.set(socket, bytes);
    for (let rest = this.#rest.get(socket); rest && rest.length > 0; rest = this.#rest.get(socket)) {
      // The socket was refused or closed: nothing behind that is parsed, or read from the network.
      if (socket.writableEnded || socket.destroyed) {
        socket.pause();
        break;
      }
      // Node lets it wait until its responses are read.
      if (socket.isPaused()) {
        socket.unshift(rest);
        break;
      }
      this.#rest.set(socket, rest.subarray(STEP_BYTES));
      parse(rest.subarray(0, STEP_BYTES));
    }
    this.#rest.delete(socket);
  }
}
