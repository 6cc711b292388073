/**
 * The whole text of a question, page by page, for doors that must bound each message. The preview of the call is not in
 * it: protocols send diffs and content as they are.
 */
import type { Question } from "./question.js";

/** `page` counts from 1. */
export type QuestionPage = { readonly page: number; readonly pages: number; readonly text: string };

const PAGE_CHARACTERS = 50_000;

/** Undefined when there is no such page. */
export function questionPage(question: Question, page: number): QuestionPage | undefined {
  const texts = pagesOf(wholeText(question));
  const text = texts[page - 1];
  return text === undefined ? undefined : { page, pages: texts.length, text };
}

/** How many characters of the whole text the question's `about` leaves out. */
export function hiddenCharacters(question: Question): number {
  const { about = [], wholeAbout } = question;
  return wholeAbout ? Math.max(1, wholeText(question).length - about.join("\n").length) : 0;
}

const wholeText = ({ about = [], wholeAbout = about }: Question): string => wholeAbout.join("\n");

/** No page ends between the two halves of a character. */
function pagesOf(text: string): readonly string[] {
  const pages: string[] = [];
  for (let start = 0; start < text.length || pages.length === 0;) {
    const end = start + PAGE_CHARACTERS;
    const isInsideCharacter = /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) && end < text.length;
    pages.push(text.slice(start, isInsideCharacter ? end - 1 : end));
    start += pages.at(-1)?.length || PAGE_CHARACTERS;
  }
  return pages;
}
