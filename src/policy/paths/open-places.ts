/**
 * Places outside of the workspace in which every project's code is: the system's headers, libraries and manuals,
 * toolchains and package caches. Anybody can download what is there, and credentials are kept elsewhere; protected
 * names in them stay protected. A rule on reading without a path covers them like the workspace. Only to look at:
 * nothing here opens code in them to be run.
 */
import { isWithin } from "../../call/absolute-path.js";

const SYSTEM_FOLDERS = [
  "/usr/include",
  "/usr/lib",
  "/usr/lib64",
  "/usr/share",
  "/usr/src",
  "/usr/local/include",
  "/usr/local/lib",
  "/usr/local/share",
  "/usr/local/go",
  "/lib",
  "/lib64",
  "/opt/homebrew/include",
  "/opt/homebrew/lib",
  "/opt/homebrew/Cellar",
];

/** Facts about the machine that no person keeps from an agent. */
const SYSTEM_FACTS: ReadonlySet<string> = new Set([
  "/etc/os-release",
  "/etc/lsb-release",
  "/etc/debian_version",
  "/etc/alpine-release",
  "/etc/redhat-release",
  "/etc/timezone",
  "/etc/shells",
  "/proc/cpuinfo",
  "/proc/meminfo",
  "/proc/version",
  "/proc/loadavg",
  "/proc/uptime",
]);

/** Below the home folder: sources and binaries that package managers put there, without their settings. */
const HOME_FOLDERS = [
  "go/pkg/mod",
  ".cargo/registry",
  ".cargo/git/checkouts",
  ".rustup/toolchains",
  ".m2/repository",
  ".gradle/caches",
  ".nuget/packages",
  ".nvm/versions",
  ".pyenv/versions",
  ".rbenv/versions",
  ".asdf/installs",
  ".sdkman/candidates",
  ".local/share/mise/installs",
  ".local/share/uv/python",
  ".pub-cache/hosted",
  ".stack/programs",
  ".ghcup/ghc",
  ".bun/install/cache",
  ".yarn/berry/cache",
  ".local/share/pnpm/store",
  ".hex/packages",
  ".julia/packages",
  ".cabal/packages",
  ".cache/Cypress",
  ".cache/composer",
  ".cache/coursier",
  ".cache/ms-playwright",
  ".cache/node-gyp",
  ".cache/pip",
  ".cache/puppeteer",
  ".cache/uv",
  ".cache/yarn",
];

/** Packages of Python, wherever an environment or an installation keeps them. */
const PYTHON_PACKAGES = /^\/(?:[^/]+\/)*lib\/python\d[\d.]*\/(?:site|dist)-packages(?:\/|$)/;

export const isSystemFact = (path: string): boolean => SYSTEM_FACTS.has(path);

export function isOpenToRead(path: string, home: string): boolean {
  if (isSystemFact(path) || PYTHON_PACKAGES.test(path)) return true;
  return (
    SYSTEM_FOLDERS.some((folder) => isWithin(path, folder)) ||
    HOME_FOLDERS.some((folder) => isWithin(path, `${home}/${folder}`))
  );
}
