/**
 * The narrowest rule for one part of an intent. For a command it binds the exact words, the folder, the source of the
 * input, and the content of a workspace file that the command runs. None when the words could be read as something
 * wider.
 */
import { isToolKind, oneLine, visibleText } from "../../call/index.js";
import { inputText, shownWords } from "../command-text.js";
import { readUrl } from "../hosts/match-host.js";
import { UNBOUND } from "../intent.js";
import type { Intent } from "../intent.js";
import type { CommandPart, Part } from "../part.js";
import type { Places } from "../parts-of.js";
import type { Rule } from "../rule.js";
import { sourceOf } from "../tool-source.js";

export type NamedRule = {
  readonly rule: Rule;
  readonly name: string;
  /** The start of the name that says which act it is; the rest says more about it. Missing where it is the whole name. */
  readonly head?: string;
  /** The rule covers looks alone, of which the name says all. */
  readonly isLook?: true;
};

export function exactRule(part: Part, intent: Intent, places: Places): NamedRule | undefined {
  switch (part.type) {
    case "command":
      return commandRule(part, intent, places);
    case "path":
      if (isWiderThanATool(intent.tool)) return undefined;
      // A link that leads elsewhere today may lead anywhere tomorrow.
      if (part.named !== undefined || /[*?]/.test(part.path)) return undefined;
      return {
        rule: { ...toolRule("allow", intent), path: part.path },
        name: `${intent.tool} on ${visibleText(part.path)}`,
      };
    case "host":
      return hostRule(part.url, intent);
    case "tool":
      // A tool that is named like a kind, or with a star, would make a rule for more than itself.
      if (isWiderThanATool(intent.tool)) return undefined;
      return {
        rule: toolRule("allow", intent),
        name: `the tool ${intent.tool}${fromServer(intent)}${asItIs(intent)}`,
        head: `the tool ${intent.tool}${fromServer(intent)}`,
      };
    default:
      return part satisfies never;
  }
}

function hostRule(text: string, intent: Intent): NamedRule | undefined {
  const url = readUrl(text);
  if (!url || url.problems.length > 0) return undefined;
  const host = hostOf(url);
  return { rule: { ...toolRule("allow", intent), host }, name: `${intent.tool} from ${host}` };
}

function commandRule(part: CommandPart, { contents = {} }: Intent, { roots }: Places): NamedRule | undefined {
  const { argv, cwd, runsFiles } = part;
  const input = inputText(part.read);
  const files = runsFiles.filter((path) => contents[path] !== undefined);
  const words = shownWords(argv);
  const head = `\`${words}\``;
  const name = [
    head,
    ...(files.length > 0 ? ["as it is now"] : part.judgement.runs ? ["(whatever code it then runs)"] : []),
    ...(input === "" ? [] : [`with the input \`${visibleText(input)}\``]),
    ...(cwd === roots[0] ? [] : [`in ${visibleText(cwd ?? "")}`]),
  ].join(" ");
  // A file whose content is not known may be another one tomorrow.
  const isUnbound = runsFiles.some((path) => contents[path] === UNBOUND);
  if (cwd === undefined || isUnbound) return undefined;
  if (words.length > MAX_WORDS_LENGTH || name.length > MAX_NAME_LENGTH) return undefined;
  const rule = {
    allow: "execute",
    command: argv,
    folder: cwd,
    input,
    ...(files.length > 0 && { contents: boundContents(part, contents) }),
    ...(part.read.patterns.length > 0 && { patterns: part.read.patterns }),
  };
  return { rule, name, head };
}

/** The content of each file that the command runs, where it is known. */
export function boundContents(
  { runsFiles }: CommandPart,
  contents: NonNullable<Intent["contents"]>,
): { readonly [path: string]: string } {
  const files = runsFiles.filter((path) => contents[path] !== undefined);
  return Object.fromEntries(files.map((path) => [path, contents[path] ?? ""]));
}

export function hostOf({ scheme, host, port }: NonNullable<ReturnType<typeof readUrl>>): string {
  const isUsual = port === undefined || String(port) === (scheme === "https" ? "443" : "80");
  return `${scheme}://${host}${isUsual ? "" : `:${port}`}`;
}

export const isWiderThanATool = (tool: string): boolean => tool.includes("*") || isToolKind(tool);

/** A denial is for the name: it applies to whatever tool has that name. */
export function toolRule(effect: "allow" | "deny", intent: Intent): Rule {
  const { tool, server } = intent;
  const scope = server === undefined ? {} : { server };
  return effect === "allow" ? { allow: tool, ...scope, ...sourceOf(intent) } : { deny: tool, ...scope };
}

const asItIs = ({ server }: Intent): string => (server === undefined ? "" : ", as it is now,");

export const fromServer = ({ server }: Intent): string =>
  server === undefined ? "" : ` of ${oneLine(server, 80)}`;

const MAX_WORDS_LENGTH = 160;
const MAX_NAME_LENGTH = 300;
