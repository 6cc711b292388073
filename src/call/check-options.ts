/**
 * Checks the options of a public function when it is called: TypeScript does not see callers in JavaScript, and a wrong
 * option would only show as a strange error later, or not at all. Without packages, since every door uses it.
 */
export type OptionCheck = {
  /** "a text": completes "must be". */
  readonly expected: string;
  readonly isRight: (value: unknown) => boolean;
  readonly isRequired?: boolean;
};

/** A check for each option: a new field of the type does not compile without one. */
export type OptionChecks<Options> = { readonly [Name in keyof Options]-?: OptionCheck };

export class BadOption extends TypeError {
  readonly code = "BAD_OPTION";
  /** The name of the option; undefined when there are no options at all. */
  readonly option: string | undefined;

  constructor(message: string, option?: string) {
    super(`${message} Nothing was done; correct the call.`);
    this.name = "BadOption";
    this.option = option;
  }
}

/** Throws when an option is unknown, missing or of the wrong type. `where` is the name of the function. */
export function checkOptions<Options>(where: string, options: unknown, checks: OptionChecks<Options>): void {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw new BadOption(`${where}: the options must be an object, and are ${typeOf(options)}.`);
  const known = new Map<string, OptionCheck>(Object.entries(checks));
  for (const [name, value] of Object.entries(options)) checkOption(where, name, value, known);
  for (const [name, { expected, isRequired = false }] of known)
    if (isRequired && (options as { readonly [name: string]: unknown })[name] === undefined)
      throw new BadOption(`${where}: "${name}" is missing; it must be ${expected}.`, name);
}

function checkOption(
  where: string,
  name: string,
  value: unknown,
  known: ReadonlyMap<string, OptionCheck>,
): void {
  const check = known.get(name);
  if (!check)
    throw new BadOption(
      `${where}: there is no option "${name}". There are: ${[...known.keys()].join(", ")}.`,
      name,
    );
  if (value !== undefined && !check.isRight(value))
    throw new BadOption(`${where}: "${name}" must be ${check.expected}, and is ${typeOf(value)}.`, name);
}

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "number") return `the number ${value}`;
  return NAMES.get(typeof value) ?? typeof value;
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ["string", "a text"],
  ["boolean", "true or false"],
  ["object", "an object"],
  ["function", "a function"],
]);

export const required = (check: OptionCheck): OptionCheck => ({ ...check, isRequired: true });

export const TEXT: OptionCheck = {
  expected: "a text that is not empty",
  isRight: (value) => typeof value === "string" && value !== "",
};
/** May be empty. */
export const STRING: OptionCheck = { expected: "a text", isRight: (value) => typeof value === "string" };
export const FLAG: OptionCheck = {
  expected: "true or false",
  isRight: (value) => typeof value === "boolean",
};
export const FUNCTION: OptionCheck = {
  expected: "a function",
  isRight: (value) => typeof value === "function",
};
export const OBJECT: OptionCheck = {
  expected: "an object",
  isRight: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};
/** Infinity is a limit too: none. */
export const AMOUNT: OptionCheck = {
  expected: "a number from 0",
  isRight: (value) => typeof value === "number" && value >= 0,
};
/** With none of it nothing could be done. */
export const POSITIVE: OptionCheck = {
  expected: "a number above 0",
  isRight: (value) => typeof value === "number" && value > 0,
};
export const SIGNAL: OptionCheck = {
  expected: "an AbortSignal",
  isRight: (value) => value instanceof AbortSignal,
};
export const LIST: OptionCheck = { expected: "a list", isRight: Array.isArray };
/** A list, or another collection. */
export const ITERABLE: OptionCheck = {
  expected: "a list",
  isRight: (value) => typeof value === "object" && value !== null && Symbol.iterator in value,
};

export const listOf = ({ expected, isRight }: OptionCheck): OptionCheck => ({
  expected: `a list, each item ${expected}`,
  isRight: (value) => Array.isArray(value) && value.every(isRight),
});

export const either = (one: OptionCheck, other: OptionCheck): OptionCheck => ({
  expected: `${one.expected} or ${other.expected}`,
  isRight: (value) => one.isRight(value) || other.isRight(value),
});

export const oneOf = (...values: readonly (string | number)[]): OptionCheck => ({
  expected: `one of ${values.join(", ")}`,
  isRight: (value) => values.some((one) => one === value),
});

/** An object with these methods. */
export const having = (expected: string, ...methods: readonly string[]): OptionCheck => ({
  expected,
  isRight: (value) =>
    typeof value === "object" &&
    value !== null &&
    methods.every((name) => typeof (value as { readonly [name: string]: unknown })[name] === "function"),
});

export const AGENT: OptionCheck = {
  expected: "an agent (createAgent)",
  isRight: (value) =>
    typeof value === "object" && value !== null && "tools" in value && Array.isArray(value.tools),
};
export const LEDGER = having("a ledger (openLedger, or new MemoryLedger)", "claim", "append", "answer");
export const WORKSPACE = having("a workspace (LocalWorkspace.open)", "readText");
/** An object with this list: enough to tell it from all else that is given by mistake. */
const withList = (expected: string, name: string): OptionCheck => ({
  expected,
  isRight: (value) =>
    OBJECT.isRight(value) && Array.isArray((value as { readonly [name: string]: unknown })[name]),
});
export const CALL = withList("a tool call", "content");
export const SESSION = withList("a session (replaySession)", "timeline");
export const TOOLS = listOf(having("a tool (defineTool)", "parse"));
