/** Reads an agent's response to `initialize`. An ability that is missing or malformed counts as absent. */
import { oneLine } from "../../call/index.js";
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";

export type KnownAgent = {
  readonly name: string;
  readonly version: string | undefined;
  readonly protocolVersion: number;
  readonly canLoad: boolean;
  readonly canResume: boolean;
  readonly canList: boolean;
  readonly canClose: boolean;
  readonly canAddFolders: boolean;
  /** Whether the agent passes the reason of a no (`_meta.toolgate.reason`) to its model. */
  readonly takesReasons: boolean;
  readonly authMethods: readonly { readonly id: string; readonly name: string }[];
};

/** `otherwise`: its name, when it does not say. */
export function readAgent(result: JsonObject, otherwise: string): KnownAgent {
  const { protocolVersion } = result;
  const isV2 = protocolVersion === 2;
  const info = objectOf(result[isV2 ? "info" : "agentInfo"]);
  const capabilities = objectOf(result[isV2 ? "capabilities" : "agentCapabilities"]);
  const session = objectOf(capabilities[isV2 ? "session" : "sessionCapabilities"]);
  const methods = Array.isArray(result["authMethods"]) ? result["authMethods"] : [];
  // In v2 every agent that has sessions can do these.
  const can = (what: string) => isV2 || isJsonObject(session[what]);
  return {
    name: textOf(info["name"]) ?? otherwise,
    version: textOf(info["version"]),
    protocolVersion: typeof protocolVersion === "number" ? protocolVersion : 0,
    canLoad: !isV2 && capabilities["loadSession"] === true,
    canResume: can("resume"),
    canList: can("list"),
    canClose: can("close"),
    canAddFolders: isJsonObject(session["additionalDirectories"]),
    takesReasons: objectOf(objectOf(capabilities["_meta"])["toolgate"])["permissionReason"] === true,
    authMethods: methods.flatMap((method: unknown) => readMethod(method)),
  };
}

function readMethod(method: unknown): KnownAgent["authMethods"] {
  const { id, name } = objectOf(method);
  if (typeof id !== "string") return [];
  return [{ id: oneLine(id, 80), name: textOf(name) ?? oneLine(id, 80) }];
}

const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? oneLine(value, 80) : undefined;
