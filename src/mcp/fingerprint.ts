/**
 * The fingerprint that an approval of a server, and a grant for one of its tools, is bound to. Any change to the
 * program or its folder changes the fingerprint; the value of a header does not, since tokens change with each
 * session. A fingerprint discloses no value.
 *
 * A file in the agent's workspace counts with its content: the agent can write there, and could otherwise change the
 * program after its approval. Programs elsewhere count by name, so that an update does not ask again.
 */
import { createHash, randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { visibleText } from "../call/index.js";
import type { McpServerConfig } from "./config.js";
import { variablesIn } from "./expand-variables.js";
import { serverCode } from "./server-code.js";

/** `start` makes another server of each start of one that runs more of the workspace than can be known. */
export function fingerprint(config: McpServerConfig, cwd: string, start: string = randomUUID()): string {
  return createHash("sha256")
    .update(JSON.stringify(canonical(config, cwd, start)))
    .digest("hex");
}

/**
 * Whether an approval applies to later starts. A server that runs scripts of the project needs a new approval each
 * time.
 */
export function isApprovalLasting(config: McpServerConfig, cwd: string): boolean {
  if ("url" in config) return true;
  return serverCode(config, { folder: resolve(cwd, config.cwd ?? "."), workspace: cwd }).isWhole;
}

function canonical(config: McpServerConfig, cwd: string, start: string): readonly unknown[] {
  if ("url" in config) {
    const headers = Object.keys(config.headers ?? {}).map((name) => name.toLowerCase());
    const variables = headersWithVariables(config);
    const address = new URL(config.url).href;
    return [
      "http",
      config.type ?? "",
      address,
      headers.toSorted(),
      ...(variables.length > 0 ? [variables] : []),
    ];
  }
  const { command, args = [], env = {} } = config;
  const variables = Object.entries(env).toSorted(([one], [other]) => (one < other ? -1 : 1));
  // The folder as it will be: a relative program is another one elsewhere.
  const folder = resolve(cwd, config.cwd ?? ".");
  const { files, isWhole } = serverCode(config, { folder, workspace: cwd });
  const code = [...(files.length > 0 ? [files] : []), ...(isWhole ? [] : [{ start }])];
  return ["stdio", command, args, variables, folder, ...code];
}

/** Headers that send variables of the environment, as they are written: another variable needs another approval. */
function headersWithVariables({ written }: McpServerConfig): readonly (readonly [string, string])[] {
  const headers = written && "url" in written ? (written.headers ?? {}) : {};
  return Object.entries(headers)
    .filter(([, text]) => variablesIn(text).length > 0)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** Describes what starting the server runs, for the person who approves it: all words, no values that may be secret. */
export function describeServer(server: McpServerConfig, cwd: string): string {
  const isWritten = server.written !== undefined;
  const config = server.written ?? server;
  if ("url" in config) {
    const headers = names("with the headers", config.headers, isWritten);
    return visibleText(`connects to ${config.url} (${config.type ?? "http"})${headers}`);
  }
  const words = [config.command, ...(config.args ?? [])].map(quoted).join(" ");
  const folder = resolve(cwd, config.cwd ?? ".");
  return visibleText(`runs ${words} in ${folder}${names("with the variables", config.env, isWritten)}`);
}

/** `isWritten`: variables of the environment stand in the texts, and are named. */
function names(words: string, values: { readonly [name: string]: string } = {}, isWritten: boolean): string {
  const all = Object.entries(values).map(([name, text]) => {
    const variables = isWritten ? variablesIn(text).map((variable) => `$${variable}`) : [];
    return variables.length === 0 ? name : `${name} (from ${variables.join(", ")})`;
  });
  return all.length === 0 ? "" : ` ${words} ${all.join(", ")}`;
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word));
