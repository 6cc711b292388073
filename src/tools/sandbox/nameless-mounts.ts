/**
 * Hides folders whose names are no text, so that no word for bubblewrap leads to them. A link of ours does, which has a
 * name: bubblewrap follows it when it mounts an empty folder there.
 */
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { isWithin } from "../../call/absolute-path.js";
import { errorCode } from "../../call/error-code.js";
import type { Guarded } from "./find-guarded.js";
import type { Mount } from "./mount.js";

/** In the sandbox; two folders below its root, as the links go up. */
const LINKS = "/run/toolgate-names";

/** To be mounted after those of the workspace, `guarding`. `run`: the folder for our links. */
export function namelessMounts(
  guarded: ReadonlyMap<string, Guarded>,
  guarding: readonly Mount[],
  run: string,
): readonly Mount[] {
  const found = [...guarded.values()].filter((one) => one.type === "nameless");
  const shown = found.filter(
    ({ path }) => !guarding.some((mount) => mount.type === "hidden" && isWithin(path, mount.path)),
  );
  if (shown.length === 0) return [];
  const [links, empty] = [join(run, "names"), join(run, "nothing")];
  for (const folder of [links, empty]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const mounts = shown.flatMap(({ path, bytes }): readonly Mount[] => {
    const real = Buffer.concat([Buffer.from(`${dirname(path)}/`), Buffer.from(bytes, "hex")]);
    const info = lstatSync(real, { bigint: true, throwIfNoEntry: false });
    if (info?.isDirectory() !== true) return [];
    // A sandbox that waits has its mount on this folder, and on no other that gets the name.
    const key = JSON.stringify([path, String(info.dev), String(info.ino), String(info.birthtimeNs)]);
    const name = createHash("sha256").update(key).digest("hex").slice(0, 16);
    makeLink(Buffer.concat([Buffer.from("../.."), real]), join(links, name));
    return [{ type: "read", from: empty, path: join(LINKS, name) }];
  });
  return [{ type: "read", from: links, path: LINKS }, ...mounts];
}

function makeLink(target: Buffer, link: string): void {
  try {
    symlinkSync(target, link);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}
