/**
 * A rule allows, asks about or denies what its pattern names. The pattern is a kind (`read`), a tool (`edit_file`,
 * with `*` for any part of a name) or everything (`*`); the other fields narrow it.
 */
import { BadOption, either, FLAG, listOf, OBJECT, oneOf, STRING } from "../call/check-options.js";
import type { OptionCheck, OptionChecks } from "../call/check-options.js";
import { familyText } from "./grants/families.js";

export type RuleEffect = "allow" | "ask" | "deny";

export type RuleScope = {
  /** The MCP server that the tool comes from; `*` for any part of its name. */
  readonly server?: string;
  /** SHA-256 of all that the server sends about the tool; an "always" has it. Only narrows what is allowed. */
  readonly definition?: string;
  /** SHA-256 of the server's program or address; an "always" has it. Only narrows what is allowed. */
  readonly fingerprint?: string;
  /**
   * Words of a command: `git log *`. A last `*` is any further words, a `*` at a word's end the rest of
   * it. A list is exactly these words, whatever is in them.
   */
  readonly command?: string | readonly string[];
  /** An absolute path, with `*` inside one folder's name and `**` for any depth; `~` is the home folder. */
  readonly path?: string;
  /** `example.com`, `*.example.com`, `https://example.com:8443`. */
  readonly host?: string;
  /** Lifts the lists of harmless flags for this rule's commands: the user knows what they allow. */
  readonly anyFlags?: boolean;
  /** The folder in which the command must run, absolute: written by grants. */
  readonly folder?: string;
  /** Where the command's input must come from, as a shell would write it; "" for no input: written by grants. */
  readonly input?: string;
  /** SHA-256 of each file whose code the command runs, by absolute path: written by grants. */
  readonly contents?: { readonly [path: string]: string };
  /** The words of the command that the shell expands; quoted, the same letters name one file: written by grants. */
  readonly patterns?: readonly string[];
  /**
   * Narrows `command` to a closed class: `subcommand`, the harmless flags of `go test *` with paths of the workspace;
   * `family`, the builds and checks of the project (`*`) or what a program does without loss (`git *`); `plain`, the
   * same script or undescribed program with plain words; `host`, a curl that only reads from `host`;
   * `local`, one that sends a port of this machine the data in its words. Written by grants.
   */
  readonly width?: "subcommand" | "family" | "plain" | "host" | "local";
  readonly reason?: string;
  /** An ISO date and time after which an allowing rule no longer holds; the others never end. */
  readonly until?: string;
  /** Commands that the rule must and must not match; checked when rules are loaded. */
  readonly examples?: { readonly match?: readonly string[]; readonly notMatch?: readonly string[] };
};

export type Rule = RuleScope &
  ({ readonly allow: string } | { readonly ask: string } | { readonly deny: string });

/** A rule taken apart. A class, since of thousands of rules each has the same shape and one or two are ever named. */
export class RuleParts {
  readonly effect: RuleEffect;
  readonly pattern: string;
  readonly server: string | undefined;
  readonly definition: string | undefined;
  readonly fingerprint: string | undefined;
  readonly command: string | readonly string[] | undefined;
  readonly path: string | undefined;
  readonly host: string | undefined;
  readonly anyFlags: boolean | undefined;
  readonly folder: string | undefined;
  readonly input: string | undefined;
  readonly contents: { readonly [path: string]: string } | undefined;
  readonly reason: string | undefined;
  readonly until: string | undefined;
  /** The rule as it was written. */
  readonly source: Rule;

  constructor(rule: Rule, effect: RuleEffect, pattern: string) {
    this.effect = effect;
    this.pattern = pattern;
    this.server = rule.server;
    this.definition = rule.definition;
    this.fingerprint = rule.fingerprint;
    this.command = rule.command;
    this.path = rule.path;
    this.host = rule.host;
    this.anyFlags = rule.anyFlags;
    this.folder = rule.folder;
    this.input = rule.input;
    this.contents = rule.contents;
    this.reason = rule.reason;
    this.until = rule.until;
    this.source = rule;
  }

  /**
   * `patterns` and `width` are read from the source: a seventeenth field makes ten thousand rules half as slow again.
   */
  get patterns(): readonly string[] | undefined {
    return this.source.patterns;
  }

  get width(): RuleScope["width"] {
    return this.source.width;
  }

