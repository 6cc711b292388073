import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { plannedCommand } from "../../policy/intent.js";
import { aWorkspace } from "../tools.samples.js";
import { OwnTemporary, SHARED_FOLDER } from "./own-temporary.js";
import { sessionWorkspace } from "./session-workspace.js";
import { temporaryPaths } from "./temporary-paths.js";

/** A name directly in the shared folder that nothing has. */
function newName(): string {
  const path = `${SHARED_FOLDER}/toolgate-test-${randomUUID()}`;
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test("counts what a command of the session made, while it is a plain file or folder", async () => {
  const own = new OwnTemporary();
  const [file, folder, link, twice] = [newName(), newName(), newName(), newName()];
  own.add([file, folder, link, twice]);
  writeFileSync(file, "");
  mkdirSync(folder);
  symlinkSync("/etc/hostname", link);
  writeFileSync(twice, "");
  linkSync(twice, `${folder}/again`);
  const found = await Promise.all([file, folder, link, twice].map((path) => own.find(path, true)));
  expect(found).toEqual([[file], [folder], [], []]);
});

test("counts no file that was there before, and none that the command did not make", async () => {
  const own = new OwnTemporary();
  const [there, missing] = [newName(), newName()];
  writeFileSync(there, "secret");
  expect(await own.find(there, true)).toEqual([]);
  expect(await own.find(missing, false)).toEqual([]);
  own.add([missing]);
  await own.forgetMissing([missing]);
  writeFileSync(missing, "somebody else's");
  expect(await own.find(missing, true)).toEqual([]);
});

test("finds the names that a command writes or has written, and no others", async () => {
  const { workspace: local, root } = await aWorkspace({ "a.ts": "" });
  const workspace = await sessionWorkspace(local, `session_${randomUUID()}`);
  const found = (command: string) =>
    temporaryPaths(plannedCommand({ command, cwd: root, executor: { language: "bash" } }), workspace);
  const made = newName();
  const run = (command: string, temporary: readonly string[]) =>
    workspace.runCommand(command, { temporary, signal: new AbortController().signal, onOutput: () => {} });
  // A folder that others use, on a system that does not guard links there, is never safe for a new name.
  const fresh = await found(`echo x > ${made}`);
  expect([[], [made]]).toContainEqual(fresh);
  expect(await found(`cat ${made}`)).toEqual([]);
  await run(`echo x > ${made}`, [made]);
  expect(await found(`cat ${made}`)).toEqual([made]);
  expect(await found(`cd ${SHARED_FOLDER} && rm ${made.slice(SHARED_FOLDER.length + 1)}`)).toEqual([made]);
  expect(await found(`cat ${SHARED_FOLDER}/*`)).toEqual([]);
  expect(await found("cat a.ts")).toEqual([]);
  await run(`rm ${made}; ln -s /etc/hostname ${made}`, [made]);
  expect(await found(`cat ${made}`)).toEqual([]);
});

test("finds names that code is given when nothing is there, and files that land in the folder", async () => {
  const { workspace: local, root } = await aWorkspace({ "a.ts": "" });
  const workspace = await sessionWorkspace(local, `session_${randomUUID()}`);
  const found = (command: string) =>
    temporaryPaths(plannedCommand({ command, cwd: root, executor: { language: "bash" } }), workspace);
  const [made, taken] = [newName(), newName()];
  writeFileSync(taken, "somebody else's");
  const isSafe = (await found(`echo x > ${made}`)).length > 0;
  expect(await found(`python3 a.py --out=${made}`)).toEqual(isSafe ? [made] : []);
  expect(await found(`python3 a.py --out=${taken}`)).toEqual([]);
  const landed = newName();
  const name = landed.slice(SHARED_FOLDER.length + 1);
  expect(await found(`mv ${name} ${SHARED_FOLDER}/`)).toEqual(isSafe ? [landed] : []);
});

test("takes a pattern when everything that it matches is the session's own", async () => {
  const own = new OwnTemporary();
  const base = newName();
  const [one, two] = [`${base}-1.txt`, `${base}-2.txt`];
  onTestFinished(() => [one, two].forEach((path) => rmSync(path, { force: true })));
  own.add([one]);
  expect(await own.find(`${base}-*.txt`, false)).toEqual([]);
  writeFileSync(one, "");
  expect(await own.find(`${base}-*.txt`, false)).toEqual([`${base}-*.txt`, one]);
  writeFileSync(two, "somebody else's");
  expect(await own.find(`${base}-*.txt`, false)).toEqual([]);
});
