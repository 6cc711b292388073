/**
 * A command in a terminal of its own, for programs that behave otherwise without one.
 *
 * The terminal comes from an optional package. Two flaws of it are mended here, both of which lose the end
 * of what the command said: the kernel drops it as soon as the last one that holds the terminal lets go, so
 * we hold it too until the exit was told; and the package stops reading a moment after the exit even when
 * our process was too busy to read, so the reads that wait go first.
 */
import { closeSync, constants, openSync } from "node:fs";
import { constants as system } from "node:os";
import type { IPty, spawn as ptySpawn } from "@lydell/node-pty";
import { notStarted } from "./started-command.js";
import type { StartedCommand, StartOptions } from "./started-command.js";
import { ToolFailure } from "./tool.js";
import type { CommandExit, CommandOptions } from "./workspace.js";

const MAX_LAST_READS = 100;

type Size = CommandOptions["pty"] & {};
type Spawn = typeof ptySpawn;

/** Throws ToolFailure where the package is missing. */
export async function loadTerminals(): Promise<Spawn> {
  try {
    return (await import("@lydell/node-pty")).spawn;
  } catch {
    throw new ToolFailure(
      "The command could not be started in a terminal: the package @lydell/node-pty is not installed, or not for this system. Nothing was run. Run it without a terminal, or install the package.",
    );
  }
}

export function startInTerminal(
  spawn: Spawn,
  argv: readonly string[],
  { cwd, env, print, columns, rows }: StartOptions & Size,
): StartedCommand {
  const [program = "", ...words] = argv;
  let terminal: IPty;
  try {
    terminal = spawn(program, words, { cwd, env, cols: columns, rows, name: "xterm-256color" });
  } catch (error) {
    throw notStarted(program, error);
  }
  const letGo = keepEnd(terminal);
  const listening = terminal.onData(print);
  const exit = new Promise<CommandExit>((resolve) => {
    terminal.onExit(({ exitCode, signal }) => {
      letGo();
      resolve(signal ? { signal: signalName(signal) } : { exitCode });
    });
  });
  return {
    pid: terminal.pid,
    exit,
    // It tells the exit when it has stopped reading.
    silent: exit.then(() => undefined),
    close: () => listening.dispose(),
  };
}

/** What the package does not promise: without these parts the end may be lost, and nothing else. */
type Inside = {
  readonly _pty?: string;
  readonly _socket?: { destroy(): void };
};

function keepEnd(terminal: IPty): () => void {
  const { _pty: name, _socket: socket } = terminal as IPty & Inside; // not in its types
  if (socket) readRestFirst(terminal, socket);
  const held = name === undefined ? undefined : openSync(name, constants.O_RDWR | constants.O_NOCTTY);
  return () => {
    if (held !== undefined) closeSync(held);
  };
}

function readRestFirst(terminal: IPty, socket: { destroy(): void }): void {
  const destroy = socket.destroy.bind(socket);
  let heard = true;
  terminal.onData(() => (heard = true));
  // Each turn of the event loop reads once, before the immediates. A process in the background may go on for ever.
  const destroyWhenSilent = (turns: number) => {
    if (!heard || turns === 0) return destroy();
    heard = false;
    setImmediate(destroyWhenSilent, turns - 1);
  };
  socket.destroy = () => destroyWhenSilent(MAX_LAST_READS);
}

function signalName(number: number): string {
  return Object.entries(system.signals).find(([, value]) => value === number)?.[0] ?? String(number);
}
