/**
 * `toolgate completion`: a shell script that completes commands, options and option values, generated from the commands
 * themselves.
 */
import type { Command } from "commander";

export const SHELLS = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof SHELLS)[number];

/** The words typed so far, the words that may follow, and the options among those that take a value. */
type Choice = {
  readonly words: string;
  readonly next: readonly string[];
  readonly valued: readonly ValuedOption[];
};

/** An empty list allows any value, a file name for example. */
type ValuedOption = { readonly name: string; readonly values: readonly string[] };

export function completionScript(shell: Shell, program: Command): string {
  const choices = choicesOf(program, []);
  switch (shell) {
    case "bash":
      return bash(choices);
    case "zsh":
      return `#compdef toolgate\nautoload -U +X bashcompinit && bashcompinit\n${bash(choices)}`;
    case "fish":
      return fish(choices);
    default:
      return shell satisfies never;
  }
}

function choicesOf(command: Command, above: readonly string[]): readonly Choice[] {
  const options = command.options.flatMap(({ long }) => (long ? [long] : []));
  const names = command.commands.map((one) => one.name());
  const valued = command.options.flatMap(({ long, required, argChoices = [] }) =>
    long && required ? [{ name: long, values: argChoices }] : [],
  );
  return [
    { words: above.join(" "), next: [...names, ...options, "--help"], valued },
    ...command.commands.flatMap((one) => choicesOf(one, [...above, one.name()])),
  ];
}

/** Bash takes the = of --option=value for a word of its own. */
function bash(choices: readonly Choice[]): string {
  const cases = choices.map(({ words, next }) => `    "${words}") next="${next.join(" ")}" ;;`);
  const values = choices.flatMap(({ words, valued }) =>
    valued.map((option) => `    "${words} ${option.name}") echo "${option.values.join(" ")}" ;;`),
  );
  return `_toolgate_values() {
  case "$1" in
${values.join("\n")}
    *) return 1 ;;
  esac
}
_toolgate() {
  local words="" word before="" next="" now="\${COMP_WORDS[COMP_CWORD]}"
  [ "$now" != "=" ] || now=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [ "$word" != "=" ] || continue
    if _toolgate_values "$words $before" >/dev/null; then before=""; continue; fi
    before="$word"
    case "$word" in -*) ;; *) words="\${words:+$words }$word" ;; esac
  done
  next="$(_toolgate_values "$words $before")" || case "$words" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$next" -- "$now"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$now"))
}
complete -F _toolgate toolgate
`;
}

function fish(choices: readonly Choice[]): string {
  const lines = choices.flatMap(({ words, next, valued }) => {
    const seen =
      words === "" ? "__fish_use_subcommand" : `__fish_seen_subcommand_from ${words.split(" ").at(-1)}`;
    const taking = new Map(valued.map(({ name, values }) => [name, values]));
    return next.map((one) =>
      one.startsWith("--")
        ? `complete -c toolgate -n '${seen}' -l ${one.slice(2)}${fishValue(taking.get(one))}`
        : `complete -c toolgate -n '${seen}' -a ${one}`,
    );
  });
  return `${lines.join("\n")}\n`;
}

function fishValue(values: readonly string[] | undefined): string {
  if (values === undefined) return "";
  return values.length === 0 ? " -r" : ` -x -a '${values.join(" ")}'`;
}
