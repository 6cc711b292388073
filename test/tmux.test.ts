/** A person at a terminal, key by key: real tmux, the real program, real processes. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { isAlive } from "./is-alive.js";
import { KEY, startFake } from "./fakes/fake-provider.js";
import { openAiChat } from "./fakes/openai-chat.js";
import { atDesk, script } from "./tmux-kit.js";

const command = (text: string) => ({ tool: "terminal", input: { command: text } });
const root = fileURLToPath(new URL("..", import.meta.url));
/** Every question ends with this. */
const QUESTION = "or no with your reason:";

test("runs the demo: it asks before it edits, and the test passes after a yes", async () => {
  const desk = await atDesk();
  desk.starts("toolgate demo --pause 0");
  expect(await desk.sees(QUESTION)).toContain("sum += price * count;");
  desk.types("y");
  const shown = await desk.sees("needed approval");
  expect(await desk.ended()).toBe(0);
  expect(shown).toContain("passed: two at 250 and three at 100 cost 800");
  expect(shown).toContain("allowed by you");
  const [, sample = ""] = /a failing test in (\S+)/.exec(shown) ?? [];
  expect(sample).not.toBe("");
  expect(await desk.runs(`node ${sample}/cart.test.js`)).toMatchObject({ code: 0 });
});

test("runs nothing after a no, and passes the reason to the model", async () => {
  const fake = await startFake(openAiChat, [
    { say: "I will tidy up.", calls: [{ id: "1", ...command("touch made") }] },
    { say: "Then I leave it." },
  ]);
  const desk = await atDesk({ env: { TOOLGATE_MODEL_KEY: KEY } });
  // The prompt comes through a pipe, and the answer from the terminal.
  desk.starts(`echo 'tidy up' | toolgate run --model openai-compatible/fake --base-url ${fake.url}/v1`);
  expect(await desk.sees(QUESTION)).toContain("touch made");
  desk.types("the folder is shared, ask Ann first");
  await desk.sees("Then I leave it.");
  expect(await desk.ended()).toBe(0);
  expect(fake.requests.at(-1)?.seen.results).toMatchObject([
    { text: expect.stringContaining("the folder is shared, ask Ann first") },
  ]);
  expect(existsSync(join(desk.project, "made"))).toBe(false);
});

test("ends the turn and its running command on Ctrl-C", async () => {
  const desk = await atDesk({
    files: { "s.json": script([{ calls: [command("echo $$ > pid; exec sleep 1000")] }, { say: "Never." }]) },
  });
  desk.starts("toolgate run --script s.json go");
  await desk.sees(QUESTION);
  desk.types("y");
  const pid = await pidIn(join(desk.project, "pid"));
  desk.presses("C-c");
  expect(await desk.sees("Cancelled")).not.toContain("Never.");
  expect(await desk.ended()).toBe(130);
  expect(isAlive(pid)).toBe(false);
});

test("exits at once on a second Ctrl-C, also when the command ignores the first", async () => {
  const stubborn = "trap 'echo stop >> signalled' TERM INT HUP; echo $$ > pid; while :; do sleep 0.1; done";
  const desk = await atDesk({
    files: { "s.json": script([{ calls: [command(stubborn)] }, { say: "Never." }]) },
  });
  desk.starts("toolgate run --script s.json go");
  await desk.sees(QUESTION);
  desk.types("y");
  const pid = await pidIn(join(desk.project, "pid"));
  desk.presses("C-c");
  await vi.waitFor(() => expect(existsSync(join(desk.project, "signalled"))).toBe(true), 120_000);
  desk.presses("C-c");
  expect(await desk.ended()).toBe(130);
  expect(await desk.sees("[130 done]")).not.toContain("Never.");
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 120_000);
});

