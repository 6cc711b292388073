/**
 * Grants: the rules that "always" and "never" store. A question offers several widths; each has its exact rules, a
 * sentence that says all that they allow, and examples of it.
 */
import { checkOptions, LIST, required, STRING } from "../../call/check-options.js";
import { visibleText } from "../../call/index.js";
import type { WidthLine } from "../../call/index.js";
import type { Intent } from "../intent.js";
import type { Policy } from "../policy.js";
import type { Rule } from "../rule.js";

export type GrantScope =
  | { readonly type: "session"; readonly sessionId: string }
  | { readonly type: "project"; readonly root: string }
  | { readonly type: "user" };

/** `family`: a part is widened to its family. `parts`: each part of a compound command has a width of its own. */
export const GRANT_WIDTHS = [
  "family",
  "subcommand",
  "plain",
  "folder",
  "host",
  "edits",
  "parts",
  "exact",
] as const;

export type GrantWidth = (typeof GRANT_WIDTHS)[number];

export const isGrantWidth = (text: string | undefined): text is GrantWidth =>
  GRANT_WIDTHS.some((width) => width === text);

/** The rules that would be stored, before anyone has agreed to them. */
export type Proposal = {
  readonly width: GrantWidth;
  readonly rules: readonly Rule[];
  /** The rules in words, without the scope: "`go test` with harmless flags". */
  readonly subject: string;
  /** The subject in lines, one per rule. Paths are short: below the project, or with `~` for the home folder. */
  readonly lines: readonly WidthLine[];
  /** The whole sentence, with the scope. */
  readonly sentence: string;
  /** Commands or paths that the rules would also let through, each checked with `decide`. */
  readonly examples: readonly string[];
};

/** A person who wrote the rule without being asked, or took a suggested one. */
export const GRANT_AUTHORS = ["person", "suggestion"] as const;
type GrantAuthor = (typeof GRANT_AUTHORS)[number];

/** A remembered "always". Grants of older versions have no width. */
export type Grant = Pick<Proposal, "rules" | "sentence"> & {
  readonly grantId: string;
  readonly width?: GrantWidth;
  readonly scope: GrantScope;
  readonly createdAt: number;
  /** Missing where an answer made it. */
  readonly addedBy?: GrantAuthor;
  /** The end of the grant. Written once, so that a clock set back does not revive it. */
  readonly expiresAt?: number;
  readonly uses: number;
};

const WHERE = { session: " in this session", project: " in this project", user: " everywhere" } as const;

/** The sentence of a grant in a scope. */
/** Callers in JavaScript. */
export function checkProposed(
  where: string,
  intent: Partial<Intent> = {},
  places: Partial<Policy> = {},
): void {
  const { paths, hosts } = intent;
  const { roots, home } = places;
  checkOptions(where, { paths, hosts, roots, home }, PROPOSED);
}

const PROPOSED = {
  paths: required(LIST),
  hosts: required(LIST),
  roots: required(LIST),
  home: required(STRING),
};

export function grantSentence(effect: "allow" | "deny", subject: string, scope: GrantScope["type"]): string {
  return `Always ${effect === "allow" ? "allow" : "refuse"} ${subject}${WHERE[scope]}`;
}

/** The sentence of rules that a person wrote: the rules themselves. Offered rules have another one. */
export const writtenSentence = (rules: readonly object[]): string =>
  rules.map((rule) => visibleText(JSON.stringify(rule))).join("\n");

/** A sentence that leaves words out would promise less than it stores: a longer one is not offered. */
export const MAX_SENTENCE_LENGTH = 500;
