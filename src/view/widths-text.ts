/** The widths of "always" as lines: each with its exact rules and examples of what they would also let through. */
import type { OfferedWidth, ShownQuestion } from "../call/index.js";
import { visibleText } from "../call/index.js";
import { MIN_WIDTH, rows } from "./visible-line.js";

export function widthsText(widths: readonly OfferedWidth[], columns: number): string {
  return widths
    .flatMap(({ subject, lines: acts = [{ text: subject }], rules, examples }, index) => [
      ...acts.flatMap(({ text, note }, act) =>
        lines(
          `  ${act === 0 ? index + 1 : "+"}  ${visibleText(text)}${note === undefined ? "" : ` (${visibleText(note)})`}`,
          columns,
        ),
      ),
      ...rules.flatMap((rule) => lines(`     rule: ${visibleText(JSON.stringify(rule))}`, columns)),
      ...exampleLines(examples, columns),
    ])
    .join("\n");
}

/** The line below an "always" that shows what it would also let through. */
export function exampleLines(examples: readonly string[], columns: number): readonly string[] {
  if (examples.length === 0) return [];
  return lines(`     also lets through: ${examples.map((text) => visibleText(text)).join("; ")}`, columns);
}

/** The calls that wait with the one that is asked about, each with all that it is about to do. */
export function alikeText(questions: readonly ShownQuestion[], columns: number): string {
  return questions
    .flatMap(({ title, about = [] }) => [
      ...lines(`  + ${visibleText(title)}`, columns),
      ...about
        .filter((line) => EFFECT.test(line))
        .flatMap((line) => lines(`      ${visibleText(line)}`, columns)),
    ])
    .join("\n");
}

const EFFECT = /^(?:runs|runs in|sets|input|host|read|search|write|delete|move): /;

const lines = (text: string, columns: number): readonly string[] =>
  rows(text, { first: "", next: "        " }, Math.max(MIN_WIDTH, columns));
