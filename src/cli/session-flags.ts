/**
 * The flags that a session was started with, stored with it, so that it resumes under the same conditions: a sandbox
 * above all. New flags override stored ones; leaving out --sandbox does not remove it.
 */
import { resolve } from "node:path";
import { oneLine, readSessionInfo } from "../call/index.js";
import type { Ledger, Meta, SessionInfo } from "../call/index.js";
import { isSameProvider } from "../model/model-name.js";
import type { RunFlags } from "./commands/run.js";

const KEPT = [
  "sandbox",
  "contain",
  "undoCommands",
  "model",
  "baseUrl",
  "contextWindow",
  "loopLimit",
  "mode",
  "onBreach",
] as const;

/** The flags of any command that runs an agent. */
type KeptOf = Pick<RunFlags, (typeof KEPT)[number] | "script">;

/** `door`: where the session was started, if not in a terminal. */
export function keptFlags(flags: KeptOf, door?: "editor"): { readonly _meta: Meta } {
  return { _meta: { toolgate: { ...(door && { door }), flags: flagsToKeep(flags) } } };
}

export function flagsToKeep(flags: KeptOf): Meta {
  const kept = KEPT.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]]));
  // The session may be resumed from another folder.
  const script = flags.script === undefined ? {} : { script: resolve(flags.script) };
  return { ...Object.fromEntries(kept), ...script };
}

export async function withKeptFlags(ledger: Ledger, sessionId: string, flags: RunFlags): Promise<RunFlags> {
  const info = await readSessionInfo(ledger, sessionId);
  if (flags.agent === undefined && isForeign(info))
    throw new ForeignSessionHere(sessionId, info.agent ?? "another agent");
  const stored = storedFlags(info);
  const text = (name: string) => (typeof stored[name] === "string" ? { [name]: stored[name] } : {});
  const number = (name: string) => (typeof stored[name] === "number" ? { [name]: stored[name] } : {});
  // A stored script counts only without a new model, and the other way round.
  const script = flags.model === undefined ? text("script") : {};
  // A stored address is one of the stored model's provider.
  const { model: before } = stored;
  const isOtherProvider =
    flags.model !== undefined && typeof before === "string" && !isSameProvider(flags.model, before);
  const address = isOtherProvider ? {} : text("baseUrl");
  const model = flags.script === undefined ? { ...text("model"), ...address, ...script } : {};
  // The window belongs to the model that it was set for.
  const isSameModel = flags.model === undefined && flags.script === undefined;
  const onBreach = stored["onBreach"] === "end" ? { onBreach: "end" as const } : {};
  return {
    ...model,
    ...(isSameModel ? number("contextWindow") : {}),
    ...number("loopLimit"),
    ...text("mode"),
    ...onBreach,
    ...(isKeptCommands(stored["undoCommands"]) && { undoCommands: stored["undoCommands"] }),
    ...(stored["sandbox"] === true && { sandbox: true }),
    ...flags,
    // Like a sandbox, a question is not taken away by leaving the option out.
    ...(stored["contain"] === false && { contain: false }),
  };
}

/** A session of an external agent: only that agent has its messages. */
export const isForeign = ({ _meta }: SessionInfo): boolean =>
  isObject(_meta?.["toolgate"]) && _meta["toolgate"]["agentSession"] !== undefined;

/** The external agent's own id of a session. */
export function agentSessionOf({ _meta }: SessionInfo): string | undefined {
  const ours = _meta?.["toolgate"];
  const agentSession = isObject(ours) ? ours["agentSession"] : undefined;
  const sessionId = isObject(agentSession) ? agentSession["sessionId"] : undefined;
  return typeof sessionId === "string" ? sessionId : undefined;
}

class ForeignSessionHere extends Error {
  readonly code = "FOREIGN_SESSION";

  constructor(sessionId: string, agent: string) {
    super(
      `Session ${sessionId} is one of ${oneLine(agent, 80)}. Nothing was done; resume it with: toolgate run --agent "<its command>" --resume ${sessionId}`,
    );
    this.name = "ForeignSessionHere";
  }
}

function storedFlags({ _meta }: SessionInfo): { readonly [name: string]: unknown } {
  const ours = _meta?.["toolgate"];
  return isObject(ours) && isObject(ours["flags"]) ? ours["flags"] : {};
}

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null;

const isKeptCommands = (value: unknown): value is "contained" | "writing" | "never" =>
  value === "contained" || value === "writing" || value === "never";
