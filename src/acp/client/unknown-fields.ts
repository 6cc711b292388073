/**
 * Fields of a call's input whose meaning is not known. An agent may put anything beside a command: an environment, a
 * script, its standard input, a list of further steps. Such a field may change what the command does, so the list of
 * harmless names is closed: a name that is not on it, or that holds a value of another type, is a doubt.
 */
import { isJsonObject } from "../json.js";
import { foldedName, namesRead, operationNamed, readingOf } from "./field-readings.js";

/**
 * Beside a command every field counts; beside a file or an address, every one that is not switched off.
 * `parts`: how Codex repeats the parts of a command.
 */
export type Beside = "command" | "path" | "parts";

/** Enough for a sentence; one is enough for a doubt. */
const MAX_NAMED = 3;
const MAX_DEPTH = 6;

/** The names of unknown fields with their place in the input, at most a few. */
export function unknownFields(input: unknown, beside: Beside): readonly string[] {
  const unknown: string[] = [];
  if (isJsonObject(input)) walk(input, { beside, depth: 0, path: "" }, unknown);
  else if (isFilled(input)) unknown.push("the input itself");
  return unknown;
}

type Place = { readonly beside: Beside; readonly depth: number; readonly path: string };

function walk(fields: { readonly [name: string]: unknown }, place: Place, unknown: string[]): void {
  for (const [name, value] of Object.entries(fields)) {
    if (unknown.length >= MAX_NAMED) return;
    // The words after a program are read with it, and with nothing else.
    const isRead = foldedName(name) === "args" && isWords(value) && namesProgram(fields);
    if (isFilled(value) && !isRead) collectUnknown(name, value, place, unknown);
  }
}

const namesProgram = (fields: { readonly [name: string]: unknown }): boolean =>
  Object.entries(fields).some(([name, value]) => namesProgramIn(foldedName(name)) && isFilled(value));

function collectUnknown(name: string, value: unknown, place: Place, unknown: string[]): void {
  const { beside, depth } = place;
  const path = place.path === "" ? name : `${place.path}.${name}`;
  const folded = foldedName(name);
  if (isKnown(folded, value, beside)) return;
  // Codex names the files of a change by the keys of an object.
  const isChanges = beside !== "command" && readingOf(folded) === "changes" && isJsonObject(value);
  if (isChanges && Object.values(value).every((change) => isJsonObject(change))) {
    const changes = Object.values(value).filter((change) => isJsonObject(change));
    for (const change of changes) walk(change, { beside: "path", depth: depth + 1, path }, unknown);
    return;
  }
  const inside = HOLDERS.get(folded);
  // File contents have no place beside a command.
  const isOfFiles = inside === "path" && beside === "command";
  if (inside && !isOfFiles && depth < MAX_DEPTH && isHeld(value)) {
    for (const item of Array.isArray(value) ? value : [value])
      walk(item, { beside: inside === "same" ? beside : inside, depth: depth + 1, path }, unknown);
    return;
  }
  // A switch that is off changes nothing.
  if (beside === "path" && value === false) return;
  unknown.push(path);
}

function isKnown(name: string, value: unknown, beside: Beside): boolean {
  return (KNOWN[beside].get(name)?.(value) ?? false) || (KNOWN.both.get(name)?.(value) ?? false);
}

/** An absent value changes nothing. */
function isFilled(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return false;
  if (Array.isArray(value)) return value.length > 0;
  return typeof value !== "object" || Object.keys(value).length > 0;
}

type Objects = { readonly [name: string]: unknown };

const isHeld = (value: unknown): value is Objects | readonly Objects[] =>
  isJsonObject(value) || (Array.isArray(value) && value.every((item) => isJsonObject(item)));

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isFlag: Check = (value) => typeof value === "boolean";
const isOff: Check = (value) => value === false;
const isAmount: Check = (value) =>
  typeof value === "number" || (typeof value === "string" && /^\d{1,15}$/.test(value));
