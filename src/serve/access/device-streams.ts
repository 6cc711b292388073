/** The open streams of devices. A stream ends when its device is revoked, and a device has only a few of them. */
import { AapProblem } from "../../aap/api/aap-problem.js";
import type { SseWriter } from "../../aap/stream/event-stream.js";
import type { Devices, StoredDevice } from "./devices.js";

const MAX_STREAMS = 16;
const CHECK_MS = 1_000;

export class DeviceStreams {
  readonly #devices: Pick<Devices, "list">;
  readonly #open = new Map<string, number>();

  constructor(devices: Pick<Devices, "list">) {
    this.#devices = devices;
  }

  /** Runs a stream of the device. A program with the token has no limit. */
  take(
    device: StoredDevice | undefined,
    run: (writer: SseWriter) => Promise<void>,
  ): (writer: SseWriter) => Promise<void> {
    if (!device) return run;
    const { deviceId, name } = device;
    const count = (this.#open.get(deviceId) ?? 0) + 1;
    if (count > MAX_STREAMS)
      throw new AapProblem(
        "TOO_MANY_REQUESTS",
        `${name} has ${MAX_STREAMS} streams open already. Nothing was sent.`,
      );
    this.#open.set(deviceId, count);
    return (writer) =>
      this.#run(deviceId, writer, run).finally(() => {
        const left = (this.#open.get(deviceId) ?? 1) - 1;
        if (left > 0) this.#open.set(deviceId, left);
        else this.#open.delete(deviceId);
      });
  }

  async #run(deviceId: string, writer: SseWriter, run: (writer: SseWriter) => Promise<void>): Promise<void> {
    const revoked = new AbortController();
    const isListed = () => this.#devices.list().some((one) => one.deviceId === deviceId);
    const check = setInterval(() => {
      if (!isListed()) revoked.abort();
    }, CHECK_MS);
    // Asked at each write: nothing follows the revocation, also not within the time of a check.
    const isOver = () => revoked.signal.aborted || !isListed();
    try {
      await run({
        ...writer,
        write: (frames) => {
          if (!isOver()) writer.write(frames);
        },
        signal: AbortSignal.any([writer.signal, revoked.signal]),
      });
    } finally {
      clearInterval(check);
    }
  }
}
