// Questions as figures: per 100 shell commands, per 100 calls, and per session.

export function figuresOf(replayed) {
  const calls = sum(replayed.map((session) => session.calls.length));
  const shell = sum(
    replayed.map((session) => session.calls.filter(({ call }) => call.shell !== undefined).length),
  );
  const asked = replayed.map((session) => session.asked.length);
  const askedShell = sum(
    replayed.map((session) => session.asked.filter(({ call }) => call.shell !== undefined).length),
  );
  const sorted = asked.toSorted((one, other) => one - other);
  return {
    calls,
    shell,
    questions: sum(asked),
    perShell: (100 * askedShell) / shell,
    perCall: (100 * sum(asked)) / calls,
    median: sorted[Math.floor(sorted.length / 2)],
    p90: sorted[Math.floor(sorted.length * 0.9)],
  };
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

export function lineOf(name, { perShell, perCall, median, p90, passed, contained }) {
  const through = passed
    ? `  passed: ${passed.catalogue} catalogue, ${passed.abuses} abuses, ${passed.hijacked} hijacked`
    : "";
  const inside = contained === undefined ? "" : ` (${contained} of all run in the sandbox)`;
  return `    ${name.padEnd(62)} ${perShell.toFixed(1).padStart(5)} per 100 shell ${perCall.toFixed(1).padStart(5)} per 100 calls  a session ${String(median).padStart(2)} / ${String(p90).padStart(2)}${through}${inside}`;
}
