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
  const found = await Promise.all([file, folder, link, twice].map((path) => own.has(path, true)));
  expect(found).toEqual([true, true, false, false]);
});

test("counts no file that was there before, and none that the command did not make", async () => {
  const own = new OwnTemporary();
  const [there, missing] = [newName(), newName()];
  writeFileSync(there, "secret");
  expect(await own.has(there, true)).toBe(false);
  expect(await own.has(missing, false)).toBe(false);
  own.add([missing]);
  await own.forgetMissing([missing]);
  writeFileSync(missing, "somebody else's");
  expect(await own.has(missing, true)).toBe(false);
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
