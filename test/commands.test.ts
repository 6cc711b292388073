/** The commands as people start them, most in a process of their own. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createProgram } from "../src/cli/create-program.js";
import { folder } from "./agent-kit.js";
import { runHere } from "./run-here.js";

const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url), "utf8");

// A distant time zone and another language must not change the output.
const { NO_COLOR: _no, FORCE_COLOR: _force, ...inherited } = process.env;
const env = { ...inherited, TZ: "Pacific/Kiritimati", LANG: "de_DE.UTF-8" };

function toolgate(args: readonly string[], cwd?: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: "utf8",
    env,
    cwd,
  });
  return { status, stdout, stderr };
}

/** The same in this process: what depends on no process of its own. */
const here = (args: readonly string[], cwd: string = process.cwd()) => runHere(args, { cwd, env });

beforeAll(() => {
  if (!existsSync(program))
    throw new Error(`${program} does not exist. Build it first: node scripts/ready.mjs`);
});

/** The line of a call that has started. */
const START = /^► (.*) \(.*\n/gm;

/** Removes what differs between runs: the folder, the times, and the order of parallel calls. */
function steady(transcript: string, root: string): string {
  return transcript
    .replaceAll(START, "")
    .replaceAll(root, "/sample")
    .replaceAll(/\d+(\.\d+)? (ms|s)\b/g, "N ms");
}

function demo(...args: readonly string[]) {
  const { status, stdout, stderr } = toolgate(["demo", ...args]);
  const root = /a failing test in (\S+)/.exec(stdout)?.[1] ?? "";
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return { status, stdout, stderr, root, transcript: steady(stdout, root) };
}

describe("the demo", () => {
  test("fixes the failing test with one question, and prints the reviewed text: without a terminal a line when a call starts, and its card when it ends", () => {
    const { status, stdout, stderr, root, transcript } = demo("--yes");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(transcript).toBe(fixture("demo.txt"));
    expect(spawnSync(process.execPath, ["cart.test.js"], { cwd: root }).status).toBe(0);
    const started = [...stdout.matchAll(START)].map(([line, title = ""]) => ({
      at: stdout.indexOf(line),
      title,
    }));
    expect(started).toHaveLength(8);
    const cards = (title: string, from: number) =>
      ["✓", "!"].filter((mark) => stdout.indexOf(`${mark} ${title} (`, from) > from);
    for (const { at, title } of started) expect(cards(title, at)).not.toEqual([]);
    expect(stdout).not.toContain("\u001b");
  });

  test("changes nothing without a person to ask, and says so", () => {
    const { status, root, transcript } = demo();
    expect(status).toBe(0);
    expect(transcript).toContain("there is no terminal to ask at");
    expect(transcript).toContain("Nothing was changed.");
    expect(spawnSync(process.execPath, ["cart.test.js"], { cwd: root }).status).toBe(1);
  });

  test("exits without an error when the reader closes the pipe", async () => {
    const child = spawn(process.execPath, [program, "demo"], { stdio: ["ignore", "pipe", "pipe"], env });
    child.stdout.destroy();
    let trouble = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => void (trouble += text));
    const [code]: unknown[] = await once(child, "close");
    expect([code, trouble]).toEqual([0, ""]);
  });
});

