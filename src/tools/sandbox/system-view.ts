/**
 * The part of the machine that a command sees: programs and settings of the system, read-only and without what is
 * secret in them; the toolchains in the home folder, likewise, and nothing else of it; a `/tmp` and a cache of its own.
 */
import { readdirSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathInfo } from "../path-info.js";
import { isWithin } from "../../call/absolute-path.js";
import { SHOWN_FOLDERS } from "../../policy/contained/shown-folders.js";
import { isProtected } from "../../policy/paths/protected-paths.js";
import { closedSettings } from "./closed-settings.js";
import type { Mount } from "./mount.js";

export type SystemViewOptions = {
  readonly home: string;
  /** The folder that a command sees as `~/.cache`: shared by contained commands of its workspace, and by no others. */
  readonly cache: string;
};

const SECRETS_OF_SYSTEM = [
  "/etc/shadow",
  "/etc/shadow-",
  "/etc/gshadow",
  "/etc/gshadow-",
  "/etc/sudoers",
  "/etc/sudoers.d",
  "/etc/ssh",
  "/etc/ssl/private",
  "/etc/krb5.keytab",
  "/etc/letsencrypt",
  "/etc/kubernetes",
  "/etc/rancher",
  "/etc/wireguard",
  "/etc/openvpn",
  "/etc/ppp",
  "/etc/docker",
  "/etc/NetworkManager/system-connections",
  "/etc/pki/tls/private",
  "/etc/security/opasswd",
  "/etc/npmrc",
  "/etc/pip.conf",
  "/usr/etc/npmrc",
  "/usr/local/etc/npmrc",
];
/** Folders of toolchains in the home folder. Package caches are read too: without a network nothing else has them. */
const TOOLCHAINS = [
  ".asdf",
  ".bun",
  ".cargo",
  ".deno",
  ".dotnet",
  ".fnm",
  ".gem",
  ".gradle",
  ".local/bin",
  ".local/lib",
  ".local/pipx",
  ".local/share/fnm",
  ".local/share/mise",
  ".local/share/pnpm",
  ".local/share/uv/python",
  ".local/share/uv/tools",
  ".m2",
  ".n",
  ".npm-global",
  ".nuget",
  ".nvm",
  ".pyenv",
  ".rbenv",
  ".rustup",
  ".rvm",
  ".sdkman",
  ".volta",
  // Not the sources in it, which are somebody's projects.
  "go/bin",
  "go/pkg",
];
/** Settings of one installed version, deeper in a toolchain. A star is any name. */
const SECRETS_OF_TOOLCHAINS = [
  ...[
    ".nvm/versions/node/*",
    ".n",
    ".volta/tools/image/node/*",
    ".fnm/node-versions/*/installation",
    ".local/share/fnm/node-versions/*/installation",
    ".asdf/installs/nodejs/*",
    ".asdf/installs/nodejs/*/.npm",
    ".local/share/mise/installs/node/*",
  ].map((prefix) => `${prefix}/etc/npmrc`),
  ...[
    ".pyenv/versions/*",
    ".asdf/installs/python/*",
    ".local/share/mise/installs/python/*",
    ".local/share/uv/python/*",
    ".local/share/uv/tools/*",
    ".local/pipx/venvs/*",
  ].map((prefix) => `${prefix}/pip.conf`),
];
const MAX_TMP_BYTES = 1 << 30;
const MAX_SMALL_BYTES = 64 << 20;

/** Programs and libraries alone. */
export const programFolders = (): readonly Mount[] =>
  SHOWN_FOLDERS.filter((path) => path !== "/etc").flatMap(systemFolder);

