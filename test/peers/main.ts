/** The command: installs the peers that are named, or all, runs their journeys, and prints the table. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { AGENTS } from "./agents.js";
import { agentJourneys } from "./agent-journeys.js";
import { clientJourneys } from "./client-journeys.js";
import { CLIENTS } from "./clients.js";
import { NotInstalled } from "./install.js";
import { compareConversations } from "./conversations.js";
import { cacheFolder } from "./peer-home.js";
import { isBad, progress, verdictTable, verdictText } from "./verdict.js";
import type { Verdict } from "./verdict.js";

const HELP = `Usage: node test/peers/run.mjs [--verbose] [peer…]

Installs real ACP clients and agents from their registries into a cache folder, pinned to a version, and
runs journeys with them against the built toolgate program (build it with node scripts/ready.mjs).
Providers are faked on loopback. Prints a table: peer, version, what it did, verdict.

  --list     list the peers and their versions
  --verbose  show the screen and the recorded calls of each journey that went wrong
  --conversations  instead: compare toolgate chat with opencode and acpx in a terminal, on one streamed answer
  --help     show this text

Exit code: 0 when no verdict is bad, 1 otherwise, 2 for wrong usage. A peer that cannot be installed is
"not run", which is no bad verdict.
`;

type Peer = {
  readonly name: string;
  readonly version: string;
  readonly role: string;
  readonly run: (program: string, report: (verdict: Verdict) => void) => Promise<void>;
};

const peersOf = (here: string): readonly Peer[] => [
  ...CLIENTS.map((client) => ({
    ...client,
    role: "client of toolgate acp",
    run: (program: string, report: (verdict: Verdict) => void) =>
      clientJourneys(client, program, here, report),
  })),
  ...AGENTS.map((agent) => ({
    ...agent,
    role: "agent behind toolgate run --agent",
    run: (program: string, report: (verdict: Verdict) => void) => agentJourneys(agent, program, here, report),
  })),
];

export async function main(words: readonly string[], here: string): Promise<number> {
  if (words.includes("--help")) return print(HELP);
  const peers = peersOf(here);
  if (words.includes("--list"))
    return print(peers.map(({ name, version, role }) => `${name} ${version}: ${role}\n`).join(""));
  const names = words.filter((word) => !word.startsWith("--"));
  const unknown = names.find((name) => !peers.some((peer) => peer.name === name));
  if (unknown !== undefined) return print(`There is no peer ${unknown}. Nothing was done. Try --list.\n`, 2);
  const program = join(here, "../../dist/cli/main.js");
  if (!existsSync(program)) return print("toolgate is not built. Run: node scripts/ready.mjs\n", 2);
  if (words.includes("--conversations")) return print(`${await compareConversations(program)}\n`);
  progress(`Peers are installed in ${cacheFolder()}.`);
  const verdicts: Verdict[] = [];
  for (const peer of peers.filter(({ name }) => names.length === 0 || names.includes(name))) {
    progress(`${peer.name} ${peer.version}`);
    const report = (verdict: Verdict): void => {
      verdicts.push(verdict);
      progress(`  ${verdict.act}: ${verdictText(verdict)}`);
      if (isBad(verdict) && words.includes("--verbose")) progress((verdict.details ?? []).join("\n"));
    };
    await peer.run(program, report).catch((error: unknown) => report(notRun(peer, error)));
  }
  print(`\n${verdictTable(verdicts)}\n`);
  return verdicts.some(isBad) ? 1 : 0;
}

const notRun = ({ name, version }: Peer, error: unknown): Verdict => ({
  peer: name,
  version,
  act: "all",
  faults: [error instanceof Error ? error.message : String(error)],
  ...(error instanceof NotInstalled && { isMissing: true }),
});

function print(text: string, code = 0): number {
  process.stdout.write(text);
  return code;
}
