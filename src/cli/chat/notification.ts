/** Calls a person who looks elsewhere: a bell, and a notification where the terminal has them. */
import { oneLine } from "../../call/index.js";

const BELL = "\u0007";
const ESCAPE = "\u001B";

/** Two forms exist; a terminal that knows both would show both, so one is sent. */
export function notification(text: string, env: NodeJS.ProcessEnv = process.env): string {
  // A semicolon would end a field.
  const shown = oneLine(text, 120).replaceAll(";", ",");
  const isSecond = /^(?:rxvt|foot)/.test(env["TERM"] ?? "");
  const code = isSecond ? `777;notify;Toolgate;${shown}` : `9;${shown}`;
  return `${BELL}${ESCAPE}]${code}${BELL}`;
}
