/** The terminal of this process, whose size is read from the kernel when it is asked for. */
import type { BlockTerminal } from "./live-block.js";

export const screenTerminal: BlockTerminal = {
  write: (text) => process.stdout.write(text),
  get columns() {
    return process.stdout.columns;
  },
  get rows() {
    return process.stdout.rows;
  },
  // Node's stdout takes its size from the kernel when the process is signalled, and this is the same to it.
  refreshSize: () => void process.emit("SIGWINCH", "SIGWINCH"),
};
