/**
 * Walks the syntax tree of a shell text the way a shell would run it: every branch, every loop body
 * once, every substitution where it stands. Which folders the shell may be in is carried along.
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
} from "unbash";
import { expansionsIn } from "./expansions.js";
import { eitherWay } from "./folders.js";
import { afterwards, either, type Outcome, staying } from "./outcome.js";
import { MAX_LENGTH, parseText } from "./parse-text.js";
import { readRedirects } from "./read-redirects.js";
import type { ShellContext } from "./shell-context.js";
import { excerpt } from "./excerpt.js";
import { printedText } from "./printed-text.js";
import { testDoubts } from "./test-doubts.js";
import { unportable } from "./unportable.js";
import { readSimpleCommand } from "./walk-command.js";
import { readWords } from "./walk-words.js";

export function walkText(text: string, context: ShellContext): Outcome {
  const { draft, depth, folders, language } = context;
  const other = language === "sh" ? unportable(text.slice(0, MAX_LENGTH)) : undefined;
  if (other?.type === "differs") draft.doubt(other.doubt);
  const outcome = draft.affords(1, depth) ? walkScript(parseText(text, draft), context) : staying(folders);
  if (other && !draft.isInDoubt()) draft.doubt(other.doubt);
  return outcome;
}

function walkScript(script: ParsedScript, context: ShellContext): Outcome {
  for (const { message } of script.errors ?? [])
    context.draft.doubt(`it is not well-formed: ${excerpt(message)}`);
  return walkStatements(script.commands, context);
}

function walkStatements(statements: readonly Statement[], context: ShellContext): Outcome {
  let outcome = staying(context.folders);
  for (const statement of statements) {
    if (context.draft.isFull() || !context.draft.affords(1, context.depth)) break;
    const folders = afterwards(outcome, context.draft);
    const inner: ShellContext = { ...context, folders };
    const after = walkAndOr(statement.command, statement.background ? inBackground(inner) : inner);
    // zsh puts only the last part of `cd a && b &` in the background.
    if (statement.background && statement.command.type === "AndOr" && isElsewhere(after, inner))
      onlyInSome("a folder change before &", context);
    outcome = statement.background ? staying(folders) : after;
  }
  return outcome;
}

/** Whether the shell may be in another folder than before. */
const isElsewhere = (outcome: Outcome, { draft, folders }: ShellContext): boolean =>
  eitherWay(afterwards(outcome, draft), folders).length > folders.length;

const inBackground = (context: ShellContext): ShellContext => ({ ...context, isBackground: true });

const walkList = (list: CompoundList, context: ShellContext) => walkStatements(list.commands, context);

