import { expect, test } from "vitest";
import { commandEnvironment } from "./command-environment.js";

const passes = (name: string) => name in commandEnvironment({ [name]: "value" });

test.each([
  ..."GITHUB_TOKEN GH_TOKEN AWS_SESSION_TOKEN AWS_SECRET_ACCESS_KEY AWS_ACCESS_KEY_ID OPENAI_API_KEY OPENAI_KEY".split(
    " ",
  ),
  ..."ANTHROPIC_APIKEY PGPASSWORD MYSQL_PWD DB_PASS SSH_PASSPHRASE GOOGLE_APPLICATION_CREDENTIALS GITHUB_PAT".split(
    " ",
  ),
  ..."npm_config__authToken NPM_AUTH DOCKER_AUTH_CONFIG SESSION_COOKIE CI_JOB_JWT client_secret".split(" "),
])("%s is kept from commands", (name) => {
  expect(passes(name)).toBe(false);
});

test.each([
  ..."PATH HOME PWD OLDPWD LANG SHELL TERM USER NODE_OPTIONS SSH_AUTH_SOCK XAUTHORITY".split(" "),
  ..."KEYBOARD_LAYOUT TOKENIZERS_PARALLELISM COMPASS_HOME AUTHOR GIT_AUTHOR_NAME MONKEY".split(" "),
])("%s is passed on", (name) => {
  expect(passes(name)).toBe(true);
});

test.each([
  ..."BASH_ENV ENV SHELLOPTS BASHOPTS CDPATH GLOBIGNORE POSIXLY_CORRECT PS4 BASH_COMPAT PROMPT_COMMAND EXECIGNORE".split(
    " ",
  ),
  "BASH_FUNC_ls%%",
  "BASH_FUNC_ls()",
])("%s is kept from commands: it changes what their shell reads", (name) => {
  expect(passes(name)).toBe(false);
});

test("no variable of git is passed on when its settings are forced", () => {
  const environment = { GIT_DIR: "a", GIT_EXTERNAL_DIFF: "b", PATH: "c" };
  expect(commandEnvironment(environment, { isGitForced: true })).toEqual({ PATH: "c" });
  expect(commandEnvironment(environment)).toEqual(environment);
});
