/** The description of a session that continues with another model. */
import type { SessionInfo } from "../../call/index.js";

/** Options of the model before. */
const OF_MODEL: ReadonlySet<string> = new Set(["model", "script", "baseUrl", "contextWindow"]);

export function withModel(info: SessionInfo, model: string): SessionInfo {
  const ours = objectOf(info._meta?.["toolgate"]);
  const kept = Object.entries(objectOf(ours["flags"])).filter(([name]) => !OF_MODEL.has(name));
  const flags = { ...Object.fromEntries(kept), model };
  return { ...info, _meta: { ...info._meta, toolgate: { ...ours, flags } } };
}

const objectOf = (value: unknown): { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null ? { ...value } : {};
