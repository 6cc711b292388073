/**
 * The words of a program that nobody described. They are plain when none of them may carry code, a command, a host, a
 * secret or an instruction to the program about what it runs. A rule that a person wrote for such a program covers
 * plain words only; paths are effects, so that the path rules judge them.
 *
 * Fails closed by shape: a word that resembles one of these is not plain, also where it is harmless.
 */
import { likelyActs } from "./named-acts.js";
import { mayLeadOut, pathDoubts, plainPaths, SECRET_NAMES } from "./path-effects.js";
import type { Effects } from "./program.js";

/**
 * `doubts`: why the words are not plain; none when they are. `reads`: names that may be files, plain inside the
 * workspace. `writes`: paths that may lead out of it; nobody knows whether such a program only reads them.
 */
export function readPlainWords(args: readonly string[]): Effects & { readonly doubts: readonly string[] } {
  const names = args.flatMap(valuesOf).filter((value) => value !== "" && !NUMBER.test(value));
  const doubts = [
    ...args.flatMap((word, index) => wordDoubts(word, args[index + 1], index)),
    ...pathDoubts({ reads: names, writes: names }),
  ];
  const subcommands = args.filter((word) => !word.startsWith("-")).slice(0, MAX_SUBCOMMANDS);
  return {
    ...likelyActs(subcommands),
    doubts,
    reads: plainPaths(names),
    writes: plainPaths(names.filter(mayLeadOut)),
  };
}

/**
 * The same for a script of the project: its options mean what the project made of them, so only the values count. An
 * agent that may run the script may change it, too.
 */
export function readOwnWords(args: readonly string[]): { readonly isPlain: boolean } {
  const names = args.flatMap(valuesOf).filter((value) => value !== "" && !NUMBER.test(value));
  const doubts = [...names.flatMap(valueDoubts), ...pathDoubts({ reads: names, writes: names })];
  return { isPlain: doubts.length === 0 && !names.some(mayLeadOut) };
}

function wordDoubts(word: string, next: string | undefined, index: number): readonly string[] {
  if (word === "--")
    return next === undefined || isDataFile(next) ? [] : ['the words behind "--" may be a command'];
  const own = /^[-+]./.test(word) ? optionDoubts(word, next) : operandDoubts(word, next, index);
  return [...own, ...valuesOf(word).flatMap(valueDoubts)];
}

/** The doubts about an option (`-x`, `--name`, `--name=value`), by its name and not its value. */
function optionDoubts(word: string, next: string | undefined): readonly string[] {
  const [name = ""] = word.split(/[=:]/, 1);
  const letters = name.replace(/^[-+]+/, "");
  if (smellsOfExecution(letters) && !TRIES.test(letters))
    return [`"${name}" may name code, settings or a command`];
  const value = name === word ? (next ?? "") : word.slice(name.length + 1);
  if (/^\.{1,2}\/[^.]*$/.test(value) && !name.includes("out"))
    return [`"${name}" is given "${value}", which may be a program`];
  if (CODE_FILE.test(value) && !/^-*(?:o|out|output|outfile|i|in|input)$/.test(name))
    return [`"${name}" is given "${value}", which may be code`];
  const isAttached = /^(?:[ceE]\W|E[a-z]|[^oIid]\.{0,2}\/)/.test(letters);
  if (!name.startsWith("--") && isAttached) return [`"${word}" takes code or a command in many programs`];
  if (name.startsWith("--") || letters.length > MAX_BUNDLE) return [];
  const takesText = next !== undefined && !NUMBER.test(next) && !next.startsWith("-");
  const isLast = /[ceE]$/.test(letters) && (takesText || word.includes("="));
  return isLast ? [`"${name}" takes code or a command in many programs`] : [];
}

/** Options with which a program shows what it would do. */
const TRIES = /^(?:dry-?run|no-?run)$/i;

/** Longer ones with one dash are names: `-verbose`. */
const MAX_BUNDLE = 4;

