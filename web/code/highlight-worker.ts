/** Colours code with shiki, one language at a time, outside the thread that paints the page. */
import { createHighlighterCore, type HighlighterCore, type ThemeRegistration } from "@shikijs/core";
import { createJavaScriptRegexEngine } from "@shikijs/engine-javascript";
import type { ColouredLine, HighlightReply, HighlightRequest } from "./highlight.js";

const LANGUAGES = new Map([
  ["typescript", () => import("@shikijs/langs/typescript")],
  ["json", () => import("@shikijs/langs/json")],
  ["python", () => import("@shikijs/langs/python")],
  ["bash", () => import("@shikijs/langs/bash")],
  ["css", () => import("@shikijs/langs/css")],
  ["html", () => import("@shikijs/langs/html")],
  ["yaml", () => import("@shikijs/langs/yaml")],
  ["markdown", () => import("@shikijs/langs/markdown")],
  ["rust", () => import("@shikijs/langs/rust")],
  ["go", () => import("@shikijs/langs/go")],
]);

/** The theme's colours only name classes, so that light and dark are the style sheet's matter. */
const CLASSES = new Map([
  ["#000001", "k-k"],
  ["#000002", "k-s"],
  ["#000003", "k-c"],
  ["#000004", "k-n"],
  ["#000005", "k-f"],
  ["#000006", "k-t"],
]);

const colour = (scope: string[], foreground: string) => ({ scope, settings: { foreground } });

const THEME: ThemeRegistration = {
  name: "classes",
  type: "light",
  fg: "#000000",
  bg: "#ffffff",
  settings: [
    colour(["keyword", "storage", "keyword.operator.new", "constant.language"], "#000001"),
    colour(["string", "markup.inline.raw"], "#000002"),
    colour(["comment", "punctuation.definition.comment"], "#000003"),
    colour(["constant.numeric", "constant.other"], "#000004"),
    colour(["entity.name.function", "support.function", "markup.heading"], "#000005"),
    colour(["entity.name.type", "support.type", "entity.name.tag", "entity.other.attribute-name"], "#000006"),
  ],
};

/** A line that takes longer, or is longer, gets no colours. The first line of a language also compiles its expressions. */
const LINE_LIMITS = { tokenizeTimeLimit: 10_000, tokenizeMaxLineLength: 5_000 } as const;

let started: Promise<HighlighterCore> | undefined;

async function lines({ code, language }: HighlightRequest): Promise<readonly ColouredLine[] | undefined> {
  const load = LANGUAGES.get(language);
  if (!load) return undefined;
  started ??= createHighlighterCore({ themes: [THEME], langs: [], engine: createJavaScriptRegexEngine() });
  const highlighter = await started;
  await highlighter.loadLanguage(await load());
  const { tokens } = highlighter.codeToTokens(code, { lang: language, theme: "classes", ...LINE_LIMITS });
  return tokens.map((line) =>
    line.map(({ content, color = "" }) => ({
      text: content,
      className: CLASSES.get(color.toLowerCase()) ?? "",
    })),
  );
}

addEventListener("message", ({ data }: MessageEvent<HighlightRequest>) => {
  const reply = (made: readonly ColouredLine[] | undefined): void =>
    postMessage({ id: data.id, ...(made && { lines: made }) } satisfies HighlightReply);
  lines(data).then(reply, () => reply(undefined));
});
