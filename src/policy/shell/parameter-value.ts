/** The value that one expansion has, as far as the text says it. */
import type {
  ArithmeticExpansionPart,
  ArithmeticExpression,
  CommandExpansionPart,
  ParameterExpansionPart,
  ParameterOperation,
  ParsedScript,
  SimpleExpansionPart,
  Word,
  WordPart,
} from "unbash";
import { excerpt } from "./excerpt.js";
import type { ShellLanguage } from "./shell-context.js";
import { isNumber, PRINTABLE } from "./variable-names.js";
import type { Value, Variables } from "./variables.js";

/** The part of a shell's state that words depend on. */
export type Scope = {
  readonly variables: Variables;
  readonly language: ShellLanguage;
  /** Inherited variables whose values are known: HOME. */
  readonly inherited: { readonly [name: string]: string };
  /** The absolute path of the folder; undefined when it is not known. */
  readonly folder: () => string | undefined;
};

export type Found = Value | { readonly type: "doubt"; readonly reason: string };

export type Expansion =
  | SimpleExpansionPart
  | ParameterExpansionPart
  | CommandExpansionPart
  | ArithmeticExpansionPart;

export const isExpansion = (part: WordPart): part is Expansion =>
  part.type === "SimpleExpansion" ||
  part.type === "ParameterExpansion" ||
  part.type === "CommandExpansion" ||
  part.type === "ArithmeticExpansion";

const UNKNOWN: Found = { type: "unknown" };
const NUMBER: Found = { type: "number" };
const text = (value: string): Found => ({ type: "text", text: value });

export function expansionValue(part: Expansion, scope: Scope): Found {
  switch (part.type) {
    case "SimpleExpansion":
      return variableValue(part.text.slice(1), part.text, scope);
    case "ParameterExpansion":
      return parameterValue(part, scope);
    case "CommandExpansion":
      return scope.language === "bash"
        ? outputOf(part.script, scope)
        : { type: "doubt", reason: `the output of ${excerpt(part.text)} is not known` };
    case "ArithmeticExpansion":
      return scope.language === "bash" && part.expression && isPlainSum(part.expression, scope)
        ? { type: "number", maySign: true }
        : { type: "doubt", reason: `the result of ${excerpt(part.text)} is not known` };
    default:
      return part satisfies never;
  }
}

const notKnown = (shown: string): Found => ({
  type: "doubt",
  reason: `the value of ${excerpt(shown)} is not known`,
});

function variableValue(name: string, shown: string, scope: Scope): Found {
  if (name === "!" && scope.language === "bash") return { type: "number", isJob: true };
  if (isNumber(name, scope.language)) return NUMBER;
  const set = scope.variables.get(name);
  if (set) return set;
  const folder = name === "PWD" ? scope.folder() : undefined;
  if (folder !== undefined) return text(folder);
  const inherited = Object.hasOwn(scope.inherited, name) ? scope.inherited[name] : undefined;
  if (inherited !== undefined) return text(inherited);
  return PRINTABLE.has(name) ? UNKNOWN : notKnown(shown);
}