/** Files that are input as a word, and a plugin, a reporter or settings behind an option. */
const CODE_FILE =
  /\.(?:jar|so|dylib|dll|wasm|lua|[cm]?js|py|rb|pl|php|sh|bat|ps1|el|scm|tcl|cfg|conf|ini|rc)$/;

/** A name with an ending that no program has. */
const isDataFile = (word: string): boolean => /^[\w][\w./-]*\.\w{1,5}$/.test(word) && !CODE_FILE.test(word);

function operandDoubts(word: string, next: string | undefined, index: number): readonly string[] {
  if (index < MAX_SUBCOMMANDS && mayRunWhatFollows(word)) return [`"${word}" may run what follows it`];
  if (index < MAX_ACTS && REMOVES.test(word)) return [`"${word}" may delete something`];
  if (index === 0 && SERVES.test(word)) return [`"${word}" may open a port to others`];
  if (word === "run" && CODE_FILE.test(next ?? "")) return [`"${word}" runs "${next ?? ""}"`];
  if (RUNNERS.test(word.slice(word.lastIndexOf("/") + 1)) && !/^[.\w-]+\/(?:.*\/)?[\w-]+$/.test(word))
    return [`"${word}" is a program that runs others`];
  if (word === "rm" && next?.startsWith("-")) return [`"${word} ${next}" deletes`];
  const assigned = /^([A-Za-z_][\w.-]*)[:+?]?=/.exec(word)?.[1];
  if (assigned !== undefined && smellsOfExecution(assigned))
    return [`"${assigned}=" may name code, settings or a command`];
  return word.startsWith("@") ? [`"${word}" may take further words from a file`] : [];
}

/** `foo delete x`, `foo items delete x`. */
const MAX_ACTS = 2;
const REMOVES = /^(?:del|delete|remove|rm|erase|drop|purge|wipe|uninstall)$/;
const SERVES = /^(?:serve|server|daemon)$/;

/** Subcommands stand among the first words. */
const MAX_SUBCOMMANDS = 3;

function valueDoubts(value: string): readonly string[] {
  if (CODE.test(value)) return [`"${value}" has signs in it that code has`];
  if (COMMAND.test(value)) return [`"${value}" looks like a command`];
  if ([value, ...value.split(/[=,]/)].some(isHost)) return [`"${value}" may be a host`];
  if (SECRET_NAMES.test(value)) return [`"${value}" may hold secrets`];
  return [];
}

/** A word, or the value that is attached to an option: behind `=`, or behind a letter when it leads elsewhere. */
function valuesOf(word: string): readonly string[] {
  if (!/^[-+]./.test(word)) {
    const equals = /^[A-Za-z_][\w.-]*[:+?]?=(.*)$/s.exec(word);
    return equals ? [equals[1] ?? ""] : [word];
  }
  // The form `--out:a.txt`, which some programs take.
  const equals = word.search(/[=:]/);
  if (equals !== -1) return [word.slice(equals + 1)];
  const attached = word.replace(/^-[A-Za-z]/, "");
  return attached !== word && /[^\w-]/.test(attached) ? [attached] : [];
}

/** `--pre-hook` and `--preHook` are `pre` and `hook`. */
const pieces = (name: string): readonly string[] =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[^a-z]+/);

/** Whether an option's name, or a variable's, is one that code, settings, secrets or hosts are given by. */
export const smellsOfExecution = (name: string): boolean => pieces(name).some((piece) => SMELLS.test(piece));

/** Whether a subcommand of this name may run the words behind it. */
export const mayRunWhatFollows = (name: string): boolean => RUNS.test(name);

