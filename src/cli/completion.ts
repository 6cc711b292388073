/** `toolgate completion`: a script that lets a shell complete commands and options, made from the commands themselves. */
import type { Command } from "commander";

export const SHELLS = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof SHELLS)[number];

/** A line of words, and what may come next. */
type Choice = { readonly words: string; readonly next: readonly string[] };

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
  return [
    { words: above.join(" "), next: [...names, ...options, "--help"] },
    ...command.commands.flatMap((one) => choicesOf(one, [...above, one.name()])),
  ];
}

function bash(choices: readonly Choice[]): string {
  const cases = choices.map(({ words, next }) => `    "${words}") next="${next.join(" ")}" ;;`);
  return `_toolgate() {
  local words="" word next=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) words="\${words:+$words }$word" ;; esac
  done
  case "$words" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _toolgate toolgate
`;
}

function fish(choices: readonly Choice[]): string {
  const lines = choices.flatMap(({ words, next }) => {
    const seen =
      words === "" ? "__fish_use_subcommand" : `__fish_seen_subcommand_from ${words.split(" ").at(-1)}`;
    return next.map((one) =>
      one.startsWith("--")
        ? `complete -c toolgate -n '${seen}' -l ${one.slice(2)}`
        : `complete -c toolgate -n '${seen}' -a ${one}`,
    );
  });
  return `${lines.join("\n")}\n`;
}
