/** The terminal of this process, whose size is read from the kernel when it is asked for. */
import type { BlockTerminal } from "./live-block.js";

const WIDTH = 80;
const HEIGHT = 24;

export const screenTerminal = {
  write: (text) => process.stdout.write(text),
  // A terminal that nobody gave a size (a container's, a serial line's) says 0.
  get columns() {
    return process.stdout.columns || WIDTH;
  },
  get rows() {
    return process.stdout.rows || HEIGHT;
  },
  // Node's stdout takes its size from the kernel when the process is signalled, and this is the same to it.
  refreshSize: () => void process.emit("SIGWINCH", "SIGWINCH"),
} satisfies BlockTerminal;
