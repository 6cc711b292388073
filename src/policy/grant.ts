/**
 * Grants: the rules that "always" stores. They allow no more than the sentence shown for them. For a command they
 * bind, for each part, its exact words, the folder it runs in, the source of its input, and the content of a workspace
 * file that it runs. Nothing is stored when anything is in doubt, or when the words could be read as something wider.
 */
import { isToolKind, oneLine, visibleText } from "../call/index.js";
import { UNBOUND } from "./intent.js";
import type { Intent } from "./intent.js";
import { inputText, shownWords } from "./command-text.js";
import { isHarmless } from "./places.js";
import { partsOf } from "./parts.js";
import type { CommandPart, Part, Places } from "./parts.js";
import { readUrl } from "./hosts/match-host.js";
import { isProtected } from "./paths/protected-paths.js";
import type { Rule } from "./rule.js";
import { isSourceKnown, sourceOf } from "./tool-source.js";

export type GrantScope =
  | { readonly type: "session"; readonly sessionId: string }
  | { readonly type: "project"; readonly root: string }
  | { readonly type: "user" };

/** The rules that would be stored, before anyone has agreed to them. */
export type Proposal = { readonly rules: readonly Rule[]; readonly sentence: string };

/** A remembered "always". */
export type Grant = Proposal & {
  readonly grantId: string;
  readonly scope: GrantScope;
  readonly createdAt: number;
  /** The end of the grant. Written once, so that a clock set back does not revive it. */
  readonly expiresAt?: number;
  readonly uses: number;
};

/** The narrowest rules that allow this intent again; undefined when each would allow more. `where` is their scope. */
export function proposeGrant(
  intent: Intent,
  places: Places,
  where: GrantScope["type"] = "project",
): Proposal | undefined {
  const { parts, doubts } = partsOf(intent, places);
  if (!isSourceKnown(intent) || doubts.length > 0 || parts.some((part) => touchesProtected(part, places)))
    return undefined;
  const needed = parts.filter((part) => !isHarmless(part, places));
  const granted = (needed.length > 0 ? needed : parts).map((part) => grantFor(part, intent, places));
  if (!granted.every((grant) => grant !== undefined)) return undefined;
  const names = [...new Set(granted.map(({ name }) => name))];
  return { rules: granted.map(({ rule }) => rule), sentence: `Always allow ${listed(names)}${WHERE[where]}` };
}

/** Rules that refuse this call and similar ones: the tool, or the program with its subcommand. */
export function proposeDenial(
  intent: Intent,
  places: Places,
  where: GrantScope["type"] = "project",
): Proposal | undefined {
  const { parts } = partsOf(intent, places);
  // A tool that is named like a kind would take all of that kind along.
  if (parts.some(({ type }) => type === "tool") && isWiderThanATool(intent.tool)) return undefined;
  const denied = parts.map((part) => denialFor(part, intent));
  const names = [...new Set(denied.map(({ name }) => name))];
  return { rules: denied.map(({ rule }) => rule), sentence: `Always refuse ${listed(names)}${WHERE[where]}` };
}

const WHERE = { session: " in this session", project: " in this project", user: " everywhere" } as const;

type Named = { readonly rule: Rule; readonly name: string };

function grantFor(part: Part, intent: Intent, places: Places): Named | undefined {
  switch (part.type) {
    case "command":
      return commandGrant(part, intent, places);
    case "path":
      if (isWiderThanATool(intent.tool)) return undefined;
      // A link that leads elsewhere today may lead anywhere tomorrow.
      if (part.named !== undefined || /[*?]/.test(part.path)) return undefined;
      return {
        rule: { ...toolRule("allow", intent), path: part.path },
        name: `${intent.tool} on ${oneLine(part.path, 80)}`,
      };
    case "host": {
      const url = readUrl(part.url);
      if (!url || url.problems.length > 0) return undefined;
      const host = hostOf(url);
      return { rule: { ...toolRule("allow", intent), host }, name: `${intent.tool} from ${host}` };
    }
    case "tool":
      // A tool that is named like a kind, or with a star, would make a rule for more than itself.
      if (isWiderThanATool(intent.tool)) return undefined;
      return {
        rule: toolRule("allow", intent),
        name: `the tool ${intent.tool}${fromServer(intent)}${asItIs(intent)}`,
      };
    default:
      return part satisfies never;
  }
}

