/**
 * Walks the syntax tree of a shell text the way a shell would run it: every branch, every loop body,
 * every substitution where it stands. The states the shell may be in are carried along.
 */
import {
  type AndOr,
  type Case,
  type CommandNode,
  type CompoundList,
  type If,
  type ParsedScript,
  type Pipeline,
  type PipelineNode,
  type Redirected,
  type Statement,
  type SyntaxNode,
  forEachChild,
} from "unbash";
import { expansionsIn } from "./expansions.js";
import { afterwards, either, type Outcome, staying } from "./outcome.js";
import { MAX_LENGTH, parseText } from "./parse-text.js";
import { readRedirects } from "./read-redirects.js";
import { type ShellContext, scopeOf } from "./shell-context.js";
import { excerpt } from "./excerpt.js";
import { printedText } from "./printed-text.js";
import { testDoubts } from "./test-doubts.js";
import { unportable } from "./unportable.js";
import { readSimpleCommand } from "./read-simple-command.js";
import { walkFor, walkWhile } from "./walk-loop.js";
import { plainWords, readWords } from "./walk-words.js";
import { eitherWay } from "./ways.js";

export function walkText(text: string, context: ShellContext): Outcome {
  const { draft, depth, ways, language } = context;
  const other = language === "sh" ? unportable(text.slice(0, MAX_LENGTH)) : undefined;
  if (other?.type === "differs") draft.doubt(other.doubt);
  const outcome = draft.affords(1, depth) ? walkScript(parseText(text, draft), context) : staying(ways);
  if (other && !draft.isInDoubt()) draft.doubt(other.doubt);
  return outcome;
}

function walkScript(script: ParsedScript, context: ShellContext): Outcome {
  for (const { message } of script.errors ?? [])
    context.draft.doubt(`it is not well-formed: ${excerpt(message)}`);
  return walkStatements(script.commands, context);
}

function walkStatements(statements: readonly Statement[], context: ShellContext): Outcome {
  let outcome = staying(context.ways);
  for (const statement of statements) {
    if (context.draft.isFull() || !context.draft.affords(1, context.depth)) break;
    const ways = afterwards(outcome, context.draft);
    const inner: ShellContext = { ...context, ways };
    const after = walkAndOr(statement.command, statement.background ? inBackground(inner) : inner);
    // zsh puts only the last part of `cd a && b &` in the background.
    if (statement.background && statement.command.type === "AndOr" && isElsewhere(after, inner))
      onlyInSome("a change of the shell's state before &", context);
    outcome = statement.background ? staying(ways) : after;
  }
  return outcome;
}

/** Whether the shell may be in another state than before. */
const isElsewhere = (outcome: Outcome, { draft, ways }: ShellContext): boolean =>
  eitherWay(afterwards(outcome, draft), ways).length > ways.length;

const inBackground = (context: ShellContext): ShellContext => ({
  ...inSubshell(context),
  isBackground: true,
});

/** Changes of the state in there do not last. */
function inSubshell(context: ShellContext): ShellContext {
  const { loop: _, ...inner } = context;
  return inner;
}

const walkList = (list: CompoundList, context: ShellContext) => walkStatements(list.commands, context);

function walkAndOr(node: PipelineNode | AndOr, context: ShellContext): Outcome {
  if (node.type !== "AndOr") return walkPipeline(node, context);
  let outcome = staying(context.ways);
  for (const [index, command] of node.commands.entries()) {
    const operator = index === 0 ? undefined : node.operators[index - 1];
    if (operator === "||") {
      const next = walkPipeline(command, { ...context, ways: outcome.fail });
      outcome = { ok: afterwards({ ok: outcome.ok, fail: next.ok }, context.draft), fail: next.fail };
    } else {
      const next = walkPipeline(command, { ...context, ways: outcome.ok });
      const fail = operator ? afterwards({ ok: outcome.fail, fail: next.fail }, context.draft) : next.fail;
      outcome = { ok: next.ok, fail };
    }
  }
  return outcome;
}