/** Too plain to be code. */
const isLabel: Check = (value) =>
  typeof value === "number" || (typeof value === "string" && /^[\w.:#@-]{1,128}$/.test(value));
const isWords: Check = (value) => Array.isArray(value) && value.every(isText);
const isTexts: Check = (value) => isText(value) || isWords(value);
/** A field whose meaning is known: the rules judge what it does to files. */
const isOperation: Check = (value) => typeof value === "string" && operationNamed(value) !== undefined;
const isAnything: Check = () => true;

const named = (check: Check, names: string): readonly (readonly [string, Check])[] =>
  names.split(" ").map((name) => [name, check]);

const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    values.some((one) => one === value);

const KNOWN: { readonly [Where in Beside | "both"]: ReadonlyMap<string, Check> } = {
  both: new Map([
    // Sentences for people.
    ...named(isText, namesRead("sentence")),
    ...named(
      isLabel,
      "callid toolcallid tooluseid turnid sessionid messageid requestid approvalid processid",
    ),
    ...named(isAmount, "startedatms timestamp timeout timeoutms timeoutsec timeoutsecs timeoutseconds"),
    ...named(isFlag, "requiresapproval autoapproved"),
  ]),
  command: new Map([
    ...named(isTexts, namesRead("command")),
    ...named(isText, `${namesRead("folder")} directory dirpath dir folder`),
    ...named(isFlag, "background isbackground runinbackground blocking wait tty pty"),
    // A field that loosens a sandbox or raises rights is a doubt when it is on.
    ...named(isOff, "dangerouslydisablesandbox withescalatedpermissions elevated sudo login isinput"),
    ...named(
      isAmount,
      "maxoutput maxoutputtokens maxoutputlength maxoutputbytes maxoutputchars outputbytelimit",
    ),
    ...named(isAmount, "yieldtime yieldtimems initialwait maxwaitseconds"),
    ...named(isLabel, "securityrisk"),
    // Codex: rules that it would store with an "always", which we never send.
    ...named(isAnything, "proposedexecpolicyamendment proposednetworkpolicyamendments availabledecisions"),
    ["source", oneOf("agent", "user_shell", "unified_exec_startup")],
    ["mode", oneOf("sync", "async")],
  ]),
  path: new Map([
    ...named(isTexts, namesRead("path", "place", "folder", "url")),
    // Text that goes into files, or that is looked for in them.
    ...named(isText, namesRead("whole-text", "written-text", "other-text", "patch")),
    ...named(isText, "search pattern query after instruction instructions prompt"),
    ...named(isOperation, namesRead("operation")),
    ...named(isLabel, "encoding format language editmode celltype cellid"),
    ...named(
      isFlag,
      "replaceall allowmultiple multiple overwrite create createifmissing createfile createdirs createdirectories append dryrun",
    ),
    ...named(
      isFlag,
      "casesensitive caseinsensitive ignorecase regex isregex multiline wholeword hidden includehidden respectgitignore showlinenumbers linenumbers raw recursive",
    ),
    ...named(
      isAmount,
      "contentlength length line lines linenumber startline endline start end offset limit count expectedreplacements maxresults headlimit depth maxdepth page pages width context size maxlength maxchars maxbytes occurrences",
    ),
    ["method", oneOf("GET", "get", "HEAD", "head")],
  ]),
  parts: new Map([...named(isText, "cmd name path query"), ...named(isLabel, "type")]),
};

const namesProgramIn = (name: string): boolean => readingOf(name) === "command" && name !== "commands";

/** Fields that hold others: those are looked at one by one. */
const HOLDERS: ReadonlyMap<string, "same" | Beside> = new Map([
  ...["input", "toolinput", "rawinput", "arguments", "args", "params", "parameters"].map(
    (name) => [name, "same"] as const,
  ),
  ["parsedcmd", "parts"],
  ...["edits", "add", "update", "delete", "filediff"].map((name) => [name, "path"] as const),
]);
