/** What an ACP v1 client said at `initialize` that it can do for us. What it did not say, it cannot. */
import { isJsonObject } from "../json.js";

export type EditorAbilities = {
  readonly readTextFile: boolean;
  readonly writeTextFile: boolean;
  /** Commands run in terminals of its own. */
  readonly terminal: boolean;
};

/** Only a plain `true` counts. */
export function editorAbilities(clientCapabilities: unknown): EditorAbilities {
  const capabilities = isJsonObject(clientCapabilities) ? clientCapabilities : {};
  const fs = isJsonObject(capabilities["fs"]) ? capabilities["fs"] : {};
  return {
    readTextFile: fs["readTextFile"] === true,
    writeTextFile: fs["writeTextFile"] === true,
    terminal: capabilities["terminal"] === true,
  };
}
