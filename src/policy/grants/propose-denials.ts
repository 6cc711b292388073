/**
 * The widths of "never" for an intent: the very call, then the wider one, since one refusal says little about other calls.
 * Only parts that do something are refused: `go test | tail` says nothing about `tail`.
 */
import { visibleText } from "../../call/index.js";
import { shownWords } from "../command-text.js";
import { readUrl } from "../hosts/match-host.js";
import type { Intent } from "../intent.js";
import { partsOf } from "../parts-of.js";
import type { Places } from "../parts-of.js";
import type { CommandPart, Part } from "../part.js";
import { isHarmless } from "../places.js";
import { subcommandWords } from "../programs/subcommand-words.js";
import type { Rule } from "../rule.js";
import { commandClass } from "./command-class.js";
import { fromServer, hostOf, isWiderThanATool, toolRule } from "./exact-rule.js";
import type { NamedRule } from "./exact-rule.js";
import { checkProposed, grantSentence, MAX_SENTENCE_LENGTH } from "./grant.js";
import type { GrantScope, GrantWidth, Proposal } from "./grant.js";
import type { WideRules } from "./file-rules.js";
import { linesOf, listed } from "./propose-grants.js";
import type { GrantPlaces } from "./propose-grants.js";
import { wideRules } from "./wide-rules.js";

export function proposeDenials(
  intent: Intent,
  places: GrantPlaces,
  scope: GrantScope["type"] = "project",
): readonly Proposal[] {
  checkProposed("proposeDenials", intent, places);
  const { parts } = partsOf(intent, places);
  // A tool that is named like a kind would take all of that kind along.
  if (parts.some(({ type }) => type === "tool") && isWiderThanATool(intent.tool)) return [];
  const acting = parts.filter((part) => !isHarmless(part, places) && !isReader(part));
  const denied = acting.length > 0 ? acting : parts;
  const exact = proposal(
    "exact",
    denied.map((part) => exactDenial(part, intent)),
    places,
    scope,
  );
  const wide = wideDenial(denied, intent, places, scope);
  return [exact, wide].filter((one) => one !== undefined);
}

const isReader = (part: Part): boolean =>
  part.type === "command" && part.judgement.onlyReads && part.judgement.doubts.length === 0;

function proposal(
  width: GrantWidth,
  named: readonly NamedRule[],
  places: Places,
  scope: GrantScope["type"],
): Proposal | undefined {
  const subject = listed([...new Set(named.map(({ name }) => name))]);
  const sentence = grantSentence("deny", subject, scope);
  if (sentence.length > MAX_SENTENCE_LENGTH) return undefined;
  const rules = named.map(({ rule }) => rule);
  return { width, rules, subject, lines: linesOf(named, places), sentence, examples: [] };
}

function exactDenial(part: Part, intent: Intent): NamedRule {
  if (part.type === "command")
    return { rule: { deny: "execute", command: part.argv }, name: `\`${shownWords(part.argv)}\`` };
  if (part.type === "path" && !/[*?]/.test(part.path))
    return {
      rule: { deny: intent.tool, path: part.path },
      name: `${intent.tool} on ${visibleText(part.path)}`,
    };
  const url = part.type === "host" ? readUrl(part.url) : undefined;
  if (url) {
    const host = hostOf(url);
    return { rule: { ...toolRule("deny", intent), host }, name: `${intent.tool} from ${host}` };
  }
  return { rule: toolRule("deny", intent), name: `the tool ${intent.tool}${fromServer(intent)}` };
}

/** Undefined when a part has no wider width. */
function wideDenial(
  parts: readonly Part[],
  intent: Intent,
  places: GrantPlaces,
  scope: GrantScope["type"],
): Proposal | undefined {
  const found = parts.map((part) => widerDenials(part, intent, places));
  if (!found.every((one) => one !== undefined)) return undefined;
  const widths = new Set(found.map(({ width }) => width));
  const [width = "parts"] = widths;
  const rules = found.flatMap((one) => one.rules);
  return proposal(widths.size === 1 ? width : "parts", rules, places, scope);
}

/** The folder that is read or edited; else, for a command, the program with its subcommand. */
function widerDenials(part: Part, intent: Intent, places: GrantPlaces): WideRules | undefined {
  const wide = wideRules(part, intent, places);
  if (wide && wide.width !== "exact" && wide.rules.every(({ rule }) => rule.command === undefined))
    return { ...wide, rules: wide.rules.map(({ rule, name }) => ({ rule: refusing(rule), name })) };
  return part.type === "command" ? { width: "subcommand", rules: [commandDenial(part, places)] } : undefined;
}

/** The program with its subcommand or script, and any further words. */
function commandDenial(part: CommandPart, { roots }: GrantPlaces): NamedRule {
  const known = subcommandWords(part.argv);
  const words = known.length > 0 ? known.join(" ") : (part.argv[0] ?? "");
  const pattern = commandClass(part, roots) ?? `${words} *`;
  return {
    rule: { deny: "execute", command: pattern },
    name: `\`${visibleText(pattern.slice(0, -2))}\` with anything after it`,
  };
}

function refusing(rule: Rule): Rule {
  const { path } = rule;
  const kind = "allow" in rule ? rule.allow : "*";
  return { deny: kind, ...(path !== undefined && { path }) };
}
