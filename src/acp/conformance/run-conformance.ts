/**
 * The suite: holds the conversations that the wanted requirements need, a few at a time, and then judges.
 *
 * An agent passes when nothing mandatory failed or could not be tested, and nothing failed that it says, or
 * shows, it can do.
 */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { visibleText } from "../../call/index.js";
import type { AgentCommand } from "./agent-process.js";
import type { SceneRecord } from "./evidence.js";
import { runScene } from "./run-scene.js";
import type { Finding, ProtocolVersion, Requirement, SceneName } from "./requirement.js";
import { requirementsOf } from "./requirements-of.js";
import { HANDSHAKE_SCENES } from "./scenes/handshake.js";
import type { Scene } from "./scenes/scene.js";
import { REOPENED_SESSION_SCENES } from "./scenes/reopened-sessions.js";
import { TURN_SCENES } from "./scenes/turns.js";
import { wireSchema } from "./wire-schema.js";

export type ConformanceOptions = {
  readonly agent: AgentCommand;
  readonly version: ProtocolVersion;
  /** Only these requirements, or those whose ids begin so (`ACP-INIT`); all of them when there are none. */
  readonly only?: readonly string[];
  /** A prompt that makes the agent call tools and ask for permission. */
  readonly prompt?: string;
  /** A prompt that lasts until it is cancelled. */
  readonly cancelPrompt?: string;
  /** The folder of the sessions (default: an empty one for each conversation). */
  readonly cwd?: string;
  readonly authMethod?: string;
  readonly responseTimeoutMs?: number;
  readonly startTimeoutMs?: number;
  readonly quietMs?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, ofAll: number, name: SceneName) => void;
};

export type JudgedRequirement = Pick<Requirement, "id" | "level" | "text"> & { readonly finding: Finding };

export type ConformanceReport = {
  readonly version: ProtocolVersion;
  readonly isConformant: boolean;
  readonly requirements: readonly JudgedRequirement[];
};

/** An id that no requirement of this version has. */
class UnknownRequirement extends Error {
  readonly code = "UNKNOWN_REQUIREMENT";
}

const SCENES: readonly Scene[] = [...TURN_SCENES, ...REOPENED_SESSION_SCENES, ...HANDSHAKE_SCENES];
const AT_ONCE = 3;
const PROMPT =
  "Use your tools to create the file hello.txt with the text hello in the working directory. Then stop.";

export async function runConformance(options: ConformanceOptions): Promise<ConformanceReport> {
  const wanted = chosenRequirements(requirementsOf(options.version), options);
  const scenes = SCENES.filter(({ name }) => wanted.some((one) => one.scenes.includes(name)));
  const records = await runScenes(scenes, options);
  const evidence = {
    version: options.version,
    schema: await wireSchema(options.version),
    scenes: new Map(records.map((record) => [record.name, record] as const)),
  };
  const requirements = wanted.map(({ id, level, text, check }) => ({
    id,
    level,
    text,
    finding: check(evidence),
  }));
  return { version: options.version, isConformant: !requirements.some(isTrouble), requirements };
}

function isTrouble({ level, finding }: JudgedRequirement): boolean {
  if (level === "mandatory") return finding.verdict !== "pass";
  return level === "capability" && finding.verdict === "fail";
}

const isMeant = (id: string, word: string): boolean => id === word || id.startsWith(`${word}-`);

/** The requirements that `only` names, or all of them. */
export function chosenRequirements(
  all: readonly Requirement[],
  { only = [], version }: Pick<ConformanceOptions, "only" | "version">,
): readonly Requirement[] {
  const unknown = only.find((word) => !all.some(({ id }) => isMeant(id, word)));
  if (unknown !== undefined)
    throw new UnknownRequirement(
      `There is no requirement ${visibleText(unknown)} for protocol version ${version}. Nothing was tested; \`toolgate conformance --list\` shows them.`,
    );
  return only.length === 0 ? all : all.filter(({ id }) => only.some((word) => isMeant(id, word)));
}

async function runScenes(
  scenes: readonly Scene[],
  options: ConformanceOptions,
): Promise<readonly SceneRecord[]> {
  const records: SceneRecord[] = [];
  const waiting = [...scenes];
  const work = async (): Promise<void> => {
    for (let scene = waiting.shift(); scene; scene = waiting.shift()) {
      records.push(await inItsFolder(scene, options));
      options.onProgress?.(records.length, scenes.length, scene.name);
    }
  };
  // In a folder that all share, one after the other: what one turn writes is not another one's surprise.
  await Promise.all(Array.from({ length: options.cwd === undefined ? AT_ONCE : 1 }, work));
  return records;
}

async function inItsFolder(scene: Scene, options: ConformanceOptions): Promise<SceneRecord> {
  const { agent, version, authMethod, signal, cancelPrompt } = options;
  const { prompt = PROMPT, responseTimeoutMs = 30_000 } = options;
  const made = options.cwd === undefined ? await mkdtemp(join(tmpdir(), "toolgate-conformance-")) : undefined;
  try {
    return await runScene(scene, {
      agent,
      version,
      cwd: await realpath(made ?? options.cwd ?? "."),
      prompt,
      cancelPrompt: cancelPrompt ?? prompt,
      holdsQuestions: cancelPrompt === undefined,
      responseTimeoutMs,
      startTimeoutMs: options.startTimeoutMs ?? Math.max(responseTimeoutMs, 15_000),
      quietMs: options.quietMs ?? Math.min(1000, responseTimeoutMs / 10),
      ...(authMethod !== undefined && { authMethod }),
      ...(signal && { signal }),
    });
  } finally {
    if (made !== undefined) await rm(made, { recursive: true, force: true });
  }
}
