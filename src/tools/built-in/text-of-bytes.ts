/** Decodes bytes as text, or gives the reason why they are not text. */

export type Decoded = { readonly text: string } | { readonly problem: "nul" | "utf-16" | "not-utf-8" };

/** `mayEndEarly`: the bytes may end in the middle of a character, which is left out. */
export function textOfBytes(
  bytes: Uint8Array,
  { mayEndEarly = false }: { readonly mayEndEarly?: boolean } = {},
): Decoded {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff))
    return { problem: "utf-16" };
  if (bytes.includes(0)) return { problem: "nul" };
  try {
    // The byte order mark stays: a diff must show what is there.
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return { text: decoder.decode(bytes, { stream: mayEndEarly }) };
  } catch {
    return { problem: "not-utf-8" };
  }
}
