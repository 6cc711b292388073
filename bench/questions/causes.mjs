// The questions that remain, grouped by reason, for those who tune.

const MAX_EXAMPLES = 40;

export function causesText(replayed, { perShell, perCall, set }, home) {
  const asked = replayed.flatMap((session) =>
    session.asked.map((one) => ({ ...one, project: session.project })),
  );
  const groups = new Map();
  for (const one of asked) {
    const key =
      one.reason === undefined ? `no rule covers it: ${programOf(one.call)}` : kindOf(one.reason, home);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  const sorted = [...groups].toSorted(([, one], [, other]) => other.length - one.length);
  return [
    `${set}: ${perShell.toFixed(1)} questions per 100 shell commands, ${perCall.toFixed(1)} per 100 calls (every "always" taken, no starter rules)`,
    `${asked.length} questions, ${asked.filter(({ sentence }) => sentence === undefined).length} of them without an "always"`,
    ...sorted.flatMap(([reason, list]) => [
      "",
      `## ${list.length} × ${reason}`,
      ...list.slice(0, MAX_EXAMPLES).flatMap((one) => exampleLines(one, home)),
      ...(list.length > MAX_EXAMPLES ? [`  … ${list.length - MAX_EXAMPLES} more`] : []),
    ]),
  ].join("\n");
}

function exampleLines({ call, project, reason, sentence }, home) {
  const text = (call.shell === undefined ? JSON.stringify(call) : call.shell).replaceAll(home, "/home/dev");
  const shown = text.replaceAll("\n", "⏎").slice(0, 220);
  const offered = sentence === undefined ? "no always" : sentence.replaceAll(home, "/home/dev").slice(0, 200);
  return [
    `  [${project}] ${shown}`,
    `      ${(reason ?? "").replaceAll(home, "/home/dev").slice(0, 160)} → ${offered}`,
  ];
}

/** The first program of a command that is no `cd`, with its subcommand. */
function programOf(call) {
  if (call.shell === undefined) return Object.keys(call)[0];
  const words = call.shell.replace(/^(?:cd \S+ && |\w+=\S+ )*/, "").split(/\s+/);
  return /^[a-z]/.test(words[1] ?? "") ? words.slice(0, 2).join(" ") : words[0];
}

/** The reason without the names in it, so that equal causes fall together. */
function kindOf(reason, home) {
  return reason
    .replaceAll(home, "/home/dev")
    .replaceAll(/`[^`]*`|"[^"]*"|'[^']*'/g, "…")
    .replaceAll(/(?:\/[\w.@*~-]+)+\/?/g, "PATH")
    .replaceAll(/\b\d+\b/g, "N")
    .replaceAll(/\$\w+|\$\{[^}]*\}/g, "$V")
    .slice(0, 90);
}
