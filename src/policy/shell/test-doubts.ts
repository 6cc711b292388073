/** `[[ … ]]` calculates with what it compares as numbers, and a calculation can run commands. */
import type { TestExpression } from "unbash";
import type { ShellLanguage } from "./shell-context.js";
import { excerpt } from "./excerpt.js";

export const SUMS = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"]);
const NAMES = new Set(["-v", "-R"]);
const NUMBER = /^[-+]?\d+$/;

export function testDoubts(root: TestExpression): readonly string[] {
  const doubts: string[] = [];
  const waiting: TestExpression[] = [root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node.type === "TestUnary" && NAMES.has(node.operator)) {
      doubts.push(`${node.operator} evaluates ${excerpt(node.operand.text)}`);
    } else if (node.type === "TestBinary" && SUMS.has(node.operator)) {
      const words = [node.left, node.right].filter(({ value }) => !NUMBER.test(value));
      for (const { text } of words) doubts.push(`${node.operator} evaluates ${excerpt(text)}`);
    } else if (node.type === "TestLogical") waiting.push(...node.operands);
    else if (node.type === "TestNot") waiting.push(node.operand);
    else if (node.type === "TestGroup") waiting.push(node.expression);
  }
  return doubts;
}

/** The words of `test` and `[`, which calculate in zsh, ksh and mksh: there `[ 'a[$(date)]' -eq 1 ]` runs date. */
export function testWordsDoubt(
  program: string,
  words: readonly string[],
  language: ShellLanguage,
): string | undefined {
  const named = words.find((word) => NAMES.has(word));
  if (named !== undefined) return `${program} ${named} evaluates the word after it`;
  if (language === "bash") return undefined;
  const evaluated = words.flatMap((word, at) => {
    if (SUMS.has(word)) return [words[at - 1], words[at + 1]].filter((value) => !NUMBER.test(value ?? ""));
    const next = words[at + 1];
    return word === "-t" && next !== undefined && next !== "]" && !NUMBER.test(next) ? [next] : [];
  });
  return evaluated.length === 0 ? undefined : `${program} may evaluate ${excerpt(evaluated[0] ?? "")}`;
}
