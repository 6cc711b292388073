/**
 * Guesses the kind of a tool that does not declare one.
 *
 * The kind is a hint for showing a call; but rules may match kinds, so a wrong "read" is the worst error
 * here. Hence: a dangerous word beats a harmless one, input and annotations may only make a kind more
 * dangerous, and an unreadable name is "other".
 *
 * The guess does not protect from a server that lies in its names; rules on names and input do.
 */
import { HARMLESS_KINDS, KIND_WORDS } from "./kind-words.js";
import { KNOWN_TOOLS } from "./known-tools.js";
import { ownValue } from "./title-arguments.js";
import { MAX_READABLE_NAME, splitToolName, toolWords } from "./create-tool-title.js";
import { isToolKind, type ToolKind } from "./tool-kind.js";

export type ToolAnnotations = {
  /** Declared by the tool's author and trusted. Never fill it with a foreign server's data. */
  readonly kind?: ToolKind;
  /** MCP's hints: claims of a server that may not be trusted. */
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
};

export function inferToolKind(
  name: string,
  input?: unknown,
  annotations?: ToolAnnotations,
): { kind: ToolKind; source: "declared" | "inferred" } {
  const declared = ownValue(annotations, "kind");
  if (isToolKind(declared)) return { kind: declared, source: "declared" };

  const guess = withHints(withInput(kindOfName(name), input), annotations);
  const kind = HARMLESS_KINDS.has(guess) && !isReadable(name) ? "other" : guess;
  return { kind, source: "inferred" };
}

/** Other scripts have letters that look like Latin ones ("dеlete" in part Cyrillic), or words that we cannot read. */
function isReadable(name: string): boolean {
  return name.length <= MAX_READABLE_NAME && /^[ -~]*$/.test(name);
}

function kindOfName(name: string): ToolKind | undefined {
  if (name.length > MAX_READABLE_NAME) return undefined;
  // The server's name does not count: "search_server__delete_row" deletes.
  const { tool } = splitToolName(name);
  const known = KNOWN_TOOLS.get(tool.toLowerCase());
  if (known) return known;

  const words = toolWords(tool);
  if (SWITCH_MODE.test(words.join(" "))) return "switch_mode";
  // Splits the name in lower case too, so that odd capitals ("get_dElete") hide nothing.
  const all = new Set([...words, ...toolWords(tool.toLowerCase())]);
  return KIND_WORDS.find(([, kindWords]) => kindWords.some((word) => all.has(word)))?.[0];
}

/** The whole name, because "set_file_mode" changes a file. */
const SWITCH_MODE =
  /^(switch|set|change|enter|exit|leave|toggle|select)( (agent|approval|ask|chat|code|edit|permission|plan|planning|session))? mode$/;

function withInput(byName: ToolKind | undefined, input: unknown): ToolKind | undefined {
  if (byName !== undefined && !HARMLESS_KINDS.has(byName)) return byName;
  const given = kindOfInput(input);
  const raises = given !== undefined && !HARMLESS_KINDS.has(given);
  return raises ? given : (byName ?? given);
}

function kindOfInput(input: unknown): ToolKind | undefined {
  const has = (keys: readonly string[]) => keys.some((key) => isFilled(ownValue(input, key)));
  if (has(COMMAND_KEYS)) return "execute";
  if (has(PATCH_KEYS) || (has(PATH_KEYS) && has(TEXT_KEYS))) return "edit";
  if ((has(["source"]) && has(["destination"])) || (has(OLD_PATH_KEYS) && has(NEW_PATH_KEYS))) return "move";
  if (has(["url", "urls"])) return "fetch";
  if (has(["query", "pattern", "regex"])) return "search";
  return undefined;
}

const isFilled = (value: unknown) => typeof value === "string" || Array.isArray(value);

const COMMAND_KEYS = ["command", "cmd", "argv", "script", "sql"];
const PATCH_KEYS = ["patch", "diff"];
const PATH_KEYS = ["path", "file_path", "filePath", "filename", "file", "target_file", "notebook_path"];
const TEXT_KEYS = `content contents file_text edits new_source insert_text
  new_text newText new_string newString new_str old_text oldText old_string oldString old_str`.split(/\s+/);
const OLD_PATH_KEYS = ["old_path", "oldPath"];
const NEW_PATH_KEYS = ["new_path", "newPath"];

/** A server's hint may raise the danger, and lowers it only where nothing else is known. */
function withHints(guess: ToolKind | undefined, annotations: ToolAnnotations | undefined): ToolKind {
  const readOnly = ownValue(annotations, "readOnlyHint");
  const destructive = ownValue(annotations, "destructiveHint");
  const kind = guess ?? (readOnly === true ? "read" : "other");
  const denies = destructive === true || readOnly === false;
  return denies && HARMLESS_KINDS.has(kind) ? "other" : kind;
}
