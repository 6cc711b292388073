import { expect, test } from "vitest";
import type { CallFields, TerminalContent } from "../../call/index.js";
import { aContext, aWorkspace, parsed } from "../tools.samples.js";
import { terminal } from "./terminal.js";

const input = (command: string) => parsed(terminal, { command });
const EMPTY = { head: "", tail: "", total: 0 };

function terminalIn(fields: CallFields | undefined): TerminalContent | undefined {
  return fields?.content?.find((content) => content.type === "terminal");
}

test("the terminal is shown before anything is printed in it, and in the end with its exit", async () => {
  const { workspace } = await aWorkspace();
  const { context, reported, printed } = aContext(workspace);
  const result = await terminal.run(input("echo hello; sleep 0.3; echo world >&2"), context);
  expect(reported).toEqual([{ content: [{ type: "terminal", terminalId: "call-1", output: EMPTY }] }]);
  expect(printed).toEqual(["call-1: hello\n", "call-1: world\n"]);
  expect(result).toEqual({
    output: { exitCode: 0, output: "hello\nworld\n" },
    content: [
      {
        type: "terminal",
        terminalId: "call-1",
        output: { head: "hello\nworld\n", tail: "", total: 12 },
        exit: { exitCode: 0 },
      },
    ],
  });
});

test("a command that fails is no failure of the tool: the exit code is told", async () => {
  const { workspace } = await aWorkspace();
  const { output } = await terminal.run(input("echo no; exit 7"), aContext(workspace).context);
  expect(output).toEqual({ exitCode: 7, output: "no\n" });
});

test("a command that was killed from elsewhere tells by which signal", async () => {
  const { workspace } = await aWorkspace();
  const { output } = await terminal.run(input("kill -9 $$"), aContext(workspace).context);
  expect(output).toEqual({ signal: "SIGKILL", output: "" });
});

test("of long output the beginning and the end are kept", async () => {
  const { workspace } = await aWorkspace();
  const { context, printed } = aContext(workspace);
  const { output } = await terminal.run(input("seq 300000"), context);
  const shown = (output as { readonly output: string }).output;
  expect(shown.length).toBeLessThan(70_000);
  expect(shown.startsWith("1\n2\n")).toBe(true);
  expect(shown).toContain("characters left out");
  expect(shown.endsWith("299999\n300000\n")).toBe(true);
  expect(printed.join("").replaceAll("call-1: ", "").length).toBe(1_988_895);
});

test("a command that is cancelled ends with the reason of the cancel, and shows how far it came", async () => {
  const { workspace } = await aWorkspace();
  const cancel = new AbortController();
  const { context, reported } = aContext(workspace, cancel.signal);
  const reason = new Error("the user pressed stop");
  const running = terminal.run(input("echo begun; sleep 60"), {
    ...context,
    print: () => cancel.abort(reason),
  });
  await expect(running).rejects.toBe(reason);
  expect(terminalIn(reported.at(-1))).toMatchObject({
    output: { head: "begun\n" },
    exit: { signal: "SIGTERM" },
  });
});

test("a command that came to its end in spite of the cancel is done, because it was", async () => {
  const { workspace } = await aWorkspace();
  const cancel = new AbortController();
  const { context } = aContext(workspace, cancel.signal);
  const deaf = input(`trap "" TERM; echo begun; sleep 0.3; echo ended`);
  const { output } = await terminal.run(deaf, { ...context, print: () => cancel.abort() });
  expect(output).toEqual({ exitCode: 0, output: "begun\nended\n" });
});

test("it says beforehand what the shell will read, to the letter", async () => {
  const { workspace } = await aWorkspace();
  const command = "  echo 'a'\n\trm -rf build # \u202E";
  expect(await terminal.intent?.(input(command), workspace)).toEqual({ command });
});

test("no command is not an empty one", () => {
  expect(terminal.parse({ command: "" })).toMatchObject({ ok: false });
  expect(terminal.parse({})).toMatchObject({ ok: false });
});
