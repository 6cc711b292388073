/**
 * The widths of "always" for an intent, the one that people mean first. Nothing is offered while anything is in doubt,
 * and no width whose rules would not let the intent itself through.
 */
import { visibleText } from "../../call/index.js";
import type { WidthLine } from "../../call/index.js";
import { decide } from "../decide.js";
import type { Intent } from "../intent.js";
import { inMode } from "../modes.js";
import { type FileAccess, fileAccesses } from "../file-accesses.js";
import { partsOf } from "../parts-of.js";
import type { Part } from "../part.js";
import type { Places } from "../parts-of.js";
import { isProtected } from "../paths/protected-paths.js";
import { isHarmless, isOurs, isReadable } from "../places.js";
import type { Rule, RuleEffect } from "../rule.js";
import { isSourceKnown } from "../tool-source.js";
import { exactRule } from "./exact-rule.js";
import type { NamedRule } from "./exact-rule.js";
import { isInFamily } from "./families.js";
import { grantExamples } from "./grant-examples.js";
import { checkProposed, grantSentence, MAX_SENTENCE_LENGTH } from "./grant.js";
import type { GrantScope, Proposal } from "./grant.js";
import type { FolderPlaces } from "./read-folder.js";
import { wideRules } from "./wide-rules.js";
import { exactFileRules, lookedAtRules, placeRules } from "./file-rules.js";
import type { WideRules } from "./file-rules.js";

export type GrantPlaces = Places &
  FolderPlaces & {
    /** The verdict with these rules added to those in force. Without it, the rules of the mode `ask` are in force. */
    readonly judge?: (intent: Intent, rules: readonly Rule[]) => RuleEffect;
  };

export function proposeGrants(
  intent: Intent,
  places: GrantPlaces,
  scope: GrantScope["type"] = "project",
): readonly Proposal[] {
  checkProposed("proposeGrants", intent, places);
  const { parts, doubts } = partsOf(intent, places);
  if (!isSourceKnown(intent) || doubts.length > 0 || parts.some((part) => touchesProtected(part, places)))
    return [];
  const candidates = [
    widened(parts, intent, places, "family"),
    widened(parts, intent, places, "subcommand"),
    // Where looking around is allowed anyway, the readers in a pipe need no rule of their own.
    exactly(
      parts.filter((part) => !needsNothing(part, intent, places)),
      intent,
      places,
    ),
    exactly(parts, intent, places),
  ];
  const proposals = candidates.flatMap((candidate) => {
    const proposal = candidate && proposed(candidate, intent, places, scope);
    return proposal ? [proposal] : [];
  });
  // The very paths may be all that the wider width names, and a command without a family has no widest width.
  return proposals.filter(
    ({ sentence, width }, index) =>
      proposals.findIndex((one) => one.sentence === sentence || one.width === width) === index,
  );
}

function proposed(
  { width, rules: named }: WideRules,
  intent: Intent,
  places: GrantPlaces,
  scope: GrantScope["type"],
): Proposal | undefined {
  const kept = distinct(named);
  const rules = kept.map(({ rule }) => rule);
  const subject = subjectOf(kept);
  const sentence = grantSentence("allow", subject, scope);
  const judge = places.judge ?? ((one, added) => inAskMode(one, added, places));
  if (sentence.length > MAX_SENTENCE_LENGTH || judge(intent, rules) !== "allow") return undefined;
  const isAllowed = (one: Intent): boolean => judge(one, rules) === "allow";
  const lines = linesOf(kept, places);
  return { width, rules, subject, lines, sentence, examples: grantExamples(rules, intent, isAllowed) };
}

const inAskMode = (intent: Intent, rules: readonly Rule[], places: Places): RuleEffect =>
  decide(intent, { ...places, ...inMode("ask", rules) }).effect;

/** Each part at its widest within the reach; undefined when no part can be widened. */
function widened(
  parts: readonly Part[],
  intent: Intent,
  places: GrantPlaces,
  reach: "family" | "subcommand",
): WideRules | undefined {
  const needed = parts.filter((part) => !needsNothing(part, intent, places));
  const found = needed.map((part) => {
    const wide = wideRules(part, intent, places, reach);
    const rules = wide?.rules ?? exactRules(part, intent, places);
    const opened = placesOf(part, intent, places, wide === undefined);
    return rules && opened && { width: wide?.width ?? ("exact" as const), rules: [...rules, ...opened] };
  });
  if (!found.every((one) => one !== undefined)) return undefined;
  const widths = new Set(found.map(({ width }) => width));
  const [width] = widths;
  if (width === undefined || (widths.size === 1 && width === "exact")) return undefined;
  return {
    width: widths.has("family") ? "family" : widths.size === 1 ? width : "parts",
    rules: found.flatMap(({ rules }) => rules),
  };
}

function exactly(parts: readonly Part[], intent: Intent, places: GrantPlaces): WideRules | undefined {
  const needed = parts.filter((part) => !isHarmless(part, places));
  const rules = (needed.length > 0 ? needed : parts).map((part) => {
    const own = exactRules(part, intent, places);
    const opened = placesOf(part, intent, places, true);
    return own && opened && [...own, ...opened];
  });
  return rules.every((rule) => rule !== undefined) ? { width: "exact", rules: rules.flat() } : undefined;
}

