/** The variables that a contained command gets: those that name the person, the terminal and the toolchains, and no other. */
import { existsSync } from "node:fs";

const PASSED =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|CLICOLOR(?:_FORCE)?|COLUMNS|LINES|CI|NODE_ENV|EDITOR|GOPATH|GOROOT|GOTOOLCHAIN|CARGO_HOME|RUSTUP_HOME|RUSTUP_TOOLCHAIN|JAVA_HOME|M2_HOME|GRADLE_HOME|ANDROID_HOME|PYENV_ROOT|PYENV_VERSION|VIRTUAL_ENV|CONDA_PREFIX|NVM_DIR|NVM_BIN|FNM_DIR|VOLTA_HOME|ASDF_DIR|RBENV_ROOT|GEM_HOME|DOTNET_ROOT|SOURCE_DATE_EPOCH)$/;

/** There is no network: package managers that know it fail at once and say so. */
const OFFLINE = {
  npm_config_offline: "true",
  npm_config_audit: "false",
  npm_config_fund: "false",
  npm_config_update_notifier: "false",
  PIP_NO_INDEX: "1",
  CARGO_NET_OFFLINE: "true",
  GOPROXY: "off",
} as const;

export type SandboxEnvironment = {
  readonly home: string;
  readonly hasNetwork: boolean;
  /** Set for this command. */
  readonly env: { readonly [name: string]: string };
};

export function sandboxEnvironment(
  ours: NodeJS.ProcessEnv,
  { home, hasNetwork, env }: SandboxEnvironment,
): { readonly [name: string]: string } {
  const passed = Object.entries(ours).flatMap(([name, value]) =>
    PASSED.test(name) && value !== undefined ? [[name, value] as const] : [],
  );
  return {
    ...Object.fromEntries(passed),
    HOME: home,
    TMPDIR: "/tmp",
    npm_config_cache: `${home}/.cache/npm`,
    ...buildCaches(home),
    ...(hasNetwork ? {} : OFFLINE),
    ...env,
  };
}

/** Gradle and Maven write to folders in the home folder. They read the person's own as a second, read-only one. */
function buildCaches(home: string): { readonly [name: string]: string } {
  const [gradle, maven] = [`${home}/.gradle/caches`, `${home}/.m2/repository`];
  return {
    GRADLE_USER_HOME: `${home}/.cache/gradle`,
    ...(existsSync(gradle) && { GRADLE_RO_DEP_CACHE: gradle }),
    ...(existsSync(maven) && {
      MAVEN_ARGS: `-Dmaven.repo.local=${home}/.cache/m2 -Dmaven.repo.local.tail=${maven}`,
    }),
  };
}
