/**
 * JSON for programs that is safe to show on a terminal. JSON escapes only the control characters below the space;
 * those above 7E control a terminal as well.
 */

export function jsonText(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    TERMINAL_CONTROLS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** DEL, the C1 controls, and two characters that some programs read as a line end. */
const TERMINAL_CONTROLS = /[\u007f-\u009f\u2028\u2029]/g;
