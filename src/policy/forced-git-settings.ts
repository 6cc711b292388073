/**
 * The variables with which git only reads: it takes no setting from anywhere but the repository, whose own
 * were looked at before (tools/git), runs none of its hooks, monitors, pagers, converters and signature
 * checkers, asks nobody and reaches no network.
 */
import type { Executor } from "./intent.js";

/** Settings that stand above the repository's. No program is at the path of a checker: nothing is run. */
const SETTINGS: readonly (readonly [string, string])[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.pager", "cat"],
  ["core.alternateRefsCommand", "false"],
  ["core.sshCommand", "false"],
  ["core.askPass", "false"],
  ["diff.autoRefreshIndex", "false"],
  ["diff.submodule", "short"],
  ["submodule.recurse", "false"],
  ["status.submoduleSummary", "false"],
  ["log.showSignature", "false"],
  ["gpg.program", "/dev/null/none"],
  ["gpg.openpgp.program", "/dev/null/none"],
  ["gpg.x509.program", "/dev/null/none"],
  ["gpg.ssh.program", "/dev/null/none"],
  ["gpg.ssh.defaultKeyCommand", ""],
  // With more, git takes the entries of its index from where a table in it says, and not one after the other.
  ["index.threads", "1"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["protocol.allow", "never"],
  ["safe.bareRepository", "explicit"],
  // The repository may belong to another user: its settings were checked.
  ["safe.directory", "*"],
];

export const FORCED_GIT_SETTINGS: { readonly [name: string]: string } = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_COUNT: String(SETTINGS.length),
  ...Object.fromEntries(
    SETTINGS.flatMap(([name, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, name],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
  GIT_ALLOW_PROTOCOL: "none",
  GIT_ASKPASS: "false",
  GIT_EDITOR: "false",
  GIT_NO_LAZY_FETCH: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_PAGER: "cat",
  GIT_SSH_COMMAND: "false",
  GIT_TERMINAL_PROMPT: "0",
  PAGER: "cat",
};

export function forcesGitSettings(executor: Executor | undefined): boolean {
  const forced = executor?.forced;
  if (forced === FORCED_GIT_SETTINGS) return true;
  return forced !== undefined && FORCED.every(([name, value]) => forced[name] === value);
}

const FORCED = Object.entries(FORCED_GIT_SETTINGS);
