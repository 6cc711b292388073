/** A key that nobody else has. Not `randomUUID`: pages without TLS do not have that one. */

export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