function walkPipeline(node: PipelineNode, context: ShellContext): Outcome {
  if (node.type !== "Pipeline") return walkCommand(node, context);
  if (node.prefixes.some(({ type }) => type === "Time")) onlyInSome("time", context);
  const [only, ...more] = node.commands;
  if (only && more.length === 0) return negated(node, walkCommand(only, context));
  let { feeds } = context;
  for (const [index, command] of node.commands.entries()) {
    const before = index === 0 ? undefined : node.commands[index - 1];
    const fed = before ? printedText(before) : context.fed;
    const start = context.draft.commands.length;
    const isLast = index === node.commands.length - 1;
    const inner: ShellContext = { ...inSubshell(context), fed, feeds };
    // ksh and yash wait for the last one only: `(sleep 9; cat a) | true` continues in the background.
    const isBackground = context.language === "sh" && !isLast && command.type !== "Command";
    const after = walkCommand(command, isBackground ? inBackground(inner) : inner);
    feeds = context.draft.commands.slice(start);
    if (isLast && isElsewhere(after, context))
      onlyInSome("a change of the shell's state behind a pipe", context);
  }
  return staying(context.ways);
}

function negated(node: Pipeline, { ok, fail }: Outcome): Outcome {
  const swaps = node.prefixes.filter((prefix) => prefix.type === "Negation").length % 2 === 1;
  return swaps ? { ok: fail, fail: ok } : { ok, fail };
}

function walkCommand(node: CommandNode | CompoundList, context: ShellContext): Outcome {
  const { draft, ways } = context;
  const inner = { ...context, depth: context.depth + 1 };
  if (draft.isFull() || !draft.affords(1, inner.depth)) return staying(ways);
  switch (node.type) {
    case "Command":
      if (RESERVED_ELSEWHERE.has(node.name?.text ?? "")) onlyInSome(node.name?.text ?? "", context);
      // zsh runs `cat` or `more` for it.
      if (!node.name && node.redirects.length > 0) onlyInSome("a redirect without a command", context);
      walkSubstitutions(node, context);
      return readSimpleCommand(node, context, walkText);
    case "CompoundList":
      return walkList(node, inner);
    case "BraceGroup":
      return walkList(node.body, inner);
    case "Subshell":
      walkList(node.body, inSubshell(inner));
      return staying(ways);
    case "Redirected":
      return walkRedirected(node, inner);
    case "If":
      return walkIf(node, inner);
    case "While":
      return walkWhile([node.clause, node.body], inner, walkList);
    case "For":
      for (const word of node.wordlist ?? []) walkSubstitutions(word, inner);
      return walkFor(node, inner, walkList);
    case "Select":
      draft.doubt(`a loop sets the variable ${excerpt(node.name.text)}`);
      for (const word of node.wordlist ?? []) walkExpansions(word, inner);
      return walkWhile([node.body], inner, walkList);
    case "ArithmeticFor":
      draft.doubt("a loop calculates, and a calculation can run commands");
      for (const sum of [node.initialize, node.test, node.update]) if (sum) walkExpansions(sum, inner);
      return walkWhile([node.body], inner, walkList);
    case "Case":
      return walkCase(node, inner);
    case "Function":
      draft.doubt(`it defines the function ${excerpt(node.name.text)}, which takes the place of a program`);
      walkCommand(node.body, inner);
      return staying(ways);
    case "Coproc":
      draft.doubt("a coproc sets variables");
      walkCommand(node.body, inner);
      return staying(ways);
    case "TestCommand":
      onlyInSome("[[", context);
      for (const doubt of testDoubts(node.expression)) draft.doubt(doubt);
      walkComparison(node, inner);
      return staying(ways);
    case "ArithmeticCommand":
      draft.doubt("a calculation can run commands and set variables");
      walkExpansions(node, inner);
      return staying(ways);
    default:
      return node satisfies never;
  }
}

/** Names of programs for bash, where it reads them as such, that begin a construct in zsh or ksh. */
const RESERVED_ELSEWHERE = new Set(
  "- [[ ]] always coproc end foreach function namespace nocorrect noglob repeat select time".split(" "),
);

/** A word that begins a construct in some shells and is the name of a program in others. */
function onlyInSome(word: string, { draft, language }: ShellContext): void {
  if (language === "sh") draft.doubt(`bash and other shells read ${excerpt(word)} differently`);
}

