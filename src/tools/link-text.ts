/**
 * The target of a link as text and back. A target may be bytes that are no text: each of those stands in the text as half
 * a sign, which no text can have.
 */

export function textOfTarget(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString("utf8");
  if (Buffer.from(text).equals(bytes)) return text;
  return Buffer.from(bytes)
    .toString("latin1")
    .replaceAll(/[\x80-\xff]/g, (byte) => String.fromCharCode(HALF_SIGN + byte.charCodeAt(0)));
}

export const bytesOfTarget = (text: string): Buffer =>
  Buffer.from(text, /\p{Cs}/u.test(text) ? "latin1" : "utf8");

const HALF_SIGN = 0xdc_00;
