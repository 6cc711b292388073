/** The capabilities that an ACP v1 client advertised at `initialize`. */
import { isJsonObject } from "../json.js";

export type EditorCapabilities = {
  readonly readTextFile: boolean;
  readonly writeTextFile: boolean;
  /** The editor runs commands in its own terminals. */
  readonly terminal: boolean;
};

/** How it wants to be shown our own terminals: Zed and those after it take them in `_meta.terminal_*`. */
export function terminalDialect(clientCapabilities: unknown): "text" | "meta" {
  const meta = isJsonObject(clientCapabilities) ? clientCapabilities["_meta"] : undefined;
  return isJsonObject(meta) && meta["terminal_output"] === true ? "meta" : "text";
}

/** Whether it understands `compaction_update`. */
export function showsCompaction(clientCapabilities: unknown): boolean {
  const session = isJsonObject(clientCapabilities) ? clientCapabilities["session"] : undefined;
  return isJsonObject(session) && isJsonObject(session["compaction"]);
}

/** Only a plain `true` counts. */
export function editorCapabilities(clientCapabilities: unknown): EditorCapabilities {
  const capabilities = isJsonObject(clientCapabilities) ? clientCapabilities : {};
  const fs = isJsonObject(capabilities["fs"]) ? capabilities["fs"] : {};
  return {
    readTextFile: fs["readTextFile"] === true,
    writeTextFile: fs["writeTextFile"] === true,
    terminal: capabilities["terminal"] === true,
  };
}