/** A rule for a command's words does not cover the target of its output. Rules for file accesses cover it already. */
function placesOf(
  part: Part,
  intent: Intent,
  places: GrantPlaces,
  isExact: boolean,
): readonly NamedRule[] | undefined {
  if (part.type !== "command" || fileAccesses(part, intent)) return [];
  return placeRules(part, places, isExact);
}

/** The rule for the very part. One that acts on files outside of the workspace is remembered by these. */
function exactRules(part: Part, intent: Intent, places: GrantPlaces): readonly NamedRule[] | undefined {
  const accesses = part.type === "command" ? fileAccesses(part, intent) : undefined;
  const isOutside = accesses?.some(({ path }) => !isOurs(path, places)) === true;
  const files = isOutside ? exactFileRules(accesses, places) : undefined;
  if (files) return files;
  const rule = exactRule(part, intent, places);
  const looked = isOutside ? lookedAtRules(accesses, places) : [];
  return rule && looked && [rule, ...looked];
}

/** Reading inside the workspace and in open places is allowed in every mode. */
function needsNothing(part: Part, intent: Intent, places: GrantPlaces): boolean {
  if (isHarmless(part, places)) return true;
  const accesses = part.type === "command" ? fileAccesses(part, intent) : undefined;
  const isRead = ({ access, path }: FileAccess): boolean =>
    (access === "read" || access === "search") && isReadable(path, places);
  return accesses?.every(isRead) ?? false;
}

/** An access that needs a person's yes each time gets no lasting grant. */
function touchesProtected(part: Part, { home, roots }: Places): boolean {
  const paths =
    part.type === "path"
      ? [part]
      : part.type === "command"
        ? [...part.touches.filter(({ below }) => !below), ...part.redirects]
        : [];
  return paths.some(({ path, access }) => isProtected(path, { home, roots, own: [], access }) !== undefined);
}

function subjectOf(named: readonly NamedRule[]): string {
  const classes = distinctNames(named.filter(isClass));
  const others = distinctNames(named.filter((one) => !isClass(one)));
  if (classes.length === 0) return listed(others);
  const text = `${listed(classes)} ${OF_CLASS}`;
  return others.length === 0 ? text : `${text}, and ${listed(others)}`;
}

const OF_CLASS = "with harmless flags and workspace paths (runs project code)";

/** The acts that share a note stand in one line. */
export function linesOf(named: readonly NamedRule[], places: Places): readonly WidthLine[] {
  const classes = distinctNames(named.filter(isClass));
  const others = named.filter((one) => !isClass(one)).map((one) => lineOf(one, places));
  return [
    ...(classes.length > 0 ? [{ text: listed(classes), note: OF_CLASS }] : []),
    ...new Map(others.map((line) => [JSON.stringify(line), line])).values(),
  ];
}

function lineOf({ rule, name, head = name }: NamedRule, places: Places): WidthLine {
  const path = rule.path?.replace(/\/\*\*$/, "") ?? rule.folder;
  const short = (text: string): string =>
    path === undefined ? text : text.replace(visibleText(path), () => visibleText(shortPath(path, places)));
  const more = name
    .slice(head.length)
    .replace(/^[:,]? /, "")
    .replace(/,$/, "");
  const note = short(more.replace(/^\(([^()]*)\)$/, "$1"));
  return { text: short(head), ...(note !== "" && { note }) };
}

function shortPath(path: string, { roots: [root], home }: Places): string {
  if (root !== undefined && path.startsWith(`${root}/`)) return path.slice(root.length + 1);
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

const isClass = ({ rule, isLook }: NamedRule): boolean => rule.width === "subcommand" && isLook !== true;

const distinctNames = (named: readonly NamedRule[]): readonly string[] => [
  ...new Set(named.map(({ name }) => name)),
];

export function listed(names: readonly string[]): string {
  return names.length <= 1 ? (names[0] ?? "nothing") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Each rule once, without folders inside another listed folder. */
function distinct(named: readonly NamedRule[]): readonly NamedRule[] {
  const texts = new Set<string>();
  return named
    .filter(({ rule }) => !named.some((other) => isWithin(rule, other.rule) || isPartOf(rule, other.rule)))
    .filter(({ rule }) => {
      const text = JSON.stringify(rule);
      return !texts.has(text) && texts.add(text);
    });
}

/** Whether a rule for a family beside this one covers it. */
const isPartOf = (rule: Rule, other: Rule): boolean =>
  rule.width === "family" &&
  other.width === "family" &&
  rule.command !== other.command &&
  typeof other.command === "string" &&
  typeof rule.command === "string" &&
  isInFamily(other.command, rule.command);

/** Whether the path of a rule lies below the folder of another rule of the same kind. */
function isWithin(rule: Rule, other: Rule): boolean {
  if (rule === other || rule.path === undefined || !other.path?.endsWith("/**")) return false;
  if (!("allow" in rule && "allow" in other) || rule.allow !== other.allow) return false;
  if (Object.keys(rule).length !== 2 || Object.keys(other).length !== 2 || rule.path === other.path)
    return false;
  const folder = other.path.slice(0, -"/**".length);
  return rule.path === folder || rule.path.startsWith(`${folder}/`);
}
