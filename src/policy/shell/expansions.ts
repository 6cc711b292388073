/**
 * The expansions inside a piece of syntax: a doubt for each, and the scripts of its command and process substitutions.
 * The walk uses its own stack, because sums may be nested by the thousand.
 */
import { forEachChild, type ParsedScript, type SyntaxNode } from "unbash";
import { excerpt } from "./excerpt.js";

export type Expansions = { readonly scripts: readonly ParsedScript[]; readonly doubts: readonly string[] };

/** `isCompared`: the values are compared and never become words, so that only expansions that do more are doubted. */
export function expansionsIn(root: SyntaxNode, { isCompared = false } = {}): Expansions {
  const scripts: ParsedScript[] = [];
  const doubts: string[] = [];
  const waiting: SyntaxNode[] = [root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const doubt = expansionDoubt(node);
    if (doubt !== undefined && !(isCompared && isOnlyRead(node))) doubts.push(doubt);
    const children: SyntaxNode[] = [];
    forEachChild(node, (child) => children.push(child));
    for (const child of children.toReversed()) {
      if (child.type === "Word" && child.parts === undefined) continue;
      if (child.type === "Script") scripts.push(child);
      else waiting.push(child);
    }
  }
  return { scripts, doubts };
}

/** An expansion that only reads a value, and changes and calculates nothing. */
function isOnlyRead(node: SyntaxNode): boolean {
  if (node.type === "SimpleExpansion" || node.type === "CommandExpansion") return true;
  return (
    node.type === "ParameterExpansion" &&
    !node.index &&
    !node.prefix &&
    (!node.operation ||
      /^(?:Remove|CaseModification)$/.test(node.operation.type) ||
      (node.operation.type === "Default" && !node.operation.operator.includes("=")))
  );
}

function expansionDoubt(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case "SimpleExpansion":
    case "ParameterExpansion":
      return `the value of ${excerpt(node.text)} is not known`;
    case "CommandExpansion":
      return `the output of ${excerpt(node.text)} is not known`;
    case "ArithmeticExpansion":
      return `the result of ${excerpt(node.text)} is not known`;
    case "ProcessSubstitution":
      return `${excerpt(node.text)} runs a command beside it`;
    case "ArithmeticCommandExpansion":
      return `the output of ${excerpt(node.text)} is not known`;
    case "ExtendedGlob":
      return `what ${excerpt(node.text)} matches is not known`;
    case "BraceExpansion":
      return `${excerpt(node.text)} becomes several words`;
    case "LocaleString":
      return `${excerpt(node.text)} is translated by the shell`;
    default:
      return undefined;
  }
}
