/** Toolgate's folders for its own data. No agent's tool may write there: the policy gets them as its own places. */
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** An empty or relative XDG_STATE_HOME counts as none, as its specification says. */
export function stateFolder(): string {
  const state = process.env["XDG_STATE_HOME"] ?? "";
  return join(isAbsolute(state) ? state : join(homedir(), ".local", "state"), "toolgate");
}

/** Compiled code that later starts run: a file in it is as powerful as the program itself. */
export function codeCacheFolder(): string {
  return process.env["TOOLGATE_CODE_CACHE"] ?? join(stateFolder(), "code-cache");
}
