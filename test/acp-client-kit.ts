/** A foreign agent as a real process, driven by our client, with what it was answered and what was recorded. */
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { AgentConnection } from "../src/acp/index.js";
import type { ConnectOptions, ForeignSession, OpenOptions } from "../src/acp/index.js";
import { waitForTurn } from "../src/agent/index.js";
import type { TurnEnd } from "../src/agent/index.js";
import type { Ledger, OptionKind, Question } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import type { Rule } from "../src/policy/index.js";
import type { Ask } from "../src/run/index.js";
import { LocalWorkspace } from "../src/tools/index.js";
import { folder, text } from "./agent-kit.js";
import { childProgram } from "./child-programs.js";

const byHand = childProgram("acp-agent-by-hand.mjs");

export type Driven = {
  readonly connection: AgentConnection;
  readonly session: ForeignSession;
  readonly ledger: Ledger;
  readonly cwd: string;
  readonly questions: readonly Question[];
  /** The responses that the agent noted. */
  readonly notes: () => readonly unknown[];
  /** One prompt, with every question answered by `ask`. */
  readonly say: (what: unknown, signal?: AbortSignal) => Promise<TurnEnd>;
  readonly repairs: () => readonly string[];
};

export type DriveOptions = Partial<OpenOptions> & {
  readonly rules?: readonly Rule[];
  readonly ask?: Ask;
  readonly connect?: Partial<ConnectOptions>;
  readonly argv?: readonly [string, ...string[]];
  readonly files?: Record<string, string>;
  /** At an agent that other tests use too. */
  readonly isShared?: boolean;
};

export async function connect(
  behaviour: string,
  options: DriveOptions = {},
): Promise<{ connection: AgentConnection; cwd: string; notes: () => readonly unknown[] }> {
  const cwd = await folder(options.files);
  const notes = join(await folder(), "notes");
  const { argv = [process.execPath, byHand, behaviour, notes] } = options;
  const connection = await AgentConnection.open({ agent: { argv, cwd }, ...options.connect });
  onTestFinished(() => connection.close());
  return { connection, cwd, notes: () => notesIn(notes) };
}

const shared = new Map<string, { readonly connection: Promise<AgentConnection>; readonly notes: string }>();

/**
 * A session of its own at an agent that others use too: starting a process takes longer than most tests. Nobody closes
 * the agent: test files share a process, and the agent ends when that process ends and its input closes.
 */
async function connectShared(behaviour: string, files?: Record<string, string>) {
  const known = shared.get(behaviour) ?? sharedAgent(behaviour);
  shared.set(behaviour, known);
  const before = notesIn(known.notes).length;
  const notes = () => notesIn(known.notes).slice(before);
  return { connection: await known.connection, cwd: await folder(files), notes };
}

function sharedAgent(behaviour: string) {
  const place = mkdtempSync(join(tmpdir(), "toolgate-test-"));
  const notes = join(place, "notes");
  const argv = [process.execPath, byHand, behaviour, notes] as const;
  return { connection: AgentConnection.open({ agent: { argv, cwd: place } }), notes };
}

function notesIn(file: string): readonly unknown[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines.map((line): unknown => JSON.parse(line));
}

export async function drive(behaviour: string, options: DriveOptions = {}): Promise<Driven> {
  const { connection, cwd, notes } = options.isShared
    ? await connectShared(behaviour, options.files)
    : await connect(behaviour, options);
  const {
    rules = [],
    ask = choose("allow_once"),
    connect: _connect,
    argv: _argv,
    files: _files,
    isShared: _isShared,
    ...given
  } = options;
  const { ledger = new MemoryLedger() } = given;
  const workspace = await LocalWorkspace.open(cwd);
  const session = await connection.newSession({ workspace, policy: () => ({ rules }), ...given, ledger });
  const questions: Question[] = [];
  const noted: Ask = (question, signal) => {
    questions.push(question);
    return ask(question, signal);
  };
  return {
    connection,
    session,
    ledger,
    cwd: workspace.root,
    questions,
    notes,
    say: (what, signal = new AbortController().signal) =>
      waitForTurn(session, noted, signal, () =>
        session.prompt(text(typeof what === "string" ? what : JSON.stringify(what)), signal),
      ),
    repairs: () => session.book.snapshot().repairs.map(({ repair }) => repair),
  };
}

/** Answers every question with the option of this kind, if it is offered. */
export const choose =
  (kind: OptionKind, reason?: string): Ask =>
  ({ options }) => {
    const option = options.find((one) => one.kind === kind);
    return Promise.resolve({
      outcome: option ? { type: "selected", optionId: option.optionId } : { type: "refused" },
      by: "person",
      who: "tester",
      ...(reason !== undefined && { reason }),
    });
  };

/** Never answers; reports when its signal was aborted. */
export function askForever(): { readonly ask: Ask; isStopped: boolean; isAsked: boolean } {
  const state = { isStopped: false, isAsked: false };
  const ask: Ask = (_question, signal) => {
    state.isAsked = true;
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        state.isStopped = true;
        reject(new Error("stopped"));
      });
    });
  };
  return Object.assign(state, { ask });
}
