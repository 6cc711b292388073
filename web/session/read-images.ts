/** Images of a prompt, read in the browser. */
export type PromptImage = {
  readonly name: string;
  readonly mimeType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  /** In base64. */
  readonly data: string;
};

const TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
const MAX_BYTES = 5 * 1024 * 1024;

export async function readImages(files: Iterable<File>): Promise<readonly PromptImage[]> {
  const read = [...files].map(async (file) => {
    const mimeType = TYPES.find((type) => type === file.type);
    if (!mimeType || file.size > MAX_BYTES) return [];
    return [{ name: file.name, mimeType, data: base64(new Uint8Array(await file.arrayBuffer())) }];
  });
  return (await Promise.all(read)).flat();
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
