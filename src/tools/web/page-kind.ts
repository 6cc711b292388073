/** The bytes of a page as text: which kind it says it is, and in which characters it is written. */

export type PageKind = "html" | "text" | "image" | "binary";

const IMAGES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const TEXTS =
  /^text\/|[/+](json|xml|yaml|x-yaml|javascript|ecmascript|toml|sql|x-sh|x-www-form-urlencoded|x-ndjson|jsonl|markdown)$/;

export const mediaType = (contentType: string): string =>
  (contentType.split(";")[0] ?? "").trim().toLowerCase();

/** The declared kind of a page. Without a declaration the bytes decide. */
export function pageKind(contentType: string, bytes: Buffer): PageKind {
  const type = mediaType(contentType);
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  if (IMAGES.has(type)) return "image";
  if (TEXTS.test(type)) return "text";
  if (type !== "" && type !== "application/octet-stream") return "binary";
  const start = bytes.subarray(0, 8192);
  if (start.includes(0)) return "binary";
  return /^\s*<(!doctype html|html)/i.test(start.toString("latin1")) ? "html" : "text";
}

/** In the charset of the byte order mark, the header or the page; UTF-8 where none is named or known. */
export function decodedText(bytes: Buffer, contentType: string, kind: PageKind): string {
  const inPage = kind === "html" ? charsetIn(metaTags(bytes)) : undefined;
  const label = [markedCharset(bytes), charsetIn(contentType), inPage].find(isKnown) ?? "utf-8";
  const decoder = new TextDecoder(label);
  // In two steps: Node 20 takes a short cut for Windows-1252 that loses its quotes, dashes and the euro.
  return decoder.decode(bytes, { stream: true }) + decoder.decode();
}

function isKnown(label: string | undefined): label is string {
  try {
    return label !== undefined && new TextDecoder(label).encoding !== "";
  } catch {
    return false;
  }
}

function markedCharset(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : undefined;
}

function charsetIn(text: string): string | undefined {
  return /charset\s{0,9}=\s{0,9}["']?([\w:.-]{1,40})/i.exec(text)?.[1];
}

/** Browsers, too, look for it in the first kilobyte only. */
function metaTags(bytes: Buffer): string {
  const start = bytes.subarray(0, 1024).toString("latin1");
  return (start.match(/<meta\s[^>]*>/gi) ?? []).join("");
}
