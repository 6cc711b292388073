// Short models of how other engines decide, made from their documentation. They are not the products: each has the
// idea of its engine (what counts as safe, what "always" stores) and leaves out everything else.
import { splitCommand, wordsOf } from "./split-command.mjs";

const list = (text) => new Set(text.split(" "));

const READERS = list(
  "ls cat head tail grep egrep fgrep rg find wc sort uniq cut tr diff stat file du df echo printf pwd which whoami date true false test [ basename dirname realpath readlink id uname nl column jq tree cmp comm sleep export",
);
const GIT_READERS = list(
  "status log diff show branch rev-parse blame ls-files remote describe tag grep shortlog reflog stash",
);
const EDITORS = list("mkdir touch mv cp rm rmdir sed");
const WRAPPERS = list("timeout time nice nohup stdbuf command");
const NO_PREFIX = list("bash sh zsh sudo env xargs eval exec ssh python python3 node ruby perl deno");
const SAFE_VARIABLES =
  /^(?:CI|NODE_ENV|NO_COLOR|FORCE_COLOR|LANG|LC_ALL|TZ|RUST_BACKTRACE|RUST_LOG|GOOS|GOARCH|CGO_ENABLED|PYTHONUNBUFFERED|DEBUG)=/;

/** The prefix that "always" stores: the program and its subcommand. */
function prefixOf(words) {
  return /^[a-z][\w:-]*$/.test(words[1] ?? "") ? words.slice(0, 2).join(" ") : (words[0] ?? "");
}

/** Words that name a place outside the project. */
function outsidePlaces(words, folder) {
  return words.filter(
    (word) =>
      /^(?:\/|~|\.\.)/.test(word) &&
      !word.startsWith("/dev/null") &&
      word !== folder &&
      !word.startsWith(`${folder}/`),
  );
}

const folderOf = (path) => path.replace(/\/[^/]*$/, "") || "/";

/** Prefix grants after a split at operators, in the way of Claude Code with accept-edits. */
export function prefixEngine(folder) {
  const prefixes = new Set();
  const exact = new Set();
  const folders = new Set();
  const isOpen = (path) => [...folders].some((open) => path === open || path.startsWith(`${open}/`));
  const closed = (words) => outsidePlaces(words, folder).filter((path) => !isOpen(path));
  /** The grants that a simple command still needs. */
  const needs = (command) => {
    const redirect = [...command.matchAll(/(?<![\d&])>{1,2}\s*([^\s&>]+)/g)]
      .map(([, path]) => path)
      .filter((path) => path !== "/dev/null");
    let words = wordsOf(command.replaceAll(/\d?>&\d|&?\d?>{1,2}\s*[^\s&]+|<{1,3}-?\s*\S+/g, " "));
    while (SAFE_VARIABLES.test(words[0] ?? "")) words = words.slice(1);
    while (WRAPPERS.has(words[0]))
      words = words.slice(1).filter((word, at) => at > 0 || !/^[-\d]/.test(word));
    const places = closed(redirect).map((path) => ({ folder: folderOf(path) }));
    const [program, sub] = words;
    if (program === undefined) return places;
    if (/^\w+=/.test(program)) return words.length === 1 ? places : [...places, { exact: command }];
    if (program === "cd") return [...places, ...closed(words.slice(1)).map((path) => ({ folder: path }))];
    const isReader =
      (READERS.has(program) && !(program === "find" && /-(?:exec|delete|ok|fprint)/.test(command))) ||
      (program === "git" && GIT_READERS.has(sub)) ||
      (program === "sed" && sub === "-n");
    if (isReader || EDITORS.has(program))
      return [...places, ...closed(words.slice(1)).map((path) => ({ folder: folderOf(path) }))];
    if (
      [...prefixes].some(
        (prefix) =>
          command === prefix || words.join(" ").startsWith(`${prefix} `) || words.join(" ") === prefix,
      )
    )
      return places;
    return [...places, NO_PREFIX.has(program) ? { exact: command } : { prefix: prefixOf(words) }];
  };
  const missing = (text) => {
    const body = text.replace(/"\$\(cat <<'?EOF'?[\s\S]*?\nEOF\n\s*\)"/g, "'message'");
    const { commands, isPlain, hadHeredoc } = splitCommand(body);
    if (exact.has(text)) return [];
    if (!isPlain) return [{ exact: text }];
    const found = commands
      .flatMap(needs)
      .filter((need) => !(need.exact !== undefined && exact.has(need.exact)));
    return hadHeredoc && found.some((need) => need.exact !== undefined) ? [{ exact: text }] : found;
  };
  return {
    asks: (call) => {
      if (call.shell !== undefined) return missing(call.shell).length > 0;
      if (call.fetch !== undefined) return !exact.has(new URL(call.fetch).host);
      return closed([pathOf(call)]).length > 0;
    },
    always: (call) => {
      if (call.fetch !== undefined) exact.add(new URL(call.fetch).host);
      const found = call.shell === undefined ? [{ folder: folderOf(pathOf(call)) }] : missing(call.shell);
      for (const need of found) {
        if (need.folder !== undefined) folders.add(need.folder);
        else if (need.prefix !== undefined) prefixes.add(need.prefix);
        else exact.add(need.exact);
      }
    },
  };
}