function commandGrant(part: CommandPart, { contents = {} }: Intent, { roots }: Places): Named | undefined {
  const { argv, cwd, redirects, runsFiles } = part;
  const input = inputText(part.read);
  const files = runsFiles.filter((path) => contents[path] !== undefined);
  const bound = Object.fromEntries(files.map((path) => [path, contents[path] ?? ""]));
  const words = shownWords(argv);
  const name = [
    `\`${words}\``,
    ...(files.length > 0 ? ["as it is now"] : part.judgement.runs ? ["(whatever code it then runs)"] : []),
    ...(input === "" ? [] : [`with the input \`${visibleText(input)}\``]),
    ...(cwd === roots[0] ? [] : [`in ${visibleText(cwd ?? "")}`]),
  ].join(" ");
  // A file whose content is not known may be another one tomorrow.
  const isUnbound = runsFiles.some((path) => contents[path] === UNBOUND);
  if (redirects.length > 0 || cwd === undefined || isUnbound) return undefined;
  if (words.length > MAX_WORDS_LENGTH || name.length > MAX_NAME_LENGTH) return undefined;
  const rule = {
    allow: "execute",
    command: argv,
    folder: cwd,
    input,
    ...(files.length > 0 && { contents: bound }),
    ...(part.read.patterns.length > 0 && { patterns: part.read.patterns }),
  };
  return { rule, name };
}

function denialFor(part: Part, intent: Intent): Named {
  if (part.type === "command") {
    const words = part.argv.slice(0, hasSubcommand(part) ? 2 : 1).join(" ");
    return {
      rule: { deny: "execute", command: `${words} *` },
      name: `\`${oneLine(words, 60)}\` with anything after it`,
    };
  }
  if (part.type === "path" && !/[*?]/.test(part.path)) {
    return {
      rule: { deny: intent.tool, path: part.path },
      name: `${intent.tool} on ${oneLine(part.path, 80)}`,
    };
  }
  const url = part.type === "host" ? readUrl(part.url) : undefined;
  if (url) {
    const host = hostOf(url);
    return { rule: { ...toolRule("deny", intent), host }, name: `${intent.tool} from ${host}` };
  }
  return { rule: toolRule("deny", intent), name: `the tool ${intent.tool}${fromServer(intent)}` };
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

function hostOf({ scheme, host, port }: NonNullable<ReturnType<typeof readUrl>>): string {
  const isUsual = port === undefined || String(port) === (scheme === "https" ? "443" : "80");
  return `${scheme}://${host}${isUsual ? "" : `:${port}`}`;
}

const isWiderThanATool = (tool: string): boolean => tool.includes("*") || isToolKind(tool);

/** A denial is for the name: it applies to whatever tool has that name. */
function toolRule(effect: "allow" | "deny", intent: Intent): Rule {
  const { tool, server } = intent;
  const scope = server === undefined ? {} : { server };
  return effect === "allow" ? { allow: tool, ...scope, ...sourceOf(intent) } : { deny: tool, ...scope };
}

/** A word right after the program that is no flag, path or number reads as its subcommand. */
function hasSubcommand({ argv }: CommandPart): boolean {
  return /^[a-z][a-z-]*$/.test(argv[1] ?? "");
}

const asItIs = ({ server }: Intent): string => (server === undefined ? "" : ", as it is now,");

const fromServer = ({ server }: Intent): string => (server === undefined ? "" : ` of ${server}`);

/** A sentence that leaves words out would promise less than it stores. */
const MAX_WORDS_LENGTH = 160;
const MAX_NAME_LENGTH = 300;

function listed(names: readonly string[]): string {
  return names.length <= 1 ? (names[0] ?? "nothing") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