function parameterValue(part: ParameterExpansionPart, scope: Scope): Found {
  const { parameter, prefix, index, operation, text: shown } = part;
  if (index) {
    const isStatus = parameter === "PIPESTATUS" && /^\d+$/.test(index.text) && !prefix && !operation;
    return isStatus && scope.language === "bash" ? NUMBER : notKnown(shown);
  }
  if (!/^(?:\w+|[?#$!])$/.test(parameter) || prefix === "!") return notKnown(shown);
  if (prefix === "#") return operation || /^\d|^[?#$!]/.test(parameter) ? notKnown(shown) : NUMBER;
  const value = variableValue(parameter, shown, scope);
  if (!operation) return value;
  return operandsOf(operation).every((word) => isHarmlessOperand(word, scope))
    ? afterOperation(value, operation, shown)
    : notKnown(shown);
}

/** The words that an operation has; undefined stands for one that is never harmless. */
function operandsOf(operation: ParameterOperation): readonly (Word | undefined)[] {
  switch (operation.type) {
    case "Default":
      // `${x:=a}` sets x.
      return /=/.test(operation.operator) ? [undefined] : [operation.operand];
    case "Remove":
      return [operation.operand];
    case "Replace":
      return [operation.pattern, operation.replacement];
    case "CaseModification":
      return operation.operand ? [operation.operand] : [];
    case "Slice": {
      // Offset and length are arithmetic.
      const sums = operation.length ? [operation.offset, operation.length] : [operation.offset];
      return sums.map((sum) => (/^ ?-?\d+$/.test(sum.text) ? sum : undefined));
    }
    case "Transform":
    case "Names":
    case "Unknown":
      return [undefined];
    default:
      return operation satisfies never;
  }
}

/** No expansion in it but plain variables: nothing is set, calculated or run by it. */
function isHarmlessOperand(word: Word | undefined, scope: Scope): boolean {
  if (!word) return false;
  return partsIn(word.parts ?? []).every(
    (part) =>
      !(isExpansion(part) ? expansionValue(part, scope).type === "doubt" : STRANGE_PARTS.has(part.type)),
  );
}

export const STRANGE_PARTS: ReadonlySet<string> = new Set([
  "LocaleString",
  "ProcessSubstitution",
  "ExtendedGlob",
  "BraceExpansion",
]);

/** The parts of a word, and those inside its double quotes. */
export function partsIn(parts: readonly WordPart[]): readonly WordPart[] {
  return parts.flatMap((part): readonly WordPart[] => (part.type === "DoubleQuoted" ? part.parts : [part]));
}

function afterOperation(value: Found, operation: ParameterOperation, shown: string): Found {
  if (value.type === "doubt") return notKnown(shown);
  if (operation.type === "Remove" && value.type === "text")
    return withoutEnd(value.text, operation) ?? UNKNOWN;
  if (operation.type !== "Default") return UNKNOWN;
  const { operator, operand } = operation;
  const plain = operand.parts === undefined && !operand.text.includes("\\") ? text(operand.text) : UNKNOWN;
  if (value.type === "unknown") return UNKNOWN;
  const isThere = value.type !== "text" || value.text !== "" || !operator.startsWith(":");
  if (operator.endsWith("+")) return isThere ? plain : text("");
  if (operator.endsWith("?")) return value;
  return isThere ? value : plain;
}

/** `${x%.ts}`, `${x##*\/}`: a literal, with a star at its far side. */
function withoutEnd(
  value: string,
  { operator, operand }: ParameterOperation & { readonly type: "Remove" },
): Found | undefined {
  const isStart = operator.startsWith("#");
  const isLongest = operator.length === 2;
  const pattern = operand.text;
  const literal = isStart ? pattern.replace(/^\*/, "") : pattern.replace(/\*$/, "");
  if (!/^[\w./@%+,:-]+$/.test(literal)) return undefined;
  if (literal === pattern) {
    const cut = isStart ? value.startsWith(literal) : value.endsWith(literal);
    return text(!cut ? value : isStart ? value.slice(literal.length) : value.slice(0, -literal.length));
  }
  const at = isStart === isLongest ? value.lastIndexOf(literal) : value.indexOf(literal);
  if (at < 0) return text(value);
  return text(isStart ? value.slice(at + literal.length) : value.slice(0, at));
}

const SUMS = /^(?:[-+*/%()<>]|\*\*|[<>=!]=|&&|\|\|)$/;

/** Whether the sum has only numbers, so that it evaluates no text and sets no variable. */
function isPlainSum(root: ArithmeticExpression, scope: Scope): boolean {
  const waiting: ArithmeticExpression[] = [root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    switch (node.type) {
      case "ArithmeticBinary":
        if (!SUMS.test(node.operator)) return false;
        waiting.push(node.left, node.right);
        break;
      case "ArithmeticUnary":
        if (!/^[-+]$/.test(node.operator)) return false;
        waiting.push(node.operand);
        break;
      case "ArithmeticGroup":
        waiting.push(node.expression);
        break;
      case "ArithmeticWord":
        if (!isNumberWord(node.value, scope)) return false;
        break;
      default:
        return false;
    }
  }
  return true;
}

function isNumberWord(word: string, scope: Scope): boolean {
  if (/^\d{1,15}$/.test(word)) return true;
  const name = /^(?:\$?(?<plain>[A-Za-z_]\w*)|\$(?<sign>[?#])|\$\{(?<braced>[A-Za-z_]\w*)\})$/.exec(
    word,
  )?.groups;
  if (!name) return false;
  const value = variableValue(name["plain"] ?? name["sign"] ?? name["braced"] ?? "", word, scope);
  return value.type === "number" || (value.type === "text" && /^\d{1,15}$/.test(value.text));
}

const MAX_NUMBERS = 200;

/** Commands that print a number. */
const COUNTS: ReadonlySet<string> = new Set([
  "date +%s",
  "date +%s%N",
  "nproc",
  "id -u",
  "wc -l",
  "wc -c",
  "wc -w",
]);

/** The output of a command if its words show it: `cat <<'EOF'`, `pwd`, `seq 1 3`. */
function outputOf(script: ParsedScript | undefined, { folder }: Scope): Found {
  const [statement, ...others] = script?.commands ?? [];
  const last = statement?.command;
  // The output of a pipe is that of its last command.
  const command = last?.type === "Pipeline" && last.prefixes.length === 0 ? last.commands.at(-1) : last;
  if (others.length > 0 || statement?.background || command?.type !== "Command") return UNKNOWN;
  const { name, args, prefix, redirects } = command;
  if (!name || prefix.length > 0 || name.parts !== undefined) return UNKNOWN;
  const [redirect, ...more] = redirects;
  if (command !== last && name.text !== "wc") return UNKNOWN;
  if (name.text === "wc" && args.length === 1 && redirect?.type === "Redirect" && redirect.operator === "<")
    return COUNTS.has(`wc ${args[0]?.text}`) && more.length === 0 ? NUMBER : UNKNOWN;
  if (name.text === "cat" && args.length === 0 && more.length === 0 && redirect?.type === "HereDoc") {
    const isExact = redirect.delimiter?.quoted === true && redirect.operator === "<<" && redirect.closing;
    const isInput = redirect.descriptor === undefined;
    return isExact && isInput ? text(redirect.body.text.replace(/\n+$/, "")) : UNKNOWN;
  }
  if (redirect) return UNKNOWN;
  const words = args.map((argument) => argument.text).join(" ");
  if (COUNTS.has(`${name.text} ${words}`.trim())) return NUMBER;
  if (name.text === "pwd" && args.length === 0) return printed(folder());
  if (name.text === "seq") return counted(args.map((argument) => argument.text));
  return UNKNOWN;
}

const printed = (folder: string | undefined): Found => (folder === undefined ? UNKNOWN : text(folder));

function counted(words: readonly string[]): Found {
  if (words.length === 0 || words.length > 2 || !words.every((word) => /^[1-9]\d{0,5}$/.test(word)))
    return UNKNOWN;
  const [first = 1, last = 1] = words.length === 1 ? [1, Number(words[0])] : words.map(Number);
  if (last - first >= MAX_NUMBERS) return UNKNOWN;
  const numbers = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  return text(numbers.join("\n"));
}
