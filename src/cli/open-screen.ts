/** The screen of a turn: a terminal that can redraw shows open calls in place; any other output only appends text. */
import { fstatSync } from "node:fs";
import { coloured, wantsColour } from "./colour.js";
import { LiveBlock } from "./live-block.js";
import { LiveText } from "./live-text.js";
import type { LiveTextOptions, ShownSession } from "./live-text.js";
import { screenTerminal } from "./screen-terminal.js";

export type OpenedScreen = {
  readonly live: LiveText;
  readonly isColoured: boolean;
  /** True when a person can be asked. */
  readonly hasPerson: boolean;
};

/** Shown below the calls while a turn is being cancelled. */
export const CANCELLING = "Cancelling … press Ctrl-C again to quit now.";

export function openScreen(
  session: ShownSession,
  { turnFacts }: Pick<LiveTextOptions, "turnFacts"> = {},
): OpenedScreen {
  const { stdout, env } = process;
  const isColoured = wantsColour(stdout);
  const shown = isColoured ? coloured : (text: string) => text;
  const block = stdout.isTTY && env["TERM"] !== "dumb" ? new LiveBlock(screenTerminal, shown) : undefined;
  const live = new LiveText(session, {
    write: (text) => void stdout.write(shown(text)),
    block,
    isSharedWithErrors: areReadTogether(),
    isStyled: isColoured,
    turnFacts: () => [...(turnFacts?.() ?? []), "Ctrl-C cancels"],
  });
  return { live, isColoured, hasPerson: hasPerson() };
}

/** True when a person reads and writes here. */
export const hasPerson = (): boolean => process.stdin.isTTY && process.stdout.isTTY;

/** True when stdout and stderr are the same terminal, pipe or file. */
function areReadTogether(): boolean {
  try {
    const [out, errors] = [fstatSync(process.stdout.fd), fstatSync(process.stderr.fd)];
    return out.dev === errors.dev && out.ino === errors.ino;
  } catch {
    // A closed stream has no reader.
    return false;
  }
}
