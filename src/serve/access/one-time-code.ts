/** One-time codes: short enough to type, too many to guess in their few minutes. */
import { hash, randomInt } from "node:crypto";

/** Without letters and digits that look alike. */
const ALPHABET = "ABCDEFGHJKMNPQRSTVWXYZ23456789";
const GROUPS = 3;
const GROUP_LENGTH = 4;

/** `K7QF-2M9X-TT43`: 58 bits. */
export function newCode(): string {
  return Array.from({ length: GROUPS }, newGroup).join("-");
}

const newGroup = (): string =>
  Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");

/** The stored hash of a code. People type lower case and leave out the dashes. */
export const codeHash = (code: string): string =>
  hash("sha256", `code ${code.toUpperCase().replace(/[\s-]/g, "")}`);
