/**
 * JSON for programs, which may come out at a terminal all the same. JSON itself spells out the control
 * characters below the space only; those above 7E steer a terminal as well.
 */

export function jsonText(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    STEERING,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** DEL, the C1 controls, and two that some programs take for the end of a line. */
const STEERING = /[\u007f-\u009f\u2028\u2029]/g;