describe("run", () => {
  test("writes every event as a line of JSON, and refuses calls that need approval", async () => {
    const cwd = await folder();
    const script = join(cwd, "script.json");
    const steps = [{ calls: [{ tool: "terminal", input: { command: "touch made" } }] }, { say: "So be it." }];
    writeFileSync(script, JSON.stringify({ steps }));
    const { status, stdout } = toolgate(
      ["run", "--json", "--script", script, "--ledger", join(cwd, "l"), "do", "it"],
      cwd,
    );
    const events = stdout
      .trim()
      .split("\n")
      .map((line): { type: string } => JSON.parse(line));
    expect(status).toBe(0);
    expect(events[0]).toMatchObject({ type: "session", sessionId: expect.stringMatching(/^session_/) });
    expect(events[1]).toMatchObject({ type: "info-changed", info: { title: "do it" } });
    expect(events[2]).toMatchObject({ type: "turn-started" });
    expect(events[3]).toMatchObject({ role: "user", block: { text: "do it" } });
    expect(events.find(({ type }) => type === "call-refused")).toMatchObject({
      decision: { by: "rule", who: "Toolgate" },
    });
    expect(events.at(-1)).toMatchObject({ type: "turn-stopped", stopReason: "end_turn" });
    expect(existsSync(join(cwd, "made"))).toBe(false);
  });

  test.each([
    ["is not there", "missing.json", undefined, /missing\.json does not exist/],
    ["is not JSON", "bad.json", "{", /bad\.json is not JSON.*Nothing was started/],
    ["is no script", "odd.json", "{}", /The model script is not valid.*Nothing was started/s],
  ])("exits with code 1 when a script %s", async (_, name, text, message) => {
    const cwd = await folder(text === undefined ? {} : { [name]: text });
    const { status, stdout, stderr } = await here(
      ["run", "--script", join(cwd, name), "--ledger", join(cwd, "l"), "go"],
      cwd,
    );
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

/** The page with this text in the place of the help of the same command. */
function withHelp(page: string, help: string): string {
  const usage = `\`\`\`text\n${help.slice(0, help.indexOf("\n"))}\n`;
  const start = page.indexOf(usage);
  return start === -1
    ? page
    : `${page.slice(0, start)}\`\`\`text\n${help}${page.slice(page.indexOf("\n```", start))}`;
}

describe("ledger", () => {
  test.each([["check"], ["migrate"]])("%s refuses memory:, and asks no server", async (command) => {
    const { status, stderr } = await here(["ledger", command, "memory:"]);
    expect([status, stderr]).toEqual([1, expect.stringContaining("Nothing was done; name a file")]);
  });

  test("copy refuses memory: on either side before it writes", async () => {
    const file = join(await folder(), "ledger.sqlite");
    const { status, stderr } = await here(["ledger", "copy", "memory:", file]);
    expect([status, stderr]).toEqual([1, expect.stringContaining("Nothing was done; name a file")]);
    expect(existsSync(file)).toBe(false);
  });
});

describe("the command line", () => {
  test("ends the help of every command with examples, and the docs have the same text", async () => {
    const page = new URL("../docs/commands.md", import.meta.url);
    let documented = readFileSync(page, "utf8");
    const namesIn = ({ commands }: Command): readonly (readonly string[])[] =>
      commands.flatMap((command) => [
        [command.name()],
        ...namesIn(command).map((inner) => [command.name(), ...inner]),
      ]);
    for (const command of [[], ...namesIn(createProgram())]) {
      const { status, stdout, stderr } = await here([...command, "--help"]);
      expect([status, stderr]).toEqual([0, ""]);
      if (process.env["TRANSCRIPTS"] === "write") documented = withHelp(documented, stdout.trimEnd());
      expect(
        documented.includes(stdout.trimEnd()),
        `docs/commands.md lacks this text of toolgate ${[...command, "--help"].join(" ")}; for a new command add it, then run scripts/transcripts.mjs:\n${stdout}`,
      ).toBe(true);
      expect(
        stdout,
        `toolgate ${command.join(" ")} has no examples; add them to src/cli/add-examples.ts`,
      ).toMatch(/\nExamples?[^\n]*:\n {2}toolgate/);
    }
    if (process.env["TRANSCRIPTS"] === "write") writeFileSync(page, documented);
  });

  test.each([[[]], [["run"]], [["acp"]], [["rules", "add"]]])(
    "help %j shows what --help does",
    async (command) => {
      const asked = await here(["help", ...command]);
      expect(asked).toEqual(await here([...command, "--help"]));
      expect(asked).toMatchObject({ status: 0, stdout: expect.stringContaining("Usage: toolgate") });
    },
  );

  test("writes help and errors as a process of its own does", () => {
    expect(toolgate(["frobnicate"])).toEqual({
      status: 2,
      stdout: "",
      stderr: "error: unknown command 'frobnicate'\nNothing was done. Try: toolgate --help\n",
    });
    expect(toolgate(["help", "run"])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("Usage: toolgate run"),
    });
  });

  test("prints the version of package.json", () => {
    expect(toolgate(["--version"])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\S*\n$/),
    });
  });

  test.each([
    [["frobnicate"], "error: unknown command 'frobnicate'\nNothing was done. Try: toolgate --help\n"],
    [
      ["frobnicate", "--help"],
      "error: unknown command 'frobnicate'\nNothing was done. Try: toolgate --help\n",
    ],
    [
      ["hist", "list"],
      "error: unknown command 'hist'\n(Did you mean history?)\nNothing was done. Try: toolgate --help\n",
    ],
    [
      ["help", "rnu"],
      "error: unknown command 'rnu'\n(Did you mean run?)\nNothing was done. Try: toolgate --help\n",
    ],
    [["\u001b[31m"], "error: unknown command '⟨U+001B⟩[31m'\nNothing was done. Try: toolgate --help\n"],
    [["demo", "--quick"], "error: unknown option '--quick'\nNothing was done. Try: toolgate demo --help\n"],
    [
      ["run"],
      "error: missing required argument 'prompt': say what the agent should do\nNothing was done. Try: toolgate run --help\n",
    ],
    [
      ["serve", "--port", "x"],
      "error: option '--port <number>' argument 'x' is invalid. Expected a whole number from 0 to 65535.\nNothing was done. Try: toolgate serve --help\n",
    ],
    [
      ["history", "forget"],
      "error: unknown command 'forget'\nNothing was done. Try: toolgate history --help\n",
    ],
    [
      ["history", "list", "--all"],
      "error: unknown option '--all'\nNothing was done. Try: toolgate history list --help\n",
    ],
  ])("refuses %j with exit code 2 and names the help", async (args, message) => {
    expect(await here(args)).toEqual({ status: 2, stdout: "", stderr: message });
  });
});