  /** The name by which a person recognises the rule. */
  get name(): string {
    const { server, command, path, host, folder, input, contents = {} } = this;
    const files = Object.keys(contents);
    const words = typeof command === "string" ? command : command?.join(" ");
    const scope = [
      server && `server ${server}`,
      words && `"${words}"`,
      path,
      host,
      folder && `in ${folder}`,
      input && `fed by ${input}`,
      files.length > 0 && `with ${files.join(", ")} unchanged`,
      this.anyFlags && "with any flags",
      this.width === "subcommand" && "with harmless flags in the workspace",
      this.width === "family" && `for ${familyText(words ?? "") ?? "nothing"}`,
      this.width === "plain" && "with plain words",
      this.width === "host" && "reading only",
      this.width === "local" && "with data of the command",
    ].filter(Boolean);
    return [this.effect, this.pattern, ...scope].join(" ");
  }
}

/** Matches no tool and no kind. */
const NO_NAME = "\0";

/** Rules are many and decisions more: each is taken apart once. */
const known = new WeakMap<Rule, RuleParts>();

export function ruleParts(rule: Rule): RuleParts {
  const seen = known.get(rule);
  if (seen) return seen;
  const parts = takenApart(rule);
  known.set(rule, parts);
  return parts;
}

const EFFECTS = { allow: STRING, ask: STRING, deny: STRING };
const FIELDS: OptionChecks<RuleScope & { readonly [Effect in RuleEffect]: string }> = {
  ...EFFECTS,
  server: STRING,
  definition: STRING,
  fingerprint: STRING,
  command: either(STRING, listOf(STRING)),
  path: STRING,
  host: STRING,
  anyFlags: FLAG,
  folder: STRING,
  input: STRING,
  contents: OBJECT,
  patterns: listOf(STRING),
  width: oneOf("subcommand", "family", "plain", "host", "local"),
  reason: STRING,
  until: STRING,
  examples: OBJECT,
};
const CHECKS: ReadonlyMap<string, OptionCheck> = new Map(Object.entries(FIELDS));

/** The mistake in the shape of a rule that a program wrote, or undefined. */
export const shapeMistake = (rule: Rule): string | undefined =>
  (OBJECT.isRight(rule) ? unknownField(rule) : undefined) ?? wrongField(rule);

/** A misspelt field would make the rule wider. */
function unknownField(rule: Rule): string | undefined {
  const unknown = Object.keys(rule).find((name) => !CHECKS.has(name));
  return unknown && `nobody knows the field "${unknown}" of the rule ${JSON.stringify(rule)}`;
}

/** A path that is no text would match nothing. */
function wrongField(rule: Rule): string | undefined {
  if (!OBJECT.isRight(rule)) return `a rule must be an object, and one is ${JSON.stringify(rule)}`;
  for (const [name, value] of Object.entries(rule)) {
    const check = CHECKS.get(name);
    if (check && value !== undefined && !check.isRight(value))
      return `"${name}" of the rule ${JSON.stringify(rule)} must be ${check.expected}`;
  }
  return Object.keys(rule).filter((name) => name in EFFECTS).length === 1
    ? undefined
    : `the rule ${JSON.stringify(rule)} must have just one of allow, ask and deny, with a name`;
}

/** Throws where nobody can know what the rule is for: a denial must not be left out. */
function takenApart(rule: Rule): RuleParts {
  const wrong = wrongField(rule);
  if (wrong !== undefined) throw new BadOption(`decide: ${wrong}.`, "rules");
  const [effect, written] = effectOf(rule);
  // An allowing rule that is not understood allows nothing; the others hold as far as they go.
  const pattern = effect === "allow" && unknownField(rule) !== undefined ? NO_NAME : written;
  return new RuleParts(rule, effect, pattern);
}

function effectOf(rule: Rule): readonly [RuleEffect, string] {
  if ("deny" in rule) return ["deny", rule.deny];
  if ("ask" in rule) return ["ask", rule.ask];
  return ["allow", rule.allow];
}

/** `*` stands for any part of a name; everything else is itself. Linear: no pattern can make it slow. */
export function matchName(pattern: string, name: string): boolean {
  const parts = pattern.split("*");
  const [first = "", ...rest] = parts;
  if (!name.startsWith(first)) return false;
  if (rest.length === 0) return name === first;
  let at = first.length;
  const last = rest.pop() ?? "";
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
