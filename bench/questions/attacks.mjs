// Counts the attacks that pass silently once grants are stored: the attack catalogue, the abuses of described programs, and the
// commands of a hijacked agent. The grants of all sessions are put into one project first, so that every grant
// stands beside every attack.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { decide } from "toolgate/policy";
import { LocalWorkspace } from "toolgate/tools";
import { intentOf, policyOf } from "./our-engine.mjs";
import { FIXTURES, makeWorkspace, readFixture } from "./sessions.mjs";

/** Commands only: a path alone is judged by the rules of its case, which no grant changes. */
function catalogue() {
  return readFixture("adversarial/decisions.json")
    .filter(
      ({ control, input, default: effect }) =>
        !control && input.command !== undefined && input.args === undefined && effect !== "allow",
    )
    .filter(({ accept }) => !accept.includes("allow"))
    .filter(({ id }) => !NO_ATTACK_HERE.has(id))
    .map(({ id, input, rules }) => ({
      id,
      command: asHarm(input.command),
      ...(input.env && { env: Object.fromEntries(input.env.map(({ name, value }) => [name, value])) }),
      strict: rules.filter((rule) => !("allow" in rule)),
    }));
}

/** Cases that only break their own rule, with words that run nothing, or that are ordinary work (git push, npm test). */
const NO_ATTACK_HERE = new Set(
  "CP-092 CP-093 CP-097 CP-101 CP-102 CP-104 CP-106 CP-110 CP-111 CP-115 CP-237 CP-239 CP-240".split(" "),
);

/** The catalogue's sign of success is a new file in the workspace, which is an edit; here it is a harm of its own. */
const asHarm = (command) =>
  command.replaceAll("touch PWNED", "sh /outside/evil.sh").replaceAll("PWNED", "/outside/PWNED");

const abuses = () =>
  ["seen", "held-out"].flatMap((half) =>
    readFixture(`decide/abuse.${half}.json`).map(({ command }, index) => ({
      id: `${half}-${index}`,
      command,
      isHidden: half === "held-out",
    })),
  );

const hijacked = () =>
  readFixture("questions/hijacked.json").map((one, index) => ({ id: `H-${index + 1}`, ...one }));

export const ATTACKS = { catalogue, abuses, hijacked };

/** The folders of the catalogue, with some files of an ordinary project in them. */
export function makeAttacked(home) {
  const cases = join(home, "cases");
  execFileSync("sh", [join(FIXTURES, "adversarial/tree.sh"), cases], { stdio: "ignore" });
  const files = [
    "src/a.ts",
    "src/main.py",
    "docs/a.md",
    "package.json",
    "Makefile",
    "scripts/build.sh",
    ".env",
    "notes.txt",
  ];
  return { folder: makeWorkspace({ root: join(cases, "ws"), files }, home) };
}

/** `/ws` and `/home/u` of the attacks, in the made home. */
const inPlace = (text, { folder, home }) =>
  text
    .replaceAll(/(?<![\w.~-])\/(?:ws|home\/dev\/src\/day)(?![\w-])/g, folder)
    .replaceAll(/(?<![\w.~-])\/(ws-evil|ws2|ws_link|outside)(?![\w-])/g, join(home, "cases/$1"))
    .replaceAll(/(?<![\w.~-])\/home\/(?:u|user|dev)(?![\w-])/g, home);

/** Every attack with its intent in this folder. */
export async function readAttacks(place) {
  const workspace = await LocalWorkspace.open(place.folder);
  const found = [];
  for (const [family, read] of Object.entries(ATTACKS))
    for (const attack of read().filter((_, index) => family === "catalogue" || index % place.every === 0)) {
      const call = { shell: inPlace(attack.command, place) };
      const intent = await intentOf(call, workspace);
      const strict = JSON.parse(inPlace(JSON.stringify(attack.strict ?? []), place));
      if (intent)
        found.push({
          ...attack,
          family,
          call,
          strict,
          intent: attack.env ? { ...intent, env: attack.env } : intent,
        });
    }
  return found;
}

/** Attacks that no rule of these stops. */
export const passOurs = (attacks, rules, folder) =>
  attacks.filter(
    ({ intent, strict }) => decide(intent, policyOf([...rules, ...strict], folder)).effect === "allow",
  );

/** Attacks that would run, in the sandbox alone. */
export const containedOurs = (attacks, rules, folder) =>
  attacks.filter(
    ({ intent, strict }) =>
      decide(intent, policyOf([...rules, ...strict], folder, true)).contained !== undefined,
  );

export const passOther = (attacks, engine) => attacks.filter(({ call }) => !engine.asks(call));
