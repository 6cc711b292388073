/** The v2 draft, as a client reads it. */
import type { ClientDialect } from "../client-dialect.js";
import { isJsonObject } from "../json.js";
import { readV2Permission } from "./permission.js";
import { V2Reader } from "./reader.js";

export const v2ClientDialect: ClientDialect = {
  version: 2,
  signIn: "auth/login",
  reader: (session, cwd) => new V2Reader({ session, cwd, mode: "lenient" }),
  readPermission: readV2Permission,
  start: "tool_call_update",
  stateIn: (update) =>
    isJsonObject(update) && update["sessionUpdate"] === "state_update" ? update : undefined,
  echoesUser: true,
};