const pathOf = (call) => call.read ?? call.list ?? call.edit ?? call.write ?? call.path ?? "";

const CODEX_SAFE = list(
  "cat cd cut echo expr false grep head id ls nl paste pwd rev seq stat tail tr true uname uniq wc which whoami",
);

const isSafe = (words, command) => {
  const [program, sub] = words;
  if (CODEX_SAFE.has(program)) return true;
  if (program === "git")
    return (
      ["status", "log", "diff", "show", "branch"].includes(sub) && !/--output|--ext-diff|-c\b/.test(command)
    );
  if (program === "find") return !/-(?:exec|execdir|ok|okdir|delete|fls|fprint0?|fprintf)/.test(command);
  if (program === "rg") return !/--(?:pre|hostname-bin|search-zip)|-z\b/.test(command);
  if (program === "sed") return sub === "-n" && /^\d+(?:,\d+)?p$/.test(words[2] ?? "") && words.length <= 4;
  return program === "cargo" && sub === "check";
};

/** A safe list and rules by the words granted, in the way of Codex without its sandbox. */
export function safeListEngine(folder) {
  const granted = [];
  const unsafe = (text) => {
    const { commands, isPlain, hadHeredoc } = splitCommand(text);
    if (!isPlain || hadHeredoc || /[<>]|\$\w|\$\{|&\s*$/.test(text.replaceAll("2>&1", ""))) return undefined;
    return commands
      .map((command) => ({ command, words: wordsOf(command.replaceAll("2>&1", "")) }))
      .filter(({ command, words }) => !isSafe(words, command))
      .filter(({ words }) => !granted.some((prefix) => prefix.every((word, at) => words[at] === word)));
  };
  const isOutsideEdit = (call) =>
    (call.edit ?? call.write) !== undefined && outsidePlaces([pathOf(call)], folder).length > 0;
  return {
    asks: (call) => (call.shell === undefined ? isOutsideEdit(call) : (unsafe(call.shell)?.length ?? 1) > 0),
    always: (call) => {
      for (const { words } of (call.shell !== undefined && unsafe(call.shell)) || [])
        if (!NO_PREFIX.has(words[0]))
          granted.push(/^[a-z][\w:-]*$/.test(words[1] ?? "") ? words.slice(0, 2) : words);
    },
  };
}

const isFree = (call) => call.shell === undefined && call.fetch === undefined;
const keyOf = (call) =>
  call.shell === undefined ? `tool ${Object.keys(call)[0]}` : prefixOf(wordsOf(call.shell));

/** The beginning of the whole text, and each other tool as a whole. */
export function naiveEngine() {
  const granted = new Set();
  return {
    asks: (call) =>
      !isFree(call) && ![...granted].some((prefix) => (call.shell ?? keyOf(call)).startsWith(prefix)),
    always: (call) => granted.add(keyOf(call)),
  };
}

export const OTHERS = {
  "prefix grants after operator split, in the way of Claude Code": prefixEngine,
  "safe list and word grants, in the way of Codex, no sandbox": safeListEngine,
  "naive prefix of the text": naiveEngine,
};

export function replayOther(calls, engine, takesAlways) {
  const asked = [];
  for (const { call } of calls) {
    if (!engine.asks(call)) continue;
    asked.push({ call });
    if (takesAlways) engine.always(call);
  }
  return asked;
}
