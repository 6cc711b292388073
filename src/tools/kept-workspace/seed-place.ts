/**
 * Gives a new place an index made from the user's, and the user's objects to look in. The user's repository is only
 * read. An entry whose object is not the file byte for byte (a filter or an end-of-line setting changed it) is read
 * again from the disk.
 */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { pathInfo } from "../path-info.js";
import { fileText } from "../file-text.js";
import { readConfig } from "../git/read-config.js";
import type { ObjectFormat } from "../git/read-index.js";
import { onDisk } from "./place-snapshot.js";
import type { KeptPlace } from "./place-snapshot.js";
import { readState, writeState } from "./scan-place.js";
import { seedIndex } from "./seed-index.js";
import type { SeededIndex } from "./seed-index.js";
import type { ShadowGit } from "./shadow-git.js";
import type { UserRepository } from "./user-repository.js";

const MAX_INDEX_BYTES = 256 * 1024 * 1024;
const MAX_RECENT_MS = 2_000;

type Seed = { readonly repository: UserRepository; readonly prefix: string };

export async function seedPlace(
  git: ShadowGit,
  place: KeptPlace,
  { repository, prefix }: Seed,
  { format, deadline }: { readonly format: ObjectFormat; readonly deadline: number },
): Promise<void> {
  if (repository.format !== format) return;
  const file = join(repository.gitFolder, "index");
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0 || size > MAX_INDEX_BYTES) return;
  const seeded = seedIndex(readFileSync(file), format, prefix);
  if (!seeded) return;
  await distrustConverted(git, seeded, repository, deadline);
  const recent: Record<string, number> = {};
  // Git compares times in whole seconds: such a file may have changed again since.
  for (const { entry, path, changedMs } of seeded.changedSince(
    Math.floor((Date.now() - MAX_RECENT_MS) / 1000),
  )) {
    const info = pathInfo(onDisk(place, path));
    if (info?.ctimeMs === changedMs) recent[path] = changedMs;
    else seeded.distrust(entry);
  }
  await writeState(place, { ...(await readState(place)), recent });
  writeFileSync(place.index, seeded.finish(), { mode: 0o600 });
}

async function distrustConverted(
  git: ShadowGit,
  seeded: SeededIndex,
  repository: UserRepository,
  deadline: number,
): Promise<void> {
  const attributes = attributeTexts(seeded, repository);
  if (attributes.length === 0 && !settingsConvert(repository)) return;
  if (attributes.some((text) => HAS_OTHER_FILTER.test(text))) {
    for (let entry = 0; entry < seeded.count; entry += 1) seeded.distrust(entry);
    return;
  }
  const stdin = seeded.objectNames();
  const args = ["cat-file", "--buffer", "--batch-check=%(objectsize)"];
  const sizes = (await git.run(args, { deadline, stdin })).toString("latin1").split("\n");
  for (let entry = 0; entry < seeded.count; entry += 1) {
    const size = seeded.fileSize(entry);
    // A pointer of git-lfs may be as long as a short file.
    if (sizes[entry] !== String(size) || size < MAX_POINTER_BYTES) seeded.distrust(entry);
  }
}

const MAX_POINTER_BYTES = 200;
/** Filters may keep the length; git-lfs does not. */
const HAS_OTHER_FILTER = /filter(?!=lfs\b)|working-tree-encoding/;

function attributeTexts(seeded: SeededIndex, { top, shared }: UserRepository): readonly string[] {
  const tracked = seeded.paths.filter((path) => /(?:^|\/)\.gitattributes$/.test(path));
  const files = [
    ...tracked.map((path) => join(top, Buffer.from(path, "latin1").toString())),
    join(shared, "info/attributes"),
    join(homedir(), ".config/git/attributes"),
    "/etc/gitattributes",
  ];
  return files.map(textOf).filter((text) => text !== "");
}

/** Also a mention in a file that is included counts: an include of any kind does. */
function settingsConvert({ shared }: UserRepository): boolean {
  const files = [
    join(shared, "config"),
    join(homedir(), ".gitconfig"),
    join(homedir(), ".config/git/config"),
    "/etc/gitconfig",
  ];
  return files.some((file) => /autocrlf|\beol\b|attributesfile|\[include/i.test(textOf(file)));
}

/** Patterns of ignored files that lie outside of the workspace: the user's own, and those of the repository. */
export function excludesOf(seed: Seed | undefined): string {
  const home = homedir();
  const settings = readConfig(textOf(join(home, ".gitconfig"))) ?? [];
  const named = settings.findLast(({ name }) => name === "core.excludesfile")?.value;
  const global =
    named === undefined ? join(home, ".config/git/ignore") : resolve(home, named.replace(/^~\//, ""));
  if (!seed) return textOf(global);
  const { repository, prefix } = seed;
  const above = prefix === "" ? "" : textOf(join(repository.top, ".gitignore"));
  return [textOf(global), above, textOf(join(repository.shared, "info/exclude"))].join("\n");
}

const textOf = (path: string): string => fileText(path) ?? "";