function walkAndOr(node: PipelineNode | AndOr, context: ShellContext): Outcome {
  if (node.type !== "AndOr") return walkPipeline(node, context);
  let outcome = staying(context.folders);
  for (const [index, command] of node.commands.entries()) {
    const operator = index === 0 ? undefined : node.operators[index - 1];
    if (operator === "||") {
      const next = walkPipeline(command, { ...context, folders: outcome.fail });
      outcome = { ok: afterwards({ ok: outcome.ok, fail: next.ok }, context.draft), fail: next.fail };
    } else {
      const next = walkPipeline(command, { ...context, folders: outcome.ok });
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
    const inner: ShellContext = { ...context, fed, feeds };
    // ksh and yash wait for the last one only: `(sleep 9; cat a) | true` goes on.
    const goesOn = context.language === "sh" && !isLast && command.type !== "Command";
    const after = walkCommand(command, goesOn ? inBackground(inner) : inner);
    feeds = context.draft.commands.slice(start);
    if (isLast && isElsewhere(after, context)) onlyInSome("a folder change behind a pipe", context);
  }
  return staying(context.folders);
}

function negated(node: Pipeline, { ok, fail }: Outcome): Outcome {
  const swaps = node.prefixes.filter((prefix) => prefix.type === "Negation").length % 2 === 1;
  return swaps ? { ok: fail, fail: ok } : { ok, fail };
}

function walkCommand(node: CommandNode | CompoundList, context: ShellContext): Outcome {
  const { draft, folders } = context;
  const inner = { ...context, depth: context.depth + 1 };
  if (draft.isFull() || !draft.affords(1, inner.depth)) return staying(folders);
  switch (node.type) {
    case "Command":
      if (RESERVED_ELSEWHERE.has(node.name?.text ?? "")) onlyInSome(node.name?.text ?? "", context);
      // zsh runs `cat` or `more` for it.
      if (!node.name && node.redirects.length > 0) onlyInSome("a redirect without a command", context);
      walkExpansions(node, context);
      return readSimpleCommand(node, context, walkText);
    case "CompoundList":
      return walkList(node, inner);
    case "BraceGroup":
      return walkList(node.body, inner);
    case "Subshell":
      walkList(node.body, inner);
      return staying(folders);
    case "Redirected":
      return walkRedirected(node, inner);
    case "If":
      return walkIf(node, inner);
    case "While":
      return walkLoop([node.clause, node.body], inner);
    case "For":
    case "Select":
      draft.doubt(`a loop sets the variable ${excerpt(node.name.text)}`);
      for (const word of node.wordlist ?? []) walkExpansions(word, inner);
      return walkLoop([node.body], inner);
    case "ArithmeticFor":
      draft.doubt("a loop calculates, and a calculation can run commands");
      for (const sum of [node.initialize, node.test, node.update]) if (sum) walkExpansions(sum, inner);
      return walkLoop([node.body], inner);
    case "Case":
      return walkCase(node, inner);
    case "Function":
      draft.doubt(`it defines the function ${excerpt(node.name.text)}, which takes the place of a program`);
      walkCommand(node.body, inner);
      return staying(folders);
    case "Coproc":
      draft.doubt("a coproc sets variables");
      walkCommand(node.body, inner);
      return staying(folders);
    case "TestCommand":
      onlyInSome("[[", context);
      for (const doubt of testDoubts(node.expression)) draft.doubt(doubt);
      walkExpansions(node, inner);
      return staying(folders);
    case "ArithmeticCommand":
      draft.doubt("a calculation can run commands and set variables");
      walkExpansions(node, inner);
      return staying(folders);
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
  const then = walkList(node.then, { ...context, folders: test.ok });
  let skipped = test.fail;
  let outcome = then;
  for (const branch of node.elif) {
    const tested = walkList(branch.clause, { ...context, folders: skipped });
    outcome = either(outcome, walkList(branch.then, { ...context, folders: tested.ok }), context.draft);
    skipped = tested.fail;
  }
  const otherwise = node.else ? walkList(node.else, { ...context, folders: skipped }) : staying(skipped);
  return either(outcome, otherwise, context.draft);
}

function walkLoop(lists: readonly CompoundList[], context: ShellContext): Outcome {
  let { folders } = context;
  for (const list of lists) folders = afterwards(walkList(list, { ...context, folders }), context.draft);
  if (isElsewhere(staying(folders), context)) {
    context.draft.doubt("a loop changes the folder");
  }
  return staying(afterwards({ ok: folders, fail: context.folders }, context.draft));
}

function walkCase(node: Case, context: ShellContext): Outcome {
  walkExpansions(node.word, context);
  let { folders } = context;
  for (const { pattern, body } of node.items) {
    for (const word of pattern) walkExpansions(word, context);
    // A branch may be reached past the ones before it (`;&`), with the folders they left.
    folders = afterwards(
      either(staying(folders), walkList(body, { ...context, folders }), context.draft),
      context.draft,
    );
  }
  return staying(folders);
}

function walkRedirected({ command, redirects }: Redirected, context: ShellContext): Outcome {
  for (const redirect of redirects) walkExpansions(redirect, context);
  const found = readRedirects(redirects);
  for (const doubt of found.doubts) context.draft.doubt(doubt);
  const writes = [...context.writes, ...found.writes];
  const reads = [...context.reads, ...found.reads];
  const before = context.draft.commands.length;
  const outcome = walkCommand(command, {
    ...context,
    writes,
    reads,
    fed: found.fed ?? context.fed,
    fedText: found.fed ?? context.fedText,
  });
  // `[[ a ]] > file` has no command that could carry the file.
  if (context.draft.commands.length === before && writes.length + reads.length > 0) {
    readWords({ argv: [], globs: [], patterns: [], writes, reads }, context, walkText);
  }
  return outcome;
}

/** The substitutions of a piece of syntax, each in a shell of its own. */
function walkExpansions(node: SyntaxNode, context: ShellContext): void {
  const { scripts, doubts } = expansionsIn(node);
  for (const doubt of doubts) context.draft.doubt(doubt);
  const inner = { ...context, depth: context.depth + 1, writes: [], reads: [] };
  for (const script of scripts) {
    if (context.draft.isFull() || !context.draft.affords(1, inner.depth)) return;
    walkScript(script, inner);
  }
}