/** Before the mounts of the workspace: that may lie below any of these. */
export function systemView({ home, cache }: SystemViewOptions): readonly Mount[] {
  return [
    ...SHOWN_FOLDERS.flatMap(systemFolder),
    ...secretsOfSystem(),
    { type: "memory", path: "/tmp", maxBytes: MAX_TMP_BYTES },
    { type: "memory", path: "/run", maxBytes: MAX_SMALL_BYTES },
    { type: "memory", path: "/var", maxBytes: MAX_SMALL_BYTES },
    { type: "folder", path: "/var/tmp" },
    ...systemFolder("/run/current-system"),
    { type: "memory", path: "/home", maxBytes: MAX_SMALL_BYTES },
    { type: "memory", path: "/root", maxBytes: MAX_SMALL_BYTES },
    ...(isWithin(home, "/home") || isWithin(home, "/root")
      ? []
      : [{ type: "memory" as const, path: home, maxBytes: MAX_SMALL_BYTES }]),
    { type: "folder", path: home },
    ...systemFolder("/home/linuxbrew/.linuxbrew"),
    ...TOOLCHAINS.flatMap((name) => toolchain(join(home, name), home)),
    ...SECRETS_OF_TOOLCHAINS.flatMap((pattern) => namedBy(pattern, home)).flatMap(hiddenIfThere),
    { type: "write", path: join(home, ".cache"), from: cache },
  ];
}

/** Once each, and none below another. */
function secretsOfSystem(): readonly Mount[] {
  const all = [...SECRETS_OF_SYSTEM.flatMap(hiddenIfThere), ...closedSettings()];
  const paths = new Set(all.map(({ path }) => path));
  const once = new Map(all.map((mount) => [mount.path, mount]));
  return [...once.values()].filter(({ path }) => !isBelowOne(path, paths));
}

function isBelowOne(path: string, paths: ReadonlySet<string>): boolean {
  for (let folder = dirname(path); folder !== "/"; folder = dirname(folder))
    if (paths.has(folder)) return true;
  return false;
}

function systemFolder(path: string): readonly Mount[] {
  const info = pathInfo(path);
  if (info?.isSymbolicLink()) return [{ type: "link", path, target: readlinkSync(path) }];
  return info?.isDirectory() ? [{ type: "read", path }] : [];
}

function namedBy(pattern: string, folder: string): readonly string[] {
  const [name = "", ...rest] = pattern.split("/");
  if (rest.length === 0) return [join(folder, name)];
  const inner = name === "*" ? foldersIn(folder) : [name];
  return inner.flatMap((one) => namedBy(rest.join("/"), join(folder, one)));
}

/** A link leads to a version that has a name of its own. */
function foldersIn(folder: string): readonly string[] {
  if (pathInfo(folder)?.isDirectory() !== true) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

function hiddenIfThere(path: string): readonly Mount[] {
  const info = pathInfo(path);
  // A link leads to a path that is hidden by its own name, or is not there.
  if (info === undefined || info.isSymbolicLink()) return [];
  return [{ type: "hidden", path, isFolder: info.isDirectory() }];
}

/** A toolchain's folder, without the files directly in it that hold credentials. */
function toolchain(path: string, home: string): readonly Mount[] {
  const info = pathInfo(path);
  if (!info?.isDirectory()) return [];
  const where = { home, roots: [], own: [], access: "read" } as const;
  const secrets = readdirSync(path)
    .map((name) => join(path, name))
    .filter((file) => isProtected(file, where) !== undefined || SECRET_FILES.test(file));
  return [
    // The folder's parents stay writable in memory: programs make folders beside it.
    ...(dirname(path) === home ? [] : [{ type: "folder" as const, path: dirname(path) }]),
    { type: "read", path },
    ...secrets.flatMap(hiddenIfThere),
  ];
}

/** Beside the protected names: files that some package managers keep passwords in. */
const SECRET_FILES =
  /\/(?:\.m2\/settings[^/]*|\.gradle\/(?:init\.(?:gradle|d).*|develocity|enterprise)|\.nuget\/NuGet|\.npm-global\/etc|\.dotnet\/corefx)$/;
