import { expect, test } from "vitest";
import { decide } from "../decide.js";
import { draftProgram } from "./draft-program.js";
import { programMistake } from "./program-mistake.js";
import { userPrograms } from "./user-programs.js";
import { plannedCommand } from "../intent.js";

const HELP = `Usage: mytool [options] <file...>

Options:
  -v, --verbose            print more
  -o, --output <file>      write the result to a file
  -i, --input=FILE         read this file
  --color[=WHEN]           when to colour
  -n N                     how many
  --[no-]cache             use the cache
  -e, --exec <command>     run a command for each file
  --config <path>          settings to use
      --timeout duration   give up after this time
  --level {low,high}       how hard to try
  --odd:thing              nobody reads this
`;

const COBRA = `A tool.

Usage:
  tool [command]

Available Commands:
  build       Build the thing
  exec        Run a command
  publish     Publish the thing

Flags:
  -h, --help            help for tool
      --format string   output format
`;

const decisionOn = (command: string, help: string, program: string) =>
  decide(
    plannedCommand({
      cwd: "/ws",
      command,
      executor: { language: "bash" },
    }),
    {
      rules: [{ allow: "execute", command: `${program} *` }],
      roots: ["/ws"],
      home: "/home/ann",
      programs: userPrograms([draftProgram([program], help).file]),
    },
  ).effect;

test("reads options, their values and what they do from the text of a help page", () => {
  const { file, options, doubtful, unread } = draftProgram(["mytool"], HELP);
  expect(programMistake(file)).toBeUndefined();
  expect(file.programs["mytool"]).toMatchObject({
    takes:
      "-v --verbose -o= --output= -i= --input= --color? -n= --[no-]cache -e= --exec= --config= --timeout= --level=",
    edits: "-o --output",
    reads: "-i --input",
    words: "read",
    does: [{ does: "run" }, { path: ".", does: "edit", below: true }],
  });
  expect(options).toBe(10);
  expect(doubtful).toEqual(["-e", "--exec", "--config"]);
  expect(unread).toEqual(["--odd:thing              nobody reads this"]);
});

test.each([
  ["mytool -v src/a.ts", "allow"],
  ["mytool -o out/a.json --level high src/a.ts", "allow"],
  ["mytool -o /etc/x src/a.ts", "ask"],
  ["mytool --exec id", "ask"],
  ["mytool --unknown src/a.ts", "ask"],
  ["mytool --odd:thing", "ask"],
])("decides by the draft: %s → %s", (command, decision) =>
  expect(decisionOn(command, HELP, "mytool")).toBe(decision),
);

test.each([
  ["tool build --format json", "allow"],
  ["tool exec x", "ask"],
  ["tool publish", "ask"],
  ["tool other", "ask"],
])("reads subcommands: %s → %s", (command, decision) =>
  expect(decisionOn(command, COBRA, "tool")).toBe(decision),
);

test("drafts one subcommand below its program", () => {
  const { file } = draftProgram(["tool", "build"], HELP);
  expect(programMistake(file)).toBeUndefined();
  expect(file.programs["tool"]?.subcommands?.["build"]).toMatchObject({ words: "read" });
});
