/**
 * The page's own files. Names with a hash never change and may be cached for ever; the page itself is asked for each time.
 * Nothing outside of the folder is read, and the page may load nothing from elsewhere.
 */
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

const TYPES: ReadonlyMap<string, string> = new Map([
  [".html", "text/html; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".json", "application/json"],
  [".webmanifest", "application/manifest+json"],
  [".svg", "image/svg+xml"],
  [".png", "image/png"],
  [".ico", "image/x-icon"],
  [".woff2", "font/woff2"],
  [".wasm", "application/wasm"],
]);

/** Files that get much smaller when they are compressed. */
const TEXTS: ReadonlySet<string> = new Set([".html", ".js", ".css", ".json", ".svg"]);

type Bytes = Uint8Array<ArrayBuffer>;

const SAFE_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
} as const;

/** Names of files, and of folders before them: no dots alone, no empty parts. */
const PLAIN_PATH = /^\/(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/;
const HASHED = /[-.][\w-]{8,}\.\w+$/;

/** Addresses of the page itself, which shows its views by their paths. Apps have /sessions, so a session is at /s/<id>. */
const VIEWS = /^\/(?:$|login$|inbox$|s(?:\/|$)|history$|stats$|rules$|devices$|q\/)/;

export class StaticFiles {
  readonly #folder: string | undefined;
  readonly #packedFiles = new Map<string, Bytes>();

  /** Without a folder the page was not built. */
  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  /** Whether a request for this path is for the page: one of its views, or one of its files. */
  isPath(path: string): boolean {
    return (
      VIEWS.test(path) || (PLAIN_PATH.test(path) && TYPES.has(extname(path)) && path !== "/openapi.json")
    );
  }

  /** The page itself, with the status 404, for a path that is none of its own. */
  async response(path: string, acceptedEncodings = ""): Promise<Response> {
    const isMissing = !this.isPath(path);
    const isView = isMissing || VIEWS.test(path);
    const read = await this.#read(isView ? "/index.html" : path);
    if (!read) return isView ? notBuilt() : plain(404, `There is no ${path}.`);
    const isHashed = path.startsWith("/assets/") && HASHED.test(path);
    const isText = isView || TEXTS.has(extname(path));
    const isPacked = isText && /\bgzip\b/.test(acceptedEncodings);
    const bytes = isPacked ? await this.#packed(path, read, isHashed) : read;
    return new Response(bytes, {
      status: isMissing ? 404 : 200,
      headers: {
        ...SAFE_HEADERS,
        ...(isText && { vary: "accept-encoding" }),
        ...(isPacked && { "content-encoding": "gzip" }),
        "content-type": TYPES.get(isView ? ".html" : extname(path)) ?? "application/octet-stream",
        "cache-control": isHashed ? "public, max-age=31536000, immutable" : "no-cache",
      },
    });
  }

  /** A file with a hash in its name is compressed once. */
  async #packed(path: string, bytes: Bytes, isHashed: boolean): Promise<Bytes> {
    const known = this.#packedFiles.get(path);
    if (known) return known;
    const packed = new Uint8Array(await promisify(gzip)(bytes));
    if (isHashed) this.#packedFiles.set(path, packed);
    return packed;
  }

  async #read(path: string): Promise<Bytes | undefined> {
    if (this.#folder === undefined || !PLAIN_PATH.test(path)) return undefined;
    try {
      return new Uint8Array(await readFile(join(this.#folder, path)));
    } catch {
      return undefined;
    }
  }
}

const notBuilt = (): Response =>
  plain(404, "This server has no page: it was started without one. Its API is described in /openapi.json.");

const plain = (status: number, text: string): Response =>
  new Response(`${text}\n`, {
    status,
    headers: { ...SAFE_HEADERS, "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  });
