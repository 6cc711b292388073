/** A path as the system will read it, without `.`, `..` and `//`. The disk is not read: the caller follows links. */
import { absolutePath, isAbsolutePath } from "../../call/index.js";
import { UNUSABLE, windowsRoot } from "./path-segments.js";

/**
 * `path` as seen from `cwd`, or none when it is no path that a tool may use: empty, an address, a path of
 * the other system, a Windows device, stream or drive-relative path, longer than a disk takes, or with a
 * NUL, a line end or half a character in it. Nothing is decoded: "%2e" is three characters of a name.
 */
export function normalisePath(cwd: string, path: string): string | undefined {
  if (path === "" || UNUSABLE.test(path) || UNUSABLE.test(cwd) || ADDRESS.test(path)) return undefined;
  if (path.length > MAX_PATH || path.split(/[\\/]/).some((name) => name.length > MAX_NAME)) return undefined;
  return cwd.startsWith("/") ? posixPath(cwd, path) : windowsPath(cwd, path);
}

/** More than any usual file system takes, and it bounds the work of all that compares paths. */
const MAX_PATH = 32_767;
const MAX_NAME = 255;

const ADDRESS = /^[a-z][a-z0-9+.-]+:\/\//i;

function posixPath(cwd: string, path: string): string | undefined {
  if (path.startsWith("/")) return below("/", path);
  // To POSIX this is the name of a file here; its author meant a place elsewhere.
  if (isAbsolutePath(path)) return undefined;
  return below(cwd, path);
}

function windowsPath(cwd: string, path: string): string | undefined {
  const text = path.replaceAll("/", "\\");
  const own = windowsRoot(text);
  const start = own ?? windowsRoot(cwd);
  if (!start || /^\/\\\\[?.]\\/.test(start.root)) return undefined;
  if (!own && text.startsWith("\\\\")) return undefined;
  const rest = own ? own.rest : text;
  // "C:x" is relative to another drive's folder, "x:y" is a stream of x.
  if (rest.includes(":")) return undefined;
  // Windows drops spaces and dots at an end, so ".. " may be "..".
  if (rest.split("\\").some((name) => /^[. ]+$/.test(name) && name !== "." && name !== ".."))
    return undefined;
  const from = own ? text : cwd;
  const root = `${from.slice(0, from.length - start.rest.length)}\\`;
  return own || text.startsWith("\\") ? below(root, rest) : below(cwd, rest);
}

/** With "./" before it no path counts as absolute, and so none is handed back unresolved. */
function below(root: string, path: string): string {
  return absolutePath(root, `./${path}`);
}