test("asks again with --resume after a kill at the question, and finishes", async () => {
  const desk = await atDesk({
    files: { "s.json": script([{ calls: [command("echo made >> log")] }, { say: "That was it." }]) },
  });
  desk.starts("toolgate run --script s.json go");
  await desk.sees(QUESTION);
  desk.kills();
  expect(await desk.ended()).toBe(137);
  expect(existsSync(join(desk.project, "log"))).toBe(false);
  desk.starts("toolgate run --script s.json --resume");
  expect(await desk.sees(QUESTION, 2)).toContain("echo made >> log");
  desk.types("y");
  await desk.sees("That was it.");
  expect(await desk.ended()).toBe(0);
  expect(readFileSync(join(desk.project, "log"), "utf8")).toBe("made\n");
});

test("finds, counts and undoes past calls from the command line", async () => {
  const write = { tool: "write_file", input: { path: "greeting.txt", content: "good evening\n" } };
  const desk = await atDesk({
    files: {
      "s.json": script([{ calls: [write] }, { calls: [command("cat greeting.txt")] }, { say: "Done." }]),
      "greeting.txt": "good morning\n",
    },
  });
  desk.starts("toolgate run --script s.json 'greet in the evening'");
  await desk.sees(QUESTION);
  desk.types("y");
  await desk.sees("Done.");
  expect(await desk.ended()).toBe(0);
  const found = await desk.runs("toolgate history search evening --tool write_file");
  expect(found.code).toBe(0);
  expect(found.text).toMatch(/session_\S+ .* call_1 Write greeting\.txt \(done\)/);
  const counted = await desk.runs("toolgate stats");
  expect(counted.text).toMatch(/^write_file\s+1\s+1\s+0\s+1 /m);
  expect(counted.text).toMatch(/^terminal\s+1\s+1\s+1\s+0 /m);
  const undone = await desk.runs("toolgate undo call_1");
  expect(undone.text).toContain(`Restored: ${join(desk.project, "greeting.txt")}`);
  expect(readFileSync(join(desk.project, "greeting.txt"), "utf8")).toBe("good morning\n");
  expect((await desk.runs("toolgate history show")).text).toMatch(
    /call_1 +done, undone +Write greeting\.txt/,
  );
});

test("starts the demo by npx from the packed tarball in an empty folder", async () => {
  const desk = await atDesk();
  unpackInto(desk.project);
  desk.starts("npx --no-install toolgate demo --pause 0");
  await desk.sees(QUESTION);
  desk.types("y");
  await desk.sees("passed: two at 250 and three at 100 cost 800");
  expect(await desk.ended()).toBe(0);
});

/** Acts as `npm install` of the tarball, without a network: the packed files, and beside them only their dependencies. */
function unpackInto(empty: string): void {
  const words = ["pack", "--json", "--ignore-scripts", "--loglevel=error", "--pack-destination", empty];
  const packed: unknown = JSON.parse(execFileSync("npm", words, { cwd: root, encoding: "utf8" }));
  const [{ filename }] = packed as readonly [{ readonly filename: string }];
  const modules = join(empty, "node_modules");
  const installed = join(modules, "toolgate");
  for (const path of [installed, join(modules, ".bin")]) mkdirSync(path, { recursive: true });
  execFileSync("tar", ["xzf", join(empty, filename), "--strip-components=1", "-C", installed]);
  const manifest: unknown = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  const { bin, dependencies, optionalDependencies } = manifest as Record<string, Record<string, string>>;
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    mkdirSync(join(modules, name, ".."), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  const program = join(installed, bin?.["toolgate"] ?? "");
  chmodSync(program, 0o755);
  symlinkSync(program, join(modules, ".bin", "toolgate"));
}

async function pidIn(file: string): Promise<number> {
  return vi.waitFor(() => {
    const pid = Number(readFileSync(file, "utf8"));
    expect(pid).toBeGreaterThan(0);
    return pid;
  }, 120_000);
}

test("the desk shows a drawing that reaches the terminal in pieces only when it is whole", async () => {
  const desk = await atDesk({
    files: { draw: "printf '\\033[?2026hthe first half'; sleep 0.1; printf ', the second\\033[?2026l\\n'\n" },
  });
  desk.starts("sh draw");
  expect(await desk.sees("the first half")).toContain("the first half, the second");
  expect(await desk.ended()).toBe(0);
});
