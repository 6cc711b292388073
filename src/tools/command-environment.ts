/**
 * The environment that a command gets: ours, without what looks like a secret by its name and without what
 * changes how a shell reads its text.
 *
 * A command prints what it likes, and what it prints goes to the model, the history and every client.
 * Our own keys (the model provider's above all) must not get there by `env`. Values are not looked at:
 * a password inside a DATABASE_URL is passed on. SSH_AUTH_SOCK stays, since it holds no secret and git
 * needs it.
 */

// Words that give a secret away wherever they stand (PGPASSWORD, authToken), but not TOKENIZERS_PARALLELISM.
const ANYWHERE = /TOKEN(?!IZ)|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?KEY/i;
// Words that do so only as a whole one: KEY but not KEYBOARD, PAT but not PATH, MYSQL_PWD but not PWD.
const WHOLE_WORD = /(?:^|_)(?:KEYS?|PAT|PASS|AUTH|COOKIES?|BEARER|JWT)(?:_|$)|_PWD$/i;

/** Files that shells run first, options and functions that they take over, and settings that change what a word means. */
const STEERS_SHELL =
  /^(?:BASH_(?:ENV|COMPAT|XTRACEFD|LOADABLES_PATH|FUNC_.*)|BASHOPTS|CDPATH|ENV|EXECIGNORE|FIGNORE|FPATH|GLOBIGNORE|KSH_VERSION|POSIXLY_CORRECT|PROMPT_COMMAND|PS4|SHELLOPTS|ZDOTDIR)$/s;

/** `isGitForced`: git obeys the settings that we set, and no variable that may name others. */
export function commandEnvironment(
  environment: NodeJS.ProcessEnv,
  { isGitForced = false }: { readonly isGitForced?: boolean } = {},
): NodeJS.ProcessEnv {
  const isKept = (name: string): boolean =>
    !looksSecret(name) && !STEERS_SHELL.test(name) && !(isGitForced && name.startsWith("GIT_"));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isKept(name)));
}

function looksSecret(name: string): boolean {
  if (name === "SSH_AUTH_SOCK") return false;
  return ANYWHERE.test(name) || WHOLE_WORD.test(name);
}
