/**
 * Starts a program in a terminal of its own, for programs that behave otherwise without one.
 *
 * The terminal comes from an optional package. Two of its flaws, both of which lose the end of the output, are
 * repaired here. The kernel drops unread output when the last process closes the terminal, so we keep it open
 * until the exit is reported. The package stops reading a moment after the exit, even when our process was too
 * busy to read, so pending reads go first.
 */
import { closeSync, constants, openSync } from "node:fs";
import { constants as system } from "node:os";
import type { IPty, spawn } from "@lydell/node-pty";
import type { Argv, ChildExit } from "./child.js";
import { startTree } from "./start-tree.js";
import type { TextOptions, TextProgram } from "./start-with-pipes.js";

const MAX_LAST_READS = 100;

export type PtySpawn = typeof spawn;
export type TerminalSize = { readonly columns: number; readonly rows: number };

/** Returns undefined when the package is not installed, or not for this system. */
export async function loadPty(): Promise<PtySpawn | undefined> {
  try {
    return (await import("@lydell/node-pty")).spawn;
  } catch {
    return undefined;
  }
}

export function startInTerminal(
  spawnInPty: PtySpawn,
  argv: Argv,
  { onText, columns, rows, ...options }: TextOptions & TerminalSize,
): TextProgram {
  const { cwd } = options;
  const { program: terminal, tree } = startTree(argv, options, ([name, ...args], env) =>
    spawnInPty(name, args, {
      ...(cwd !== undefined && { cwd }),
      env,
      cols: columns,
      rows,
      name: "xterm-256color",
    }),
  );
  const release = keepOpen(terminal);
  const subscription = terminal.onData(onText);
  const exit = new Promise<ChildExit>((resolve) => {
    terminal.onExit(({ exitCode, signal }) => {
      release();
      resolve(signal ? { signal: signalName(signal) } : { exitCode });
    });
  });
  return {
    tree,
    exit,
    // The package reports the exit when it has stopped reading.
    drained: async () => void (await exit),
    closePipes: () => subscription.dispose(),
  };
}

/** Private parts of the package. Without them only the end of the output may be lost. */
type Inside = {
  readonly _pty?: string;
  readonly _socket?: { destroy(): void };
};

function keepOpen(terminal: IPty): () => void {
  const { _pty: name, _socket: socket } = terminal as IPty & Inside; // not in its types
  if (socket) readRestFirst(terminal, socket);
  const descriptor = name === undefined ? undefined : openSync(name, constants.O_RDWR | constants.O_NOCTTY);
  return () => {
    if (descriptor !== undefined) closeSync(descriptor);
  };
}

function readRestFirst(terminal: IPty, socket: { destroy(): void }): void {
  const destroy = socket.destroy.bind(socket);
  let hasRead = true;
  terminal.onData(() => (hasRead = true));
  // Each turn of the event loop reads once, before the immediates. A background process may write for ever.
  const destroyWhenSilent = (turns: number) => {
    if (!hasRead || turns === 0) return destroy();
    hasRead = false;
    setImmediate(destroyWhenSilent, turns - 1);
  };
  socket.destroy = () => destroyWhenSilent(MAX_LAST_READS);
}

function signalName(number: number): string {
  return Object.entries(system.signals).find(([, value]) => value === number)?.[0] ?? String(number);
}
