/** The records of the scenes, and the checks' usual queries on them. */
import { isJsonObject, isNone } from "../json.js";
import type { JsonObject } from "../json.js";
import { failed, untested } from "./requirement.js";
import type { Finding, ProtocolVersion, SceneName } from "./requirement.js";
import { shownReply } from "./transcript.js";
import type { Line, Reply } from "./transcript.js";
import type { WireSchema } from "./wire-schema.js";

/** A prompt and its outcome. */
export type Turn = {
  readonly sessionId: string;
  /** The answer to session/prompt: in v1 the end of the turn, in v2 that it was accepted. */
  readonly reply: Reply;
  /** The line at which the turn was over: v1's response, v2's idle state. */
  readonly end: number | undefined;
  /** The line at which we cancelled the turn, or closed its session. */
  readonly interruptedAt: number | undefined;
};

export type SceneRecord = {
  readonly name: SceneName;
  /** The lines of each process that was started for it. */
  readonly conversations: readonly (readonly Line[])[];
  readonly replies: ReadonlyMap<string, Reply>;
  readonly turns: ReadonlyMap<string, Turn>;
  /** Why it could not run to its end. */
  readonly stopped: string | undefined;
  readonly endedByItself: boolean | undefined;
  readonly stderrBytes: number;
};

export type Evidence = {
  readonly version: ProtocolVersion;
  readonly schema: WireSchema;
  readonly scenes: ReadonlyMap<SceneName, SceneRecord>;
};

/** All messages of these scenes. */
export function conversations(
  evidence: Evidence,
  names?: readonly SceneName[],
): readonly (readonly Line[])[] {
  return [...evidence.scenes.values()]
    .filter(({ name }) => names?.includes(name) ?? true)
    .flatMap((scene) => scene.conversations);
}

/** Judges the answer to a step, or says why there is none to judge. */
export function onReply(
  evidence: Evidence,
  [name, step]: readonly [SceneName, string],
  judge: (reply: Reply) => Finding,
): Finding {
  const scene = evidence.scenes.get(name);
  const reply = scene?.replies.get(step);
  return reply ? judge(reply) : untested(notReached(scene, step));
}

/** Judges a result that is valid by the schema. An error, silence or another shape is a failure. */
export function onResult(
  evidence: Evidence,
  step: readonly [SceneName, string],
  judge: (result: JsonObject, reply: Reply) => Finding,
): Finding {
  return onReply(evidence, step, (reply) => {
    if (reply.kind === "error" && wantsLogin(reply)) return untested(LOGIN);
    if (reply.kind !== "result") return failed(shownReply(reply));
    const definition = evidence.schema.responseOf(reply.method);
    // Null counts as an object whose fields are all optional, as the SDKs read it.
    const result = isNone(reply.result) ? {} : reply.result;
    const problem = definition === undefined ? undefined : evidence.schema.problem(definition, result);
    if (problem !== undefined) return failed(`${problem}: ${shownReply(reply)}`);
    return isJsonObject(result) ? judge(result, reply) : failed(shownReply(reply));
  });
}

export function onTurn(
  evidence: Evidence,
  [name, step]: readonly [SceneName, string],
  judge: (turn: Turn) => Finding,
): Finding {
  const scene = evidence.scenes.get(name);
  const turn = scene?.turns.get(step);
  return turn ? judge(turn) : untested(notReached(scene, step));
}

/** Names the step that is missing, and the last one before it. */
function notReached(scene: SceneRecord | undefined, step: string): string {
  if (!scene) return `the conversation with the step "${step}" was not held`;
  if (scene.stopped !== undefined) return scene.stopped;
  const [last] = [...scene.replies].toReversed();
  const before = last ? `; the last was "${last[0]}": ${shownReply(last[1])}` : "; no request was answered";
  return `the conversation "${scene.name}" did not reach the step "${step}"${before}`;
}

export const LOGIN = "the agent wants a login first (error -32000); see --auth-method";

export const wantsLogin = (reply: Reply): boolean =>
  reply.kind === "error" && isJsonObject(reply.error) && reply.error["code"] === -32000;

/** The agent's own words about itself, in the scene that asked for them. */
export function greeting(evidence: Evidence, name: SceneName = "hello"): JsonObject | undefined {
  const reply = evidence.scenes.get(name)?.replies.get("initialize");
  return reply?.kind === "result" && isJsonObject(reply.result) ? reply.result : undefined;
}

/** Checks only what the agent advertises. The path is below the capabilities of the version. */
export function whenAdvertised(
  evidence: Evidence,
  [scene, path]: readonly [SceneName, string],
  judge: () => Finding,
): Finding {
  const reply = greeting(evidence, scene);
  if (!reply) return untested(evidence.scenes.get(scene)?.stopped ?? "initialize gave no result");
  const root = evidence.version === 1 ? "agentCapabilities" : "capabilities";
  return advertised(reply, `${root}.${path}`) ? judge() : untested(`${path} is not advertised`);
}

/** Whether there is a value at a path of keys; null and false count as none. */
export function advertised(reply: unknown, path: string): boolean {
  let value = reply;
  for (const key of path.split(".")) value = isJsonObject(value) ? value[key] : undefined;
  return !isNone(value) && value !== false;
}
