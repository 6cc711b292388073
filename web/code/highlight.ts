/** Asks the worker for colours. Without a worker, for a language that it does not know, or for long code there are none. */
declare const HIGHLIGHT_WORKER: string;

export type ColouredLine = readonly { readonly text: string; readonly className: string }[];
export type HighlightRequest = { readonly id: number; readonly code: string; readonly language: string };
export type HighlightReply = { readonly id: number; readonly lines?: readonly ColouredLine[] };

/** Languages by the names that fences use. JavaScript is coloured as TypeScript: a grammar is 180 kB. */
const LANGUAGES: Readonly<Record<string, string>> = {
  ts: "typescript",
  typescript: "typescript",
  tsx: "typescript",
  js: "typescript",
  javascript: "typescript",
  mjs: "typescript",
  json: "json",
  py: "python",
  python: "python",
  sh: "bash",
  bash: "bash",
  shell: "bash",
  css: "css",
  html: "html",
  yaml: "yaml",
  yml: "yaml",
  md: "markdown",
  rs: "rust",
  rust: "rust",
  go: "go",
};
const MAX_CHARACTERS = 50_000;

let worker: Worker | undefined;
let lastId = 0;
const waiting = new Map<number, (lines: readonly ColouredLine[] | undefined) => void>();

export function highlight(code: string, fence: string): Promise<readonly ColouredLine[] | undefined> {
  const name = fence.toLowerCase().split(/\s/)[0] ?? "";
  const language = Object.hasOwn(LANGUAGES, name) ? LANGUAGES[name] : undefined;
  if (language === undefined || code.length > MAX_CHARACTERS) return Promise.resolve(undefined);
  worker ??= start();
  lastId += 1;
  const request: HighlightRequest = { id: lastId, code, language };
  return new Promise((resolve) => {
    waiting.set(request.id, resolve);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin to name.
    worker?.postMessage(request);
  });
}

function start(): Worker {
  const started = new Worker(HIGHLIGHT_WORKER, { type: "module" });
  started.addEventListener("message", ({ data }: MessageEvent<HighlightReply>) => {
    waiting.get(data.id)?.(data.lines);
    waiting.delete(data.id);
  });
  started.addEventListener("error", () => {
    for (const resolve of waiting.values()) resolve(undefined);
    waiting.clear();
  });
  return started;
}
