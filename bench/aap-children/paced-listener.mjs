// Receives the paced chunks of servers, on plain sockets and with next to no garbage: a garbage collection or a delay
// here would count as a late server.
import { connect } from "node:net";
import { PACED_PIECES } from "./work.mjs";

const [AT_SIGN, POINT, SPACE, ZERO] = ["@", ".", " ", "0"].map((sign) => sign.charCodeAt(0));
const STOP = '"stopReason":"end_turn"';
const LAST_CHUNK = "\r\n0\r\n\r\n";

/** The pieces that all sockets hear: when each was made, and how long it took to come here. */
export class PacedListener {
  #made;
  #lags;
  #count = 0;
  /** The time while all streams send. */
  #from = 0;
  #to = Infinity;
  /** One buffer for all sockets: each reads its data before the next one uses it. */
  #buffer = Buffer.alloc(65_536);

  constructor(sockets) {
    this.#made = new Float64Array(sockets * PACED_PIECES);
    this.#lags = new Float64Array(sockets * PACED_PIECES);
  }

  /** Returns a function that sends a request and resolves when the response is complete; it fails when a part is missing. */
  open({ hostname, port }) {
    return new Promise((resolve, reject) => {
      let [hear, fail] = [() => undefined, reject];
      const onread = { buffer: this.#buffer, callback: (length) => hear(length) };
      const socket = connect({ host: hostname, port: Number(port), onread });
      socket.on("error", (error) => fail(error));
      socket.on("close", () => fail(new Error("A server of the benchmark has hung up.")));
      const send = (request) =>
        new Promise((whole, cut) => {
          fail = cut;
          hear = this.#reader(() => {
            socket.destroy();
            whole();
          });
          socket.write(request);
        });
      socket.on("connect", () => resolve(send));
    });
  }

  /** How long each piece took, of all or of those that were made while all spoke. */
  lags({ isSteady }) {
    const lags = this.#lags.subarray(0, this.#count);
    if (!isSteady) return lags;
    return lags.filter((_, index) => this.#made[index] >= this.#from && this.#made[index] <= this.#to);
  }

  /** Reads one answer, in which each piece says when it was made: `@1700000000000.25 `. */
  #reader(onWhole) {
    let [made, tenths, isNumber, count, last] = [0, 0, false, 0, ""];
    return (length) => {
      const now = performance.timeOrigin + performance.now();
      const bytes = this.#buffer;
      // A server may put pieces that were made together into one event, and a network may cut one in two.
      for (let at = 0; at < length; at += 1) {
        const byte = bytes[at];
        if (byte === AT_SIGN) [made, tenths, isNumber] = [0, 0, true];
        else if (!isNumber) continue;
        else if (byte === POINT) tenths = 1;
        else if (byte !== SPACE) {
          made = made * 10 + byte - ZERO;
          tenths *= 10;
        } else {
          isNumber = false;
          count += 1;
          this.#note(made / tenths, now, count);
        }
      }
      if (count < PACED_PIECES) return true;
      last = (last + bytes.latin1Slice(0, length)).slice(-200);
      if (last.endsWith(LAST_CHUNK) && last.includes(STOP)) onWhole();
      return true;
    };
  }

  #note(made, now, count) {
    this.#made[this.#count] = made;
    this.#lags[this.#count] = now - made;
    this.#count += 1;
    if (count === 1) this.#from = Math.max(this.#from, made);
    if (count === PACED_PIECES) this.#to = Math.min(this.#to, made);
  }
}
