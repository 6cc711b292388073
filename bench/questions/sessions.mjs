// Reads the written sessions and makes a folder on the disk in which their paths resolve.
//
// A project file names the files of the workspace and of the home beside it, and the sessions of one day. Paths are
// written below /home/dev; the made home takes its place. Calls that only look at or edit files of the project are
// given as a number ("plain") and spread between the written steps.
import { execFileSync } from "node:child_process";
import {
  accessSync,
  appendFileSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
} from "node:fs";
import { realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const HOME = "/home/dev";

export const FIXTURES = fileURLToPath(new URL("../../test/fixtures/", import.meta.url));

export const readFixture = (path) => JSON.parse(readFileSync(join(FIXTURES, path), "utf8"));

/** The projects of one half, each with its sessions. */
export function readProjects(half) {
  return readdirSync(join(FIXTURES, "questions", half))
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .map((name) => readFixture(`questions/${half}/${name}`));
}

/** The home that stands for /home/dev. Not below /tmp where that can be helped: commands name /tmp themselves. */
export function makeHome() {
  const home = realpathSync(mkdtempSync(join(writableFolder(), "toolgate-questions-")));
  for (const name of [".ssh/id_ed25519", ".aws/credentials", ".bashrc", ".gitconfig", ".netrc", ".npmrc"])
    putFile(join(home, name), "");
  return home;
}

export const removeHome = (home) => rmSync(home, { recursive: true, force: true });

function writableFolder() {
  try {
    accessSync("/var/tmp", constants.W_OK);
    return "/var/tmp";
  } catch {
    return tmpdir();
  }
}

/** A text of a session with its paths below the made home. */
export const placed = (text, home) => text.replaceAll(/(?<![\w.-])\/home\/dev(?![\w-])/g, home);

/** Makes the project's files and returns the workspace's folder. */
export function makeWorkspace({ root, files, outside = [] }, home) {
  const folder = placed(root, home);
  for (const [path, text] of contentsOf(files)) putFile(join(folder, path), text);
  for (const [path, text] of contentsOf(outside)) putFile(placed(path, home), text);
  const git = (...words) =>
    execFileSync("git", ["-C", folder, ...words], {
      stdio: "ignore",
      env: { PATH: process.env.PATH, HOME: home },
    });
  git("init", "-q", "-b", "main");
  git("add", "-f", "--", ...contentsOf(files).flatMap(([path]) => (path === ".env" ? [] : [path])));
  return folder;
}

/** A list of names, or of [name, content]. */
const contentsOf = (files) => files.map((file) => (typeof file === "string" ? [file, ""] : file));

function putFile(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  if (!path.endsWith("/")) writeFileSync(path, text);
}

/** An edit changes the file on the disk, so that a yes to its content ends. */
export function touchFile(path, home) {
  if (!path.startsWith(`${home}/`) || path.endsWith("/")) return;
  mkdirSync(dirname(path), { recursive: true });
  try {
    appendFileSync(path, "\n");
  } catch {
    // A folder of that name is there.
  }
}

/** The steps of a session with its plain calls between them, always in the same order. */
export function stepsOf({ steps, plain = 0 }, { root, files }) {
  const names = contentsOf(files).map(([name]) => name);
  const sources = names.filter((name) =>
    /\.(?:ts|tsx|js|go|py|rs|java|cs|c|h|cc|rb|sh|vue|kt|md|css)$/.test(name),
  );
  const every = plain / Math.max(1, steps.length);
  const spread = [];
  let due = 0;
  let made = 0;
  for (const step of steps) {
    for (due += every; due >= 1; due -= 1)
      spread.push(plainCall(made++, root, sources.length > 0 ? sources : names));
    spread.push(step);
  }
  return spread;
}

/** Five of ten calls read, three edit, two search. */
function plainCall(index, root, names) {
  const path = `${root}/${names[(index * 7) % names.length]}`;
  const turn = index % 10;
  if (turn === 3) return { grep: "TODO|handle[A-Z]", path: root };
  if (turn === 7) return { find: "**/*", path: dirname(path) };
  return turn % 3 === 1 ? { edit: path } : { read: path };
}