function walkIf(node: If, context: ShellContext): Outcome {
  const test = walkList(node.clause, context);
  const then = walkList(node.then, { ...context, ways: test.ok });
  let skipped = test.fail;
  let outcome = then;
  for (const branch of node.elif) {
    const tested = walkList(branch.clause, { ...context, ways: skipped });
    outcome = either(outcome, walkList(branch.then, { ...context, ways: tested.ok }), context.draft);
    skipped = tested.fail;
  }
  const otherwise = node.else ? walkList(node.else, { ...context, ways: skipped }) : staying(skipped);
  return either(outcome, otherwise, context.draft);
}

function walkCase(node: Case, context: ShellContext): Outcome {
  walkComparison(node.word, context);
  let { ways } = context;
  for (const { pattern, body } of node.items) {
    for (const word of pattern) walkComparison(word, context);
    // A branch may be reached past the ones before it (`;&`), with the states they left.
    ways = afterwards(
      either(staying(ways), walkList(body, { ...context, ways }), context.draft),
      context.draft,
    );
  }
  return staying(ways);
}

function walkRedirected({ command, redirects }: Redirected, context: ShellContext): Outcome {
  for (const redirect of redirects) walkSubstitutions(redirect, context);
  const [way, ...others] = context.ways;
  if (!way) return staying(context.ways);
  const found = readRedirects(redirects, scopeOf(way, context));
  const isOther = others.some(
    (other) => JSON.stringify(readRedirects(redirects, scopeOf(other, context))) !== JSON.stringify(found),
  );
  if (isOther) context.draft.doubt("a redirect depends on what came before");
  for (const doubt of found.doubts) context.draft.doubt(doubt);
  if (found.process !== undefined && !readsLines(command))
    context.draft.doubt(`${found.process} runs a command beside it`);
  const writes = [...context.writes, ...found.writes];
  const reads = [...context.reads, ...found.reads];
  const before = context.draft.commands.length;
  const outcome = walkCommand(command, {
    ...context,
    writes,
    reads,
    fed: found.fed ?? context.fed,
    fedText: found.fed ?? context.fedText,
    ...(found.fed !== undefined && { isFedUnknown: found.isFedUnknown }),
    // Another input takes the place of the pipe's.
    ...(found.fed !== undefined || found.reads.length > 0 ? { feeds: [] } : {}),
  });
  // `[[ a ]] > file` has no command that could carry the file.
  if (context.draft.commands.length === before && writes.length + reads.length > 0) {
    readWords({ ...plainWords([]), writes, reads }, context, walkText);
  }
  return outcome;
}

/** `while read -r line; do …; done`, which reads its input to the end. */
function readsLines(node: SyntaxNode): boolean {
  if (node.type !== "While" || node.kind !== "while" || node.clause.commands.length !== 1) return false;
  const clause = node.clause.commands[0]?.command;
  if (clause?.type !== "Command" || clause.name?.text !== "read") return false;
  const waiting: SyntaxNode[] = [node.body];
  for (let inner = waiting.pop(); inner; inner = waiting.pop()) {
    if (inner.type === "Command" && ENDS_LOOP.test(inner.name?.text ?? "")) return false;
    forEachChild(inner, (child) => waiting.push(child));
  }
  return true;
}

const ENDS_LOOP = /^(?:break|exit|return|exec|kill)$/;

/** The substitutions of a piece of syntax, each in a shell of its own, and a doubt for every expansion. */
function walkExpansions(node: SyntaxNode, context: ShellContext): void {
  for (const doubt of expansionsIn(node).doubts) context.draft.doubt(doubt);
  walkSubstitutions(node, context);
}

/** A piece of syntax whose values are only compared. */
function walkComparison(node: SyntaxNode, context: ShellContext): void {
  for (const doubt of expansionsIn(node, { isCompared: true }).doubts) context.draft.doubt(doubt);
  walkSubstitutions(node, context);
}

function walkSubstitutions(node: SyntaxNode, context: ShellContext): void {
  const { scripts } = expansionsIn(node);
  const inner = { ...inSubshell(context), depth: context.depth + 1, writes: [], reads: [] };
  for (const script of scripts) {
    if (context.draft.isFull() || !context.draft.affords(1, inner.depth)) return;
    walkScript(script, inner);
  }
}
