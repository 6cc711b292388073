/**
 * Fetches a page of the public web for the model. Two checks decide where it may go: the rules decide on the URL, and
 * the connection goes to a public address only, whatever the name resolves to.
 */
import { z } from "zod";
import { AMOUNT, checkOptions, FUNCTION } from "../../call/check-options.js";
import type { OptionChecks } from "../../call/check-options.js";
import { oneLine, pluralize, textContent } from "../../call/index.js";
import type { ContentBlock } from "../../call/index.js";
import { defineTool } from "../define-tool.js";
import type { Tool, ToolReturn } from "../tool.js";
import type { FetchLimits, Page } from "../web/fetch-page.js";
import type { ReachOptions } from "../web/guarded-agent.js";
import { htmlToMarkdown } from "../web/html-to-markdown.js";
import type { Converted } from "../web/html-to-markdown.js";
import { htmlToText } from "../web/html-to-text.js";
import { decodedText, mediaType, pageKind } from "../web/page-kind.js";

const MAX_BYTES = 10 * 1024 * 1024;
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
const MAX_TEXT = 100_000;
const MAX_HTML_LENGTH = 512 * 1024;
const TIME_LIMIT_MS = 30_000;

export type FetchOptions = ReachOptions & Partial<FetchLimits>;

const FETCH_OPTIONS: OptionChecks<FetchOptions> = {
  reach: FUNCTION,
  lookup: FUNCTION,
  timeLimit: AMOUNT,
  maxBytes: AMOUNT,
};

const input = () =>
  z.object({
    url: z.string().superRefine(checkUrl).describe("An http or https URL."),
    format: z
      .enum(["markdown", "text", "raw"])
      .default("markdown")
      .describe("How an HTML page comes: as Markdown, as its text, or as it is."),
    from: z.int().min(0).default(0).describe("The first character to return, to continue a long page."),
    maxBytes: z.int().min(1).max(MAX_BYTES).optional().describe("How many bytes to take at most."),
  });

export function fetchTool(options: FetchOptions = {}): Tool {
  checkOptions("fetchTool", options, FETCH_OPTIONS);
  const { timeLimit = TIME_LIMIT_MS, maxBytes = MAX_BYTES, ...reach } = options;
  return defineTool({
    name: "fetch",
    description:
      "Gets a page from the public web with GET: HTML as Markdown, other text as it is, images as images. " +
      `At most ${MAX_TEXT / 1000},000 characters come at a time; the last line says how to get the next. ` +
      "A redirect to another site is reported and not followed. Cannot log in, and cannot reach this machine or the local network.",
    kind: "fetch",
    input,
    async intent({ url }) {
      return { hosts: [url] };
    },
    async run(wanted, { signal }) {
      const limits = { timeLimit, maxBytes: Math.min(maxBytes, wanted.maxBytes ?? maxBytes) };
      // Loaded when the first page is wanted: it brings a whole HTTP client.
      const { fetchPage } = await import("../web/fetch-page.js");
      const page = await fetchPage(withoutFragment(wanted.url), { ...reach, ...limits, signal });
      if (page.type === "elsewhere") return elsewhere(page);
      return answer(page, await readable(page, { ...wanted, ...limits, signal }));
    },
  });
}

function checkUrl(text: string, context: z.RefinementCtx): void {
  const problem = urlProblem(text);
  if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
}

function urlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return "This is not a whole URL; it begins with https:// or http://";
  const { protocol, username, password } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") return "Only http and https URLs can be fetched";
  if (username !== "" || password !== "")
    return "The URL holds a user name or a password, and fetch sends neither; leave them out";
  return undefined;
}

/** The part after "#" is not for the server. */
function withoutFragment(text: string): URL {
  const url = new URL(text);
  url.hash = "";
  return url;
}

type FullPage = Page & { readonly type: "page" };

