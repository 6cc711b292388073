/**
 * How the mounts of the workspace must look in the kernel's own list, inside a sandbox, before its command may start.
 *
 * A command that runs beside, or a server that stays, may put a link in the place of a folder between our look at the
 * workspace and the mount. Then the mount would show another folder, or lie somewhere else.
 */
import { readFileSync } from "node:fs";
import { isWithin } from "../../call/absolute-path.js";
import type { Mount } from "./mount.js";

type Line = { readonly device: string; readonly root: string; readonly point: string };

/** Each as "device, place on it, path and mode"; for one that hides something, as "path and mode". */
export function expectedMounts(guarding: readonly Mount[]): readonly string[] {
  // The last mount at a path covers the others, so it comes first here.
  const lines = readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .filter(Boolean)
    .map(lineOf)
    .toReversed();
  const around = (path: string): Line | undefined =>
    lines
      .filter(({ point }) => isWithin(path, point))
      .reduce<Line | undefined>(
        (best, line) => (best && best.point.length >= line.point.length ? best : line),
        undefined,
      );
  return guarding.map((mount) => {
    const { type, path } = mount;
    const mode = type === "write" || type === "memory" ? "rw" : "ro";
    const outer =
      type === "write" || (type === "read" && mount.from === undefined) ? around(path) : undefined;
    if (!outer) return `${escaped(path)} ${mode}`;
    const below = outer.point === "/" ? path : path.slice(outer.point.length);
    const root = outer.root === "/" ? below || "/" : `${outer.root}${below === "/" ? "" : below}`;
    return `${outer.device} ${escaped(root)} ${escaped(path)} ${mode}`;
  });
}

function lineOf(line: string): Line {
  const [, , device = "", root = "", point = ""] = line.split(" ");
  return { device, root: unescaped(root), point: unescaped(point) };
}

/** The kernel writes spaces, tabs, line ends and backslashes as octal numbers. */
export const unescaped = (path: string): string =>
  path.replaceAll(/\\(\d{3})/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 8)));

const escaped = (path: string): string =>
  path.replaceAll(/[ \t\n\\]/g, (sign) => `\\${(sign.codePointAt(0) ?? 0).toString(8).padStart(3, "0")}`);
