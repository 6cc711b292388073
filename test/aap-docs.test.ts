/** The page about AAP: its commands are run against a real server, and do what the page says. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TOKEN, World } from "./aap-kit.js";

const page = readFileSync(new URL("../docs/aap.md", import.meta.url), "utf8");
const run = promisify(execFile);

let world: World;

beforeEach(async () => {
  world = await World.open();
});

afterEach(async () => {
  await world.close();
});

test("each command answers as the page says", async () => {
  const calls = [
    { tool: "look_up", input: { word: "gate" } },
    { tool: "send", input: { to: "Ada" } },
  ];
  const { serving } = await world.remote({ steps: [{ say: "One moment.", calls }, { say: "All done." }] });
  const shown = [...page.matchAll(/```sh\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/g)];
  expect(shown.length).toBeGreaterThan(6);
  // One shell for all of them, since each goes on with what was made before.
  const script = shown.map(([, command = ""]) => `${command}\necho; echo ----`).join("\n");
  const env = { PATH: process.env["PATH"] ?? "", URL: serving.url, TOKEN };
  const { stdout } = await run("bash", ["-c", script], { env });
  const said = stdout.split("----\n").map(plain);
  for (const [index, [, command, expected = ""]] of shown.entries())
    expect(said[index], command).toBe(plain(expected));
});

/** Without what is another one each time. */
const plain = (text: string): string =>
  text
    .trim()
    .replaceAll(/session_[\w-]+/g, "session_…")
    .replaceAll(/^id: \d+\./gm, "id: ….");
