/**
 * Loops. A loop over words that are known is walked once for each of them; any other loop once, with the variables
 * that it sets not known.
 */
import { type Assignment, type CompoundList, forEachChild, type For, type SyntaxNode } from "unbash";
import type { DecodedWord } from "./decode-word.js";
import { excerpt } from "./excerpt.js";
import { expandWord } from "./expand-word.js";
import { afterwards, type Outcome, staying } from "./outcome.js";
import { type Loop, scopeOf, type ShellContext } from "./shell-context.js";
import { isOwnName } from "./variable-names.js";
import { UNKNOWN, type Value, type Variables, withUnknown } from "./variables.js";
import { changedVariables } from "./variable-change.js";
import { eitherWay, type Way, type Ways } from "./ways.js";

type WalkList = (list: CompoundList, context: ShellContext) => Outcome;

export function walkWhile(
  lists: readonly CompoundList[],
  context: ShellContext,
  walkList: WalkList,
): Outcome {
  const body = new Body(lists, context);
  let { ways } = body.entered(context.ways);
  for (const list of lists) ways = afterwards(walkList(list, { ...body.context, ways }), context.draft);
  return body.left(ways);
}

export function walkFor(node: For, context: ShellContext, walkList: WalkList): Outcome {
  const { draft, language } = context;
  const name = node.name.text;
  if (!isOwnName(name, language) || !node.wordlist) draft.doubt(`a loop sets the variable ${excerpt(name)}`);
  const body = new Body([node.body], context);
  body.assigned.set(name, false);
  let after: Ways = [];
  for (const way of context.ways) {
    for (const value of valuesOf(node, way, context)) {
      const start = body.entered([way]).ways.map((one) => ({
        ...one,
        variables: changedVariables(one.variables, new Map([[name, value]])),
      }));
      const left = afterwards(walkList(node.body, { ...body.context, ways: start }), draft);
      after = afterwards({ ok: after, fail: left }, draft);
    }
  }
  return body.left(after);
}

/** The values of the loop's variable, one for each round; where not all are known, a single one that stands for any. */
function valuesOf(node: For, way: Way, context: ShellContext): readonly Value[] {
  const scope = scopeOf(way, context);
  const words = (node.wordlist ?? []).flatMap((word) => expandWord(word, scope));
  const values = words.filter(isListed).map(valueOf);
  const others = words.filter((word) => !isListed(word));
  const inherited = words.flatMap(({ pieces = [] }) =>
    pieces.flatMap((piece) => (typeof piece === "string" ? [] : (piece.doubt ?? []))),
  );
  for (const doubt of [...inherited, ...words.flatMap(({ doubts }) => doubts)]) context.draft.doubt(doubt);
  const hasOthers = others.length > 0 || !node.wordlist;
  if (!context.draft.affordsRounds(values.length)) return [UNKNOWN];
  return hasOthers ? [...values, UNKNOWN] : values;
}

const isListed = (word: DecodedWord): boolean => word.pieces === undefined && !word.countDoubts;

const valueOf = ({ value, globbed }: DecodedWord): Value =>
  globbed ? { type: "name", pattern: value } : { type: "text", text: value };

/** The body of a loop, which may be left and started again at any of its commands. Lives for one walk of the loop. */
class Body {
  /** The variables that it sets, and whether each is only ever set to a sum. */
  readonly assigned: Map<string, boolean>;
  readonly context: ShellContext;
  readonly #loop: Loop = { isMoving: false, assigned: new Set() };
  readonly #outer: ShellContext;

  constructor(lists: readonly CompoundList[], context: ShellContext) {
    this.assigned = assignedIn(lists);
    this.#outer = context;
    this.context = { ...context, loop: this.#loop };
  }

  /** The states in which a round begins. */
  entered(ways: Ways): { readonly ways: Ways } {
    return {
      ways: ways.map((way) => ({ ...way, variables: this.#forgotten(way.variables) })),
    };
  }

  /** The states after the loop, in which the last round may have been any. */
  left(ways: Ways): Outcome {
    const { draft, loop } = this.#outer;
    if (this.#loop.isMoving) draft.doubt("a loop changes the folder");
    const hidden = [...this.#loop.assigned].find((name) => !this.assigned.has(name));
    if (hidden !== undefined) draft.doubt(`a loop sets the variable ${excerpt(hidden)}`);
    for (const name of this.assigned.keys()) loop?.assigned.add(name);
    if (loop && this.#loop.isMoving) loop.isMoving = true;
    const all = afterwards({ ok: ways, fail: this.#outer.ways }, draft);
    const given = all.map((way) => ({ ...way, variables: this.#notKnown(way) }));
    return staying(eitherWay(given, []));
  }

  /** A variable that only some rounds set may still be inherited. */
  #notKnown({ variables }: Way): Way["variables"] {
    const isSet = (name: string): boolean => this.#outer.ways.every((way) => way.variables.has(name));
    const kept = [...variables].filter(([name]) => !this.assigned.has(name) || isSet(name));
    return this.#forgotten(new Map(kept));
  }

  /** A number that is only counted on stays one. */
  #forgotten(variables: Variables): Variables {
    const counters = [...this.assigned].flatMap(([name, isCounted]) => {
      const value = variables.get(name);
      const isNumber = value?.type === "number" || (value?.type === "text" && /^\d{1,9}$/.test(value.text));
      return isCounted && isNumber ? [[name, COUNTER] as const] : [];
    });
    return new Map([...withUnknown(variables, this.assigned.keys()), ...counters]);
  }
}

const COUNTER: Value = { type: "number", maySign: true };

/** The variables that a piece of syntax sets by name, and whether each is only ever set to a sum. */
function assignedIn(roots: readonly SyntaxNode[]): Map<string, boolean> {
  const names = new Map<string, boolean>();
  const add = (name: string, isSum: boolean) => names.set(name, isSum && names.get(name) !== false);
  const waiting: SyntaxNode[] = [...roots];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node.type === "Assignment") add(node.name, isSumAssignment(node));
    else if (node.type === "For" || node.type === "Select") add(node.name.text, false);
    else if (node.type === "Command" && /^(?:read|unset|export)$/.test(node.name?.text ?? ""))
      for (const word of node.args) add(word.type === "Word" ? word.text : word.name, false);
    forEachChild(node, (child) => {
      // Substitutions and subshells have variables of their own, but a name too many does no harm.
      if (child.type !== "Word" || child.parts !== undefined) waiting.push(child);
    });
  }
  return names;
}

function isSumAssignment({ value, append, index }: Assignment): boolean {
  if (value.type !== "Word" || append || index) return false;
  return (
    /^\d{1,9}$/.test(value.text) ||
    (value.parts?.length === 1 && value.parts[0]?.type === "ArithmeticExpansion")
  );
}
