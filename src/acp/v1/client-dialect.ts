/** ACP v1, as a client reads it. */
import type { ClientDialect } from "../client-dialect.js";
import { readV1Permission } from "./permission.js";
import { V1Reader } from "./reader.js";

export const v1ClientDialect: ClientDialect = {
  version: 1,
  signIn: "authenticate",
  reader: (session, cwd) => new V1Reader({ session, cwd, mode: "lenient" }),
  readPermission: readV1Permission,
  start: "tool_call",
  stateIn: () => undefined,
  echoesUser: false,
};
