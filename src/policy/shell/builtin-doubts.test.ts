import { expect, test } from "vitest";
import { readShell } from "./read-shell.js";
import type { ShellLanguage } from "./shell-context.js";

const LANGUAGES: readonly ShellLanguage[] = ["bash", "sh"];
const undoubted = (texts: readonly string[], language: ShellLanguage) =>
  texts.filter((text) => readShell(text, { language }).doubts.length === 0);

/** Every builtin that bash 5.2 lists, without the ones that run, change the folder or are harmless alone. */
const OTHERS =
  ". alias bg bind caller compgen complete compopt declare disown enable export fc fg getopts hash help history " +
  "let local logout mapfile read readarray readonly set shopt source suspend trap typeset unalias unset";

/** With a name of the text's own these two do no more than to change it. */
const NAME_SETTERS = new Set(["read", "unset"]);

test.each(LANGUAGES)("doubts each builtin that is not known to be harmless in %s", (language) => {
  expect(undoubted(OTHERS.split(" "), language)).toEqual([]);
  expect(
    undoubted(
      OTHERS.split(" ").map((name) => `command ${name} ${NAME_SETTERS.has(name) ? "PATH" : "a"}`),
      language,
    ),
  ).toEqual([]);
});

test.each(LANGUAGES)("doubts words that a builtin may evaluate in %s", (language) => {
  const texts = [
    "printf %n PATH",
    "printf '%s%n' a PATH",
    "printf '%5n' PATH",
    "printf '%ln' PATH",
    "printf '%.3n' PATH",
    "printf -- %n PATH",
    "command printf %n PATH",
    "builtin printf %n PATH",
    "printf '%(%F)T' -1",
    "printf '%*d' 1 2",
    "printf '%.*s' 1 2",
    "printf '%1$s' a",
    "printf '100%'",
    "printf -v PATH x",
    "printf -vPATH x",
    "printf %d 'path[$(touch P)]'",
    "printf '%s %d' a 'path[`touch P`]'",
    "test -v 'a[$(b)]'",
    "[ -R a ]",
    "[ ! -v a ]",
    "[ 'HOME[$(touch P)]' -eq 1 ]",
    "[ -t 'path[$(touch P)]' ]",
    "test 1 -lt 'x[$(touch P)]'",
    "[ -n 'x[`touch P`]' ]",
    "exit 'path[$(touch P)]'",
    "exit PATH=0",
    "return a",
    "shift a",
    "break 'a[$(b)]'",
    "continue a",
    "ulimit -n 'x[$(touch P)]'",
    "ulimit -n 10",
    "umask 'a[$(b)]'",
    "umask 0",
    "kill 'a[$(b)]'",
    "wait -p a",
    "wait 'a[$(b)]'",
    "jobs -x ls",
    "type 'a[$(b)]'",
    "command -v 'a[$(b)]'",
    "pwd 'a[$(b)]'",
    "dirs 'a[$(b)]'",
    "cd 'a[$(b)]'",
    "sleep 'a[$(b)]'",
    "hash -p ./a ls",
    "enable -f ./a b",
    "coproc ls",
    "exec -l bash build.sh",
    "exec",
  ];
  expect(undoubted(texts, language)).toEqual([]);
});

test("doubts what other shells calculate with when any shell may read the text", () => {
  const texts = [
    "printf %d PATH=0",
    "printf '\\045d' 'PATH=0'",
    "printf '\\445d' 'PATH=0'",
    "printf '\\x25d' 'PATH=0'",
    "printf '%s %d' a b",
    "printf %d src/*",
    "[ PATH=0 -eq 0 ]",
    "test 1 -ne a",
    "[ -t a ]",
    "chdir src; ls",
    "print -v a b",
    "integer a",
    "zmodload zsh/system",
    "redirect ls",
  ];
  expect(undoubted(texts, "sh")).toEqual([]);
});

test.each(LANGUAGES)("does not doubt builtins with plain words in %s", (language) => {
  const texts = [
    "echo '[$x]'",
    "printf '%s\\n' 'a [$x]' b",
    "printf '%5d|%-3s|%%\\n' 1 2",
    "printf '\\033[1mbold\\033[0m\\n'",
    "printf 'a\\tb\\n'",
    "printf '%.2f' 1.5",
    "test -f a || exit 1",
    "[ -f a ] && [ a = b ]",
    "[ 1 -eq 2 ] || [ -t 1 ]",
    "test a -nt b",
    "[ '[a]' = b ]",
    "while false; do break; done",
    "command -v node",
    "type -a node",
    "which node",
    "pwd -P",
    "wait",
    "wait 12 %1",
    "jobs -l",
    "kill -9 12",
    "ulimit -a",
    "umask",
    "sleep 1",
    "true a; false; : 'x[$(y)]'",
    "times; dirs -v",
  ];
  expect(texts.flatMap((text) => readShell(text, { language }).doubts)).toEqual([]);
});

test("reads long words of builtins in bounded time", () => {
  for (const word of ["[", "%0", "%", "\\", "[$", "-", "P", "%1.", "0"]) {
    const started = process.cpuUsage();
    for (const program of ["printf", "test", "cd", "printf %d"])
      readShell(`${program} '${word.repeat(90_000 / word.length)}'`);
    expect(process.cpuUsage(started).user / 1000, word).toBeLessThan(3_000);
  }
});
