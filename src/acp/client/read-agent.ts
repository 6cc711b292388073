/** What an agent says of itself when it is greeted. What it does not say, or says oddly, it cannot do. */
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
  readonly authMethods: readonly { readonly id: string; readonly name: string }[];
};

/** `otherwise`: its name, when it does not say. */
export function readAgent(result: JsonObject, otherwise: string): KnownAgent {
  const info = objectOf(result["agentInfo"]);
  const capabilities = objectOf(result["agentCapabilities"]);
  const session = objectOf(capabilities["sessionCapabilities"]);
  const methods = Array.isArray(result["authMethods"]) ? result["authMethods"] : [];
  const { protocolVersion } = result;
  return {
    name: textOf(info["name"]) ?? otherwise,
    version: textOf(info["version"]),
    protocolVersion: typeof protocolVersion === "number" ? protocolVersion : 0,
    canLoad: capabilities["loadSession"] === true,
    canResume: isJsonObject(session["resume"]),
    canList: isJsonObject(session["list"]),
    canClose: isJsonObject(session["close"]),
    canAddFolders: isJsonObject(session["additionalDirectories"]),
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
