import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isOver, SessionBook } from "../call/index.js";
import { demoEvents } from "./demo-session.js";
import { runCli } from "./run-cli.js";

function run(...args: readonly string[]) {
  let output = "";
  let trouble = "";
  const code = runCli(args, {
    write: (text) => void (output += text),
    writeError: (text) => void (trouble += text),
  });
  return { code, output, trouble };
}

test("without a command the demo is shown, as with its name", () => {
  expect(run()).toEqual(run("demo"));
  expect(run()).toMatchObject({ code: 0, trouble: "" });
});

test("the first line of the demo says that nothing is real", () => {
  expect(run().output.split("\n")[0]).toBe(
    "A scripted sample of the state machine: nothing is run and no file is touched.",
  );
});

test("the demo fits 80 columns and has no colour codes", () => {
  for (const line of run().output.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  expect(run().output).not.toMatch(/[^\P{Cc}\n]/u);
});

test("the script of the demo is a legal session in which all calls are done", () => {
  const book = new SessionBook("demo", demoEvents);
  expect([...book.calls()].map(({ name, state }) => [name, state.status, isOver(state)])).toEqual([
    ["edit_file", "done", true],
    ["run_command", "done", true],
  ]);
  expect(book.turn?.state.status).toBe("stopped");
  const times = demoEvents.map(({ at }) => at);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

test("help tells the usage, and nothing else happens", () => {
  for (const args of [["--help"], ["-h"], ["demo", "-h"], ["nonsense", "--help"]]) {
    const { code, output, trouble } = run(...args);
    expect([code, trouble]).toEqual([0, ""]);
    expect(output).toMatch(/^Usage: toolgate \[command\]\n/);
    expect(output).toContain("Examples:");
    for (const line of output.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  }
});

test("the version is that of package.json", () => {
  const manifest: { readonly version: string } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  );
  expect(run("--version")).toEqual({ code: 0, output: `${manifest.version}\n`, trouble: "" });
});

test.each<[readonly string[], string]>([
  [["serve"], 'the command "serve"'],
  [["Demo"], 'the command "Demo"'],
  [[""], 'the command ""'],
  [["demo", "twice"], '"twice" after "demo"'],
  [["--colour"], 'the option "--colour"'],
  [["demo", "-x"], 'the option "-x"'],
  [["--version=2"], 'a value for "--version"'],
  [["--version", "serve"], 'the command "serve"'],
  [["\u001B[2J\u202E"], 'the command "⟨U+001B⟩[2J⟨U+202E⟩"'],
])("%j is not understood, and nothing is done", (args, what) => {
  expect(run(...args)).toEqual({
    code: 2,
    output: "",
    trouble: `toolgate: ${what} was not understood. Nothing was done. Try: toolgate --help\n`,
  });
});
