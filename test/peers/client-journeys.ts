/** The acts of a foreign client with `toolgate acp`, each with a ledger of its own, and how it must look there. */
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { ScriptStep } from "../../src/model/index.js";
import type { ClientStart, PeerClient, Reply } from "./clients.js";
import { isThere, makePlace, peerEnv } from "./peer-home.js";
import type { Place } from "./peer-home.js";
import { faultsOf, recordedCalls } from "./record.js";
import type { ExpectedCall, RecordedCall } from "./record.js";
import type { Verdict } from "./verdict.js";

type Ran = { readonly place: Place; readonly printed: string; readonly code: number };

type Act = {
  readonly name: string;
  readonly steps: readonly ScriptStep[];
  readonly reply: Reply;
  readonly expected: readonly ExpectedCall[];
  readonly faults: (ran: Ran) => readonly string[];
};

const READ: ScriptStep = { say: "I look.", calls: [{ tool: "read_file", input: { path: "notes.txt" } }] };
const EDIT: ScriptStep = {
  calls: [{ tool: "edit_file", input: { path: "notes.txt", oldText: "bread", newText: "butter" } }],
};
const COMMAND: ScriptStep = {
  calls: [{ tool: "terminal", input: { command: "echo su-yb-edam | rev > made.txt; cat made.txt" } }],
};
const SLOW: ScriptStep = {
  calls: [{ tool: "terminal", input: { command: "echo started > started.txt; sleep 97.5" } }],
};
const DONE: ScriptStep = { say: "All done." };

const named =
  (name: string) =>
  (call: RecordedCall): boolean =>
    call.name === name;
const read: ExpectedCall = { isIt: named("read_file"), status: "done" };
const edit: ExpectedCall = { isIt: named("edit_file"), status: "done", isDecided: true };
const notes = ({ project }: Place): string => readFileSync(join(project, "notes.txt"), "utf8");
const fault = (isWrong: boolean, text: string): readonly string[] => (isWrong ? [text] : []);
const edited = ({ place, printed }: Ran): readonly string[] => [
  ...fault(notes(place) !== "milk\nbutter\n", "the file was not edited"),
  ...fault(!printed.includes("All done."), "the client did not show the end"),
];

const ACTS: readonly Act[] = [
  {
    name: "read, edit, command: allowed",
    steps: [READ, EDIT, COMMAND, DONE],
    reply: "allow_once",
    expected: [
      read,
      edit,
      { isIt: named("terminal"), status: "done", isDecided: true, output: "made-by-us\n" },
    ],
    faults: (ran) => [
      ...edited(ran),
      ...fault(!isThere(ran.place, "made.txt"), "the command did not run"),
      ...fault(!ran.printed.includes("made-by-us"), "the client did not show the output"),
    ],
  },
  {
    name: "read, edit: allowed",
    steps: [READ, EDIT, DONE],
    reply: "allow_once",
    expected: [read, edit],
    faults: edited,
  },
  {
    name: "edit, refused",
    steps: [EDIT, DONE],
    reply: "reject_once",
    expected: [{ ...edit, status: "refused" }],
    faults: ({ place, printed }) => [
      ...fault(notes(place).includes("butter"), "the file was edited"),
      ...fault(!printed.includes("All done."), "the turn did not go on"),
    ],
  },
  {
    name: "command, cancelled",
    steps: [SLOW, DONE],
    reply: "allow_once",
    expected: [{ isIt: named("terminal"), status: "cancelled", isDecided: true }],
    faults: ({ printed }) => fault(!printed.includes("cancelled"), "the client did not hear of the cancel"),
  },
];

const ACT_MS = 150_000;
const POLL_MS = 100;

export async function clientJourneys(
  client: PeerClient,
  program: string,
  here: string,
  report: (verdict: Verdict) => void,
): Promise<void> {
  for (const act of ACTS.filter(({ name }) => client.acts.includes(name)))
    report(await oneAct(client, act, program, here));
}

async function oneAct(client: PeerClient, act: Act, program: string, here: string): Promise<Verdict> {
  const place = makePlace(client.name);
  const script = join(place.root, "script.json");
  writeFileSync(script, JSON.stringify({ steps: act.steps }));
  const ledger = join(place.root, "ledger.sqlite");
  const agent = [process.execPath, program, "acp", "--script", script, "--ledger", ledger, "--no-contain"];
  const start = await client.start(agent, act.reply, place, here);
  if (start.before) await run({ words: start.before }, place);
  const ran = await run(start, place);
  const calls = recordedCalls(program, ledger, place.project);
  return {
    peer: client.name,
    version: client.version,
    act: act.name,
    faults: [...act.faults(ran), ...act.expected.flatMap((expected) => faultsOf(calls, expected))],
    details: [`folder: ${place.root}`, ran.printed, JSON.stringify(calls, undefined, 1)],
  };
}

async function run({ words, question, cancel }: ClientStart, place: Place): Promise<Ran> {
  const [program = "", ...args] = words;
  const child = spawn(program, args, { cwd: place.project, env: peerEnv(place, []), timeout: ACT_MS });
  let printed = "";
  let isOver = false;
  const take = (text: string): void => void (printed += text);
  child.stdout.setEncoding("utf8").on("data", take);
  child.stderr.setEncoding("utf8").on("data", take);
  const ended = new Promise<number>((resolve) =>
    child.once("close", (code) => {
      isOver = true;
      resolve(code ?? -1);
    }),
  );
  let answered = 0;
  let isCancelled = false;
  while (!isOver) {
    await setTimeout(POLL_MS);
    if (question && printed.split(question.mark).length - 1 > answered) {
      answered += 1;
      child.stdin.write(`${question.typed(printed)}\n`);
    }
    if (cancel && !isCancelled && isThere(place, "started.txt")) {
      isCancelled = true;
      await run({ words: cancel }, place);
    }
  }
  return { place, printed, code: await ended };
}
