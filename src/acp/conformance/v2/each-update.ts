/** v2: a question that is asked of every update of a kind. */
import type { JsonObject } from "../../json.js";
import { conversations } from "../evidence.js";
import type { Evidence } from "../evidence.js";
import { failed, PASS, untested } from "../requirement.js";
import type { Finding } from "../requirement.js";
import { shown, updatesIn } from "../transcript.js";
import type { Update } from "../transcript.js";

/** Judges each update of a kind, in order; there must be at least one. */
export function each(
  evidence: Evidence,
  { what, isIt }: { readonly what: string; readonly isIt: (update: JsonObject) => boolean },
  trouble: (update: JsonObject, one: Update) => string | undefined,
): Finding {
  const updates = conversations(evidence, ["turn"])
    .flatMap(updatesIn)
    .filter(({ update }) => isIt(update));
  for (const one of updates) {
    const how = trouble(one.update, one);
    if (how !== undefined) return failed(`${how}: ${shown(one.line)}`);
  }
  if (updates.length > 0) return PASS;
  return untested(evidence.scenes.get("turn")?.stopped ?? `no ${what} was seen`);
}

export const named =
  (...names: readonly string[]) =>
  ({ sessionUpdate }: JsonObject): boolean =>
    names.includes(String(sessionUpdate));
