/** `toolgate undo` of a call, of hunks and of turns, over the record of `toolgate run`. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atHome, command } from "./cli-kit.js";
import { until } from "./until.js";

const edit = (path: string, oldText: string, newText: string) => ({
  tool: "edit_file",
  input: { path, oldText, newText },
});

/** Two turns: the first changes a.txt at two places, the second a.txt again and b.txt. */
async function twoTurns() {
  const at = await atHome({ "rules.json": { rules: [{ allow: "edit" }] } });
  const read = (name: string) => readFileSync(join(at.project, name), "utf8");
  const middle = Array.from({ length: 20 }, (_, line) => `line ${line}\n`).join("");
  const before = `one\n${middle}two\n`;
  writeFileSync(join(at.project, "a.txt"), before);
  writeFileSync(join(at.project, "b.txt"), "b\n");
  const script = at.script([
    {
      calls: [
        { tool: "write_file", input: { path: "a.txt", content: `ONE\n${middle}TWO\n` } },
        edit("b.txt", "b", "B"),
      ],
    },
    { say: "Done." },
    { calls: [{ tool: "read_file", input: { path: "a.txt" } }] },
    { calls: [edit("a.txt", "TWO", "two again")] },
    { say: "Done." },
  ]);
  await at.runHere(["run", "go", "--script", script]);
  await at.runHere(["run", "go", "--resume", "--script", script]);
  return { ...at, read, before, middle };
}

test("undo without a call restores the last turn, and with --turns the turns before it too", async () => {
  const { runHere, read, before, middle } = await twoTurns();
  expect(read("a.txt")).toBe(`ONE\n${middle}two again\n`);
  expect(await runHere(["undo"])).toMatchObject({ status: 0, stdout: expect.stringContaining("a.txt") });
  expect(read("a.txt")).toBe(`ONE\n${middle}TWO\n`);
  const all = await runHere(["undo", "--turns", "2", "--json"]);
  expect(JSON.parse(all.stdout)).toMatchObject({ undone: [{}, {}] });
  expect([read("a.txt"), read("b.txt")]).toEqual([before, "b\n"]);
  expect((await runHere(["undo", "--turns", "2"])).stdout).toContain("changed no file that can be restored");
});

test("undo of turns stops at a file that somebody has changed since, and says so", async () => {
  const { runHere, read, project } = await twoTurns();
  writeFileSync(join(project, "a.txt"), "mine\n");
  const refused = await runHere(["undo", "--turns", "2"]);
  expect(refused).toMatchObject({ status: 1, stdout: expect.stringContaining("changed since") });
  expect([read("a.txt"), read("b.txt")]).toEqual(["mine\n", "B\n"]);
});

test("undo lists the hunks of an edit and restores the ones that are named", async () => {
  const { runHere, read, middle } = await twoTurns();
  await runHere(["undo"]);
  const listed = await runHere(["undo", "call_1", "--hunks"]);
  expect(listed.stdout).toMatch(/hunk 1, line 1\n[^]*hunk 2, line 19\n/);
  expect(await runHere(["undo", "call_1", "--hunk", "2"])).toMatchObject({ status: 0 });
  expect(read("a.txt")).toBe(`ONE\n${middle}two\n`);
  expect((await runHere(["undo", "--hunk", "2"])).stderr).toContain("name the call");
  expect((await runHere(["undo", "call_1", "--turns", "1"])).stderr).toContain("not both");
});

test("undo says that nobody knows what a command changed when Toolgate was killed meanwhile", async () => {
  const at = await atHome({ "rules.json": { rules: [{ allow: "execute" }, { allow: "edit" }] } });
  const script = at.script([{ calls: [command("touch up; sleep 60")] }, { say: "Done." }]);
  const pid = join(at.home, "pid");
  const run = at.run(["run", "go", "--no-contain", "--script", script], { limits: `echo $$ >${pid}` });
  await until(() => existsSync(join(at.project, "up")));
  process.kill(Number(readFileSync(pid, "utf8")), "SIGKILL");
  await run;
  const why = "Toolgate was ended while the command ran, so what it changed is not known";
  expect(await at.runHere(["undo"])).toMatchObject({ status: 1, stdout: expect.stringContaining(why) });
  expect((await at.runHere(["history", "show"])).stdout).toContain("cannot be undone");
});
