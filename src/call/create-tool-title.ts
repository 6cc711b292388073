/**
 * Makes a one-line title for a call: "Edit src/app.ts", "Run npm test".
 *
 * Titles are never used for decisions: the model chooses name and input, and the line is shortened. A title
 * must not deceive: the verb comes from the tool's own name, no character is invisible, and secrets stay
 * out. An unknown tool shows its name and its most informative argument.
 */
import {
  ownText,
  addressOf,
  commandOf,
  linesOf,
  pathOf,
  patternOf,
  sourceAndTarget,
  mainArgument,
} from "./title-arguments.js";
import { oneLine } from "./visible-text.js";

const MAX_TITLE = 120;

export function createToolTitle(name: string, input?: unknown): string {
  const read = readNames.get(name) ?? readName(name);
  const title = read.knownTitle?.(input) ?? plainTitle(read, input);
  return `${oneLine(title, MAX_TITLE - Array.from(read.suffix).length)}${read.suffix}`;
}

/** The parts of a title that depend on the tool's name only. */
type ReadName = {
  readonly tool: string;
  /** Undefined unless every word of the name is known; returns undefined when the input lacks a needed field. */
  readonly knownTitle: Title | undefined;
  readonly plain: string;
  /** The server that the tool comes from. */
  readonly suffix: string;
};

/** A cache, since calls are many and tools few. Its size is bounded, because the model can invent names. */
const readNames = new Map<string, ReadName>();
const MAX_NAMES = 500;

function readName(name: string): ReadName {
  const { server, tool } = splitToolName(oneLine(name, MAX_TITLE));
  // Some model APIs put this prefix before every tool; it is not a server.
  const isServer = server !== undefined && !/^(?:functions|default_api)$/.test(server);
  const read = {
    tool,
    knownTitle: knownTitle(tool),
    plain: humanised(tool) || "Tool call",
    suffix: isServer ? ` (${oneLine(server, 24)})` : "",
  };
  if (readNames.size >= MAX_NAMES) readNames.clear();
  if (name.length <= MAX_READABLE_NAME) readNames.set(name, read);
  return read;
}

function knownTitle(tool: string): Title | undefined {
  const whole = WHOLE_NAMES.get(tool.toLowerCase());
  if (whole) return whole;
  if (!/^[ -~]*$/.test(tool)) return undefined;
  const words = toolWords(tool).filter((word) => !FILLERS.has(word));
  const [title, ...others] = new Set(words.map((word) => VERBS.get(word)));
  return others.length === 0 ? title : undefined;
}

function plainTitle({ tool, plain }: ReadName, input: unknown): string {
  const argument = mainArgument(tool, input);
  return argument === undefined ? plain : `${plain}: ${argument}`;
}

/** "create_branch" and "createBranch" are "Create branch"; capitals that belong together stay. */
function humanised(tool: string): string {
  const spaced = tool
    .replace(/[_\-./:\s]+/g, " ")
    .replace(/([a-z])(?=[A-Z])/g, "$1 ")
    .replace(/([A-Z])(?=[A-Z][a-z])/g, "$1 ")
    .trim();
  const lower = spaced.replace(/(?<= )[A-Z](?=[a-z])/g, (letter) => letter.toLowerCase());
  return lower.replace(/^[a-z]/, (letter) => letter.toUpperCase());
}

type Title = (input: unknown) => string | undefined;

/** Words that add nothing to a verb. */
const FILLERS = new Set(
  "file files text directory dir folder path content contents codebase local tool a the to in".split(" "),
);

const onPath =
  (verb: string): Title =>
  (input) =>
    joined(verb, pathOf(input));
const fromTo =
  (verb: string): Title =>
  (input) =>
    joined(verb, sourceAndTarget(input)?.join(" to "));
const forPattern =
  (verb: string): Title =>
  (input) => {
    const pattern = patternOf(input);
    const path = pathOf(input);
    return pattern && `${verb} '${pattern}'${path === undefined ? "" : ` in ${path}`}`;
  };
const readLines: Title = (input) => {
  const path = pathOf(input);
  return path && `Read ${path}${linesOf(input)}`;
};

const VERBS: ReadonlyMap<string, Title> = table([
  ["read view cat", readLines],
  ["list ls", onPath("List")],
  ["edit replace patch", onPath("Edit")],
  ["write", onPath("Write")],
  ["create", onPath("Create")],
  ["delete remove rm", onPath("Delete")],
  ["move mv", fromTo("Move")],
  ["rename", fromTo("Rename")],
  ["copy cp", fromTo("Copy")],
  ["search grep rg", forPattern("Search for")],
  ["find glob", forPattern("Find")],
  ["fetch download", (input) => joined("Fetch", addressOf(input))],
  ["run execute exec bash shell terminal command cmd", (input) => joined("Run", commandOf(input))],
]);

const WHOLE_NAMES: ReadonlyMap<string, Title> = table([
  ["todo_write todowrite write_todos update_plan", () => "Update the plan"],
  ["todo_read todoread", () => "Read the plan"],
  ["think thinking sequentialthinking", () => "Think"],
  ["task agent", (input) => joined("Task:", ownText(input, ["description"])) ?? "Task"],
  ["enter_plan_mode enterplanmode plan_enter", () => "Enter plan mode"],
  ["exit_plan_mode exitplanmode plan_exit", () => "Leave plan mode"],
  [
    "switch_mode switchmode",
    (input) => joined("Switch mode to", ownText(input, ["mode", "mode_slug", "modeId"])),
  ],
  ["multiedit", onPath("Edit")],
  ["webfetch web_fetch", (input) => joined("Fetch", addressOf(input))],
  ["web_search websearch google_web_search", forPattern("Search the web for")],
]);

function joined(verb: string, rest: string | undefined): string | undefined {
  return rest === undefined ? undefined : `${verb} ${rest}`;
}

/** A Map, because a tool may be called "constructor". */
function table(rows: readonly (readonly [names: string, title: Title])[]): ReadonlyMap<string, Title> {
  return new Map(rows.flatMap(([names, title]) => names.split(" ").map((name) => [name, title] as const)));
}

/**
 * Tool names come as `read_file`, `readFile`, `HTTPRequest`, `mcp__github__create_branch`,
 * `filesystem/read_text` or `functions.shell`. This is the only place that splits them.
 */
type ToolName = {
  readonly server?: string;
  readonly tool: string;
};

/** Twice MCP's limit. A longer name is not read: a dangerous word could hide in the part that is cut. */
export const MAX_READABLE_NAME = 256;

/**
 * OpenAPI bridges name tools "DELETE /users/list": the method is the verb and not a server.
 * GET is not here: a server's name must not make its tools look harmless.
 */
const METHODS = new Set(["post", "put", "patch", "delete"]);

/** Everything after the first part belongs to the tool, so that a word in the middle still counts. */
export function splitToolName(name: string): ToolName {
  const parts = name.split(/__+|[/.:]+/).filter((part) => /[^\s_-]/.test(part));
  const [server, ...tool] = parts.length > 2 && parts[0] === "mcp" ? parts.slice(1) : parts;
  if (server === undefined || tool.length === 0) return { tool: name };
  if (METHODS.has(toolWords(server).join(" "))) return { tool: name };
  return { server, tool: tool.join("__") };
}

/** The words of a name in their order, in lower case: "HTTPRequest2" is http, request, 2. */
export function toolWords(tool: string): readonly string[] {
  return (tool.match(WORDS) ?? []).map((word) => word.toLowerCase());
}

const WORDS = /[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+/g;
