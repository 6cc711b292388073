/**
 * A page as Markdown, made by turndown in a thread of its own.
 *
 * A page that is nested deeply enough keeps turndown busy for minutes or overflows its stack, and whoever
 * writes pages can do that on purpose: so the page is cut at 512 kB and the thread is ended after five
 * seconds, and then the page comes as plain text. The thread's program is a text and not a file, because
 * a file would be TypeScript where tests run and JavaScript where it is installed. It loads turndown
 * from where we found it, and it sees nothing of our environment.
 */
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { htmlToText } from "./html-to-text.js";

export const MAX_HTML_LENGTH = 512 * 1024;
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
  /** What is not as it should be, in a sentence. */
  readonly notice?: string;
};

/** `base` is what relative links are read from. Throws the signal's reason when that ended it. */
export async function htmlToMarkdown(
  html: string,
  {
    base,
    signal,
    timeLimit = TIME_LIMIT_MS,
  }: { readonly base: string; readonly signal: AbortSignal; readonly timeLimit?: number },
): Promise<Converted> {
  signal.throwIfAborted();
  const head = html.slice(0, MAX_HTML_LENGTH);
  const markdown = await inThread(head, { base, signal, timeLimit });
  signal.throwIfAborted();
  if (markdown === undefined)
    return {
      text: htmlToText(html),
      notice: "The page is built in a way that cannot be turned into Markdown, so this is its plain text.",
    };
  if (head.length === html.length) return { text: markdown };
  return {
    text: markdown,
    notice: 'This is Markdown of the first 512 kB of the page. Use format="raw" for all of it.',
  };
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
