/**
 * How a session was begun, kept with it, so that whoever goes on with it does so under the same conditions: a
 * sandbox above all. What is said anew counts; a sandbox is not taken away by leaving it out.
 */
import { SessionBook } from "../call/index.js";
import type { Ledger, Meta, SessionInfo } from "../call/index.js";
import type { RunFlags } from "./program.js";

const KEPT = ["sandbox", "model", "baseUrl", "mode"] as const;

export function keptFlags(flags: RunFlags): { readonly _meta: Meta } {
  const kept = KEPT.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]]));
  return { _meta: { toolgate: { flags: Object.fromEntries(kept) } } };
}

export async function withKeptFlags(ledger: Ledger, sessionId: string, flags: RunFlags): Promise<RunFlags> {
  const events = (await ledger.read(sessionId)).map(({ event }) => event);
  const stored = storedFlags(new SessionBook(sessionId, events).info);
  const text = (name: string) => (typeof stored[name] === "string" ? { [name]: stored[name] } : {});
  // A script was meant where no model is named now.
  const model = flags.script === undefined ? { ...text("model"), ...text("baseUrl") } : {};
  return { ...model, ...text("mode"), ...(stored["sandbox"] === true && { sandbox: true }), ...flags };
}

/** The model that a session was begun with; an address of the user's own has no price that we know. */
export function startedWith(info: SessionInfo): { readonly model?: string; readonly isElsewhere: boolean } {
  const { model, baseUrl } = storedFlags(info);
  return { ...(typeof model === "string" && { model }), isElsewhere: baseUrl !== undefined };
}

function storedFlags({ _meta }: SessionInfo): { readonly [name: string]: unknown } {
  const ours = _meta?.["toolgate"];
  return isObject(ours) && isObject(ours["flags"]) ? ours["flags"] : {};
}

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null;