function elsewhere({ url, status, location }: Page & { readonly type: "elsewhere" }): string {
  return (
    `${oneLine(url.href, 500)} redirects (${status}) to ${oneLine(location, 2000)}\n` +
    "That is another origin, so it was not followed. Call fetch with that URL to go there."
  );
}

type Wanted = z.output<ReturnType<typeof input>> & FetchLimits & { readonly signal: AbortSignal };

/** The page's text, an image, or the reason why there is neither. */
async function readable(page: FullPage, wanted: Wanted): Promise<Converted | ContentBlock> {
  const { bytes, cut } = page.body;
  const kind = pageKind(page.contentType, bytes);
  if (kind === "binary" || (kind === "image" && (cut !== undefined || bytes.length > MAX_IMAGE_BYTES)))
    return { text: unreadable(page) };
  if (kind === "image")
    return { type: "image", data: bytes.toString("base64"), mimeType: mediaType(page.contentType) };
  const text = decodedText(bytes, page.contentType, kind);
  const converted = kind === "html" ? await fromHtml(text, page, wanted) : { text };
  return part(converted, cut === undefined ? undefined : cutNotice(page, wanted), wanted.from);
}

async function fromHtml(html: string, { url }: FullPage, { format, signal }: Wanted): Promise<Converted> {
  if (format === "raw") return { text: html };
  // Even linear parsing blocks the event loop.
  const head = html.slice(0, MAX_HTML_LENGTH);
  const { text, notice } =
    format === "text" ? { text: htmlToText(head) } : await htmlToMarkdown(head, { base: url.href, signal });
  const notices = [notice, head.length < html.length ? ONLY_THE_HEAD : undefined];
  const joined = notices.filter((one) => one !== undefined).join(" ");
  return joined === "" ? { text } : { text, notice: joined };
}

const ONLY_THE_HEAD = `This is made from the first ${MAX_HTML_LENGTH / 1024} kB of the page. Use format="raw" for all of it.`;

function unreadable({ contentType, body }: FullPage): string {
  const type = mediaType(contentType) || "binary data";
  const size =
    body.cut === undefined
      ? pluralize(body.bytes.length, "byte")
      : `more than ${pluralize(body.bytes.length, "byte")}`;
  return `[This is ${oneLine(type, 100)} of ${size}, which cannot be shown as text. Get it with a command, if a file is wanted.]`;
}

function cutNotice({ body }: FullPage, { timeLimit }: FetchLimits): string {
  return body.cut === "time"
    ? `The page was not complete after ${timeLimit / 1000} s. This is what had come by then.`
    : `The page is longer than ${pluralize(body.bytes.length, "byte")}. This is its beginning.`;
}

function part({ text, notice }: Converted, cut: string | undefined, from: number): Converted {
  const shown = text.slice(from, from + MAX_TEXT).replace(/[\uD800-\uDBFF]$/, "");
  const next = from + shown.length;
  const range =
    from >= text.length && from > 0
      ? `The page has only ${pluralize(text.length, "character")}. Use a smaller from.`
      : next < text.length
        ? `Characters ${from}-${next} of ${text.length}. Use from=${next} to continue.`
        : undefined;
  const notices = [cut, notice, range].filter((one) => one !== undefined).map((one) => `[${one}]`);
  return { text: [shown, ...notices].join("\n") };
}

function answer(page: FullPage, content: Converted | ContentBlock): ToolReturn {
  const head = [
    `HTTP ${page.status} ${oneLine(page.statusText, 100)}`.trim(),
    `Content-Type: ${oneLine(page.contentType, 200) || "not given"}`,
    `URL: ${oneLine(page.url.href, 2000)}`,
  ].join("\n");
  const isError = page.status >= 400 && { isError: true };
  if ("type" in content) {
    const blocks: readonly ContentBlock[] = [{ type: "text", text: head }, content];
    return {
      output: blocks,
      content: blocks.map((block) => ({ type: "content", content: block })),
      ...isError,
    };
  }
  const output = `${head}\n\n${content.text}`;
  return { output, content: [textContent(output)], ...isError };
}
