/**
 * Converts a page to Markdown, with turndown in a worker thread.
 *
 * A deeply nested page keeps turndown busy for minutes or overflows its stack, and an author can do that on purpose:
 * so the thread ends after five seconds, and the page then becomes plain text; the caller bounds its length. The thread's
 * program is a string and not a file, because a file would be TypeScript in tests and JavaScript when installed. The
 * thread loads turndown from our resolved path and gets none of our environment.
 */
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { htmlToText } from "./html-to-text.js";

const TIME_LIMIT_MS = 5000;

const PROGRAM = `
const { workerData, parentPort } = require("node:worker_threads");
const TurndownService = require(workerData.turndown);
const { gfm } = require(workerData.gfm);
const absolute = (link) => {
  try {
    const url = new URL(link, workerData.base);
    return /^(https?|mailto):$/.test(url.protocol) ? url.href : "";
  } catch {
    return "";
  }
};
const service = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
service.use(gfm);
service.remove(["script", "style", "noscript", "template", "iframe", "svg", "textarea"]);
service.addRule("link", {
  filter: (node) => node.nodeName === "A" && node.hasAttribute("href"),
  replacement: (content, node) => {
    const link = absolute(node.getAttribute("href"));
    return link === "" || content.trim() === "" ? content : "[" + content + "](" + link + ")";
  },
});
service.addRule("image", {
  filter: "img",
  replacement: (content, node) => {
    const link = absolute(node.getAttribute("src") || "");
    const alt = (node.getAttribute("alt") || "").trim();
    return link === "" ? alt : "![" + alt + "](" + link + ")";
  },
});
parentPort.postMessage(service.turndown(workerData.html));
`;

export type Converted = {
  readonly text: string;
  /** A sentence about what is missing or cut. */
  readonly notice?: string;
};

/** `base` is what relative links are read from. Throws the signal's reason when the signal aborted it. */
export async function htmlToMarkdown(
  html: string,
  {
    base,
    signal,
    timeLimit = TIME_LIMIT_MS,
  }: { readonly base: string; readonly signal: AbortSignal; readonly timeLimit?: number },
): Promise<Converted> {
  signal.throwIfAborted();
  const markdown = await inThread(html, { base, signal, timeLimit });
  signal.throwIfAborted();
  if (markdown === undefined)
    return {
      text: htmlToText(html),
      notice: "The page is built in a way that cannot be turned into Markdown, so this is its plain text.",
    };
  return { text: markdown };
}

type ThreadOptions = { readonly base: string; readonly signal: AbortSignal; readonly timeLimit: number };

/** Undefined when it fails, takes too long or too much memory. */
function inThread(html: string, { base, signal, timeLimit }: ThreadOptions): Promise<string | undefined> {
  const require = createRequire(import.meta.url);
  const worker = new Worker(PROGRAM, {
    eval: true,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 512 },
    workerData: {
      html,
      base,
      turndown: require.resolve("turndown"),
      gfm: require.resolve("@joplin/turndown-plugin-gfm"),
    },
  });
  const stop = () => void worker.terminate();
  const timer = setTimeout(stop, timeLimit);
  signal.addEventListener("abort", stop, { once: true });
  return new Promise<string | undefined>((resolve) => {
    worker.once("message", (text: unknown) => resolve(typeof text === "string" ? text : undefined));
    worker.once("error", () => resolve(undefined));
    worker.once("exit", () => resolve(undefined));
  }).finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    stop();
  });
}
