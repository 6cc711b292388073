/** The acts of an agent behind `toolgate run --agent`, each a session of its own, with a person at the terminal. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PeerAgent } from "./agents.js";
import { isThere, makePlace, NOTES, peerEnv } from "./peer-home.js";
import type { Place } from "./peer-home.js";
import { sit } from "./person.js";
import type { Sat } from "./person.js";
import { faultsOf, recordedCalls } from "./record.js";
import type { ExpectedCall, RecordedCall } from "./record.js";
import { startProvider } from "./scripted-provider.js";
import type { ModelCall } from "./scripted-provider.js";
import type { Verdict } from "./verdict.js";

const REASON = "not on a Sunday, please";
const SLEEP = "sleep 97.25";

type Seen = Sat & {
  readonly place: Place;
  readonly requests: readonly string[];
  readonly calls: readonly RecordedCall[];
};

type Act = {
  readonly name: string;
  readonly calls: (agent: PeerAgent, place: Place) => readonly ModelCall[];
  readonly reply: string;
  readonly cancelWhen?: (place: Place) => boolean;
  readonly expected: ExpectedCall;
  /** Further faults, in words. */
  readonly faults: (seen: Seen, agent: PeerAgent) => readonly string[];
};

const has = (call: RecordedCall, text: string): boolean =>
  JSON.stringify([call.rawInput, call.title, call.locations]).includes(text);
const notes = ({ project }: Place): string => readFileSync(join(project, "notes.txt"), "utf8");
const fault = (isWrong: boolean, text: string): readonly string[] => (isWrong ? [text] : []);

const ACTS: readonly Act[] = [
  {
    name: "read",
    calls: ({ tools }, { project }) => [tools.read(join(project, "notes.txt"))],
    reply: "y",
    expected: { isIt: (call) => has(call, "notes.txt"), status: "done" },
    faults: ({ code, requests, place }) => [
      ...fault(code !== 0, `exit code ${code}`),
      ...fault(!requests.some((text) => text.includes("milk")), "the model did not get the file"),
      ...fault(notes(place) !== NOTES, "the file changed"),
    ],
  },
  {
    name: "edit, allowed",
    calls: ({ tools }, { project }) => tools.edit(join(project, "notes.txt"), "bread", "butter"),
    reply: "y",
    expected: {
      isIt: (call) => call.decision?.by === "person" || call.kind === "edit",
      status: "done",
      isDecided: true,
    },
    faults: ({ code, place, screen, questions }) => [
      ...fault(code !== 0, `exit code ${code}`),
      ...fault(questions !== 1, `asked ${questions} times`),
      ...fault(
        !/[-−] ?bread[^]*\+ ?butter[^]*Allow this\?/.test(screen),
        "the question does not show the diff",
      ),
      ...fault(notes(place) !== "milk\nbutter\n", "the file was not edited"),
    ],
  },
  {
    name: "command, refused with a reason",
    calls: ({ tools }) => [tools.run("touch refused.txt")],
    reply: REASON,
    expected: {
      isIt: (call) => has(call, "touch refused.txt"),
      status: "refused",
      isDecided: true,
      reason: REASON,
    },
    faults: ({ place, requests, questions }, { endsAtNo }) => [
      ...fault(questions !== 1, `asked ${questions} times`),
      ...fault(isThere(place, "refused.txt"), "it ran all the same"),
      ...fault(
        !endsAtNo && !requests.some((text) => text.includes(REASON)),
        "the reason did not reach the model",
      ),
    ],
  },
  {
    name: "command, allowed",
    calls: ({ tools }) => [tools.run("echo reep-yb-edam | rev > made.txt; cat made.txt")],
    reply: "y",
    expected: {
      isIt: (call) => has(call, "rev > made.txt"),
      status: "done",
      isDecided: true,
      output: "made-by-peer\n",
    },
    faults: ({ code, place, requests, questions }) => [
      ...fault(code !== 0, `exit code ${code}`),
      ...fault(questions !== 1, `asked ${questions} times`),
      ...fault(!isThere(place, "made.txt"), "it did not run"),
      ...fault(!requests.some((text) => text.includes("made-by-peer")), "the model did not get the output"),
    ],
  },
  {
    name: "command, cancelled",
    calls: ({ tools }) => [tools.run(`echo started > started.txt; ${SLEEP}`)],
    reply: "y",
    cancelWhen: (place) => isThere(place, "started.txt"),
    expected: { isIt: (call) => has(call, SLEEP), status: "cancelled", isDecided: true },
    faults: ({ code }) => [
      ...fault(code !== 130, `exit code ${code}`),
      ...fault(isRunning(SLEEP), "the command still runs"),
    ],
  },
];

function isRunning(command: string): boolean {
  const [program = "", argument = ""] = command.split(" ");
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return processes.some((pid) => commandLine(pid) === `${program}\0${argument}\0`);
}

/** Empty for a process that has ended meanwhile. */
function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

export async function agentJourneys(
  agent: PeerAgent,
  program: string,
  here: string,
  report: (verdict: Verdict) => void,
): Promise<void> {
  for (const act of ACTS) report(await oneAct(agent, act, program, here));
}

async function oneAct(agent: PeerAgent, act: Act, program: string, here: string): Promise<Verdict> {
  const provider = await startProvider(agent.dialect);
  const place = makePlace(agent.name);
  const { command, env, programs = [] } = await agent.start(place, provider.url);
  provider.play(act.calls(agent, place));
  const ledger = join(place.root, "ledger.sqlite");
  const tee = [process.execPath, join(here, "tee.mjs"), join(place.root, "traffic.ndjson")];
  const agentLine = [...tee, ...command].map((word) => JSON.stringify(word)).join(" ");
  const { cancelWhen } = act;
  const sat = await sit({
    words: [program, "run", "--agent", agentLine, "--ledger", ledger, "--no-contain", "Do it."],
    cwd: place.project,
    env: peerEnv(place, programs, env),
    reply: act.reply,
    ...(cancelWhen && { cancelWhen: () => cancelWhen(place) }),
  });
  provider.close();
  const calls = recordedCalls(program, ledger, place.project);
  const seen = { ...sat, place, requests: provider.requests(), calls };
  const status = act.cancelWhen ? (agent.cancelledAs ?? act.expected.status) : act.expected.status;
  const faults = [...act.faults(seen, agent), ...faultsOf(calls, { ...act.expected, status })];
  return {
    peer: agent.name,
    version: agent.version,
    act: act.name,
    faults,
    details: [
      `folder: ${place.root}`,
      `tools: ${provider.tools().join(" ")}`,
      sat.screen,
      JSON.stringify(calls, undefined, 1),
    ],
  };
}
