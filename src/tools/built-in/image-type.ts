/** Detects the image formats that models support by their first bytes: a name can lie. */

/** As Latin-1, one character for a byte; a dot is any byte. */
const SIGNATURES: readonly (readonly [type: string, signature: string])[] = [
  ["image/png", "\x89PNG\r\n\x1A\n"],
  ["image/jpeg", "\xFF\xD8\xFF"],
  ["image/gif", "GIF87a"],
  ["image/gif", "GIF89a"],
  ["image/webp", "RIFF....WEBP"],
];

/** The number of bytes that detection needs. */
export const SIGNATURE_BYTES = 12;

export function imageType(bytes: Uint8Array): string | undefined {
  return SIGNATURES.find(([, signature]) => startsWith(bytes, signature))?.[0];
}

function startsWith(bytes: Uint8Array, signature: string): boolean {
  return Array.from(signature).every(
    (character, index) => character === "." || bytes[index] === character.charCodeAt(0),
  );
}