/** Pieces of option names that code, commands, settings, plugins and hosts are given by. */
const SMELLS = new RegExp(
  `^(?:${[
    "exec\\w*|eval\\w*|expr|expression|code|commands?|cmds?|cmdline|scripts?|scripting|macros?|lua|perl|python|js|javascript",
    "hooks?|on|pre|post|triggers?|handlers?|callback|actions?|call|spawn|launch",
    "plugins?|modules?|extensions?|addons?|libs?|library|libraries|preload|loader|loads?|require[sd]?|imports?|inject|agent",
    "conf|config\\w*|cfg|settings?|rc|rcfile|init\\w*|startup|rules?dir|rulesets?|defs?|options?file",
    "run|runs|runner|shell|sh|bash|editor|pager|browser|viewer|opener|terminal|interpreter|program|prog|binary|bin|exe|wrapper|compiler|linker|preprocessor|pipe|prepipe",
    "url|uri|host|hosts|hostname|server|servers|remote|endpoint|address|addr|proxy|gateway|registry|upload|webhook|connect|listen|bind|socket|daemon",
    "secrets?|tokens?|credentials?|cred|identity|sudo|privileged|chroot|setuid|unsafe|insecure|untrusted",
    "env|environment|envfile|execdir",
  ].join("|")})$`,
);

/** Subcommands behind which a command, a script or a shell follows. */
const RUNS =
  /^(?:exec|execute|eval|evaluate|shell|sh|ssh|console|repl|interactive|spawn|invoke|call|command|cmd|script|plugins?|hooks?|config|configure|source|load|import|attach|debug|proxy|tunnel|connect|listen|edit|run-\w+|\w+-exec)$/;

/** Whether a program of this name runs, sends or fetches what its words name. */
export const isRunner = (name: string): boolean => RUNNERS.test(name);

/** Shells, interpreters, and programs that run, send or fetch: as a word, the command of a wrapper. */
const RUNNERS =
  /^(?:(?:ba|da|z|k|c|tc|fi|a|mk|pda|rba|y|xon)?sh|busybox|pwsh|powershell|cmd|python[\d.]*|pypy[\d.]*|perl[\d.]*|ruby[\d.]*|node|nodejs|deno|bun|php[\d.]*|lua[\d.]*|tclsh|awk|gawk|mawk|nawk|env|xargs|sudo|doas|su|nohup|nice|setsid|eval|exec|curl|wget|nc|ncat|netcat|socat|ssh|scp|sftp|telnet|rsync|vim?|nvim|emacs|ed|less|more|man|gdb|strace|crontab|dd|mkfs|chmod|chown|killall|pkill|osascript|npx|bunx|uvx|pipx)$/;

/** Signs of a shell's or another language's code; a brace pair around a name is a placeholder in many programs. */
const CODE = /[;|&`$<>\\\n\r\0]|[(){}!"']|%\w*\{|\*\*\*/;

/** A text of several words that begins as commands do. */
const COMMAND =
  /^\s*(?:\.{0,2}\/|~\/)\S*\s+\S|^\s*(?:sudo|env|exec|eval|sh|bash|zsh|dash|python[\d.]*|perl|ruby|node|php|curl|wget|nc|rm|mv|cp|chmod|chown|cat|touch|echo|kill|git|npm|npx|make|source|import|require|system|run|shell|spawn|call|do|let|set)\s+\S/i;

function isHost(value: string): boolean {
  if (/:\/\/|^\/\/\w|^[\w.+-]+@[\w.-]+|^\[?[\da-f]*:[\da-f:]*:[\da-f]*\]?(?:\/|$)/i.test(value)) return true;
  if (/^(?=[^:]*[a-z])(?:[a-z\d_-]+\.)*[a-z\d_-]+:\d{1,5}(?:\/|$)/i.test(value)) return true;
  const host = value.split(/[/:]/, 1)[0] ?? "";
  return /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host) || /^localhost$/i.test(host) || DOMAIN.test(host);
}

/** Endings of hosts' names that are no endings of files'. */
const DOMAIN =
  /^(?:[a-z\d-]+\.)+(?:com|org|net|io|dev|edu|gov|mil|biz|info|xyz|cloud|online|site|local|internal|example|test|invalid|onion|uk|de|fr|nl|eu|ru|cn|jp|br|ai|co|us)\.?$/i;

/** Not the address of a host: `10.0.0.1`, `10.0.0.1:80`, `10.0.0.0/8`. */
const NUMBER = /^(?!\d{1,3}(?:\.\d{1,3}){3}(?:[:/]|$))[-+]?\d+(?:[.,:x/]\d+)*[a-zA-Z%]{0,3}$/;
