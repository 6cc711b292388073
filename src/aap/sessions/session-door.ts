/** The door through which a session was created. */
import type { SessionInfo } from "../../call/index.js";

/** `driven`: somebody else's agent, in a terminal. */
export type SessionDoor = "page" | "demo" | "terminal" | "editor" | "app" | "driven" | "unknown";

/** Recorded by the door itself where it can be; otherwise by what only that door records. */
export function sessionDoor({ _meta, agent }: SessionInfo): SessionDoor {
  const ours = _meta?.["toolgate"];
  const fields = typeof ours === "object" && ours !== null ? new Map(Object.entries(ours)) : new Map();
  const door: unknown = fields.get("door");
  if (door === "page" || door === "demo" || door === "editor") return door;
  if (_meta?.["aap"] !== undefined) return "app";
  if (fields.has("agentSession")) return "driven";
  if (fields.has("flags")) return "terminal";
  return agent === undefined ? "unknown" : "editor";
}
