/** The failure for a command that the system could not start. */
import { errorCode } from "../call/error-code.js";
import { ToolFailure } from "./tool.js";

export function notStarted(program: string, error: unknown): ToolFailure {
  const code = errorCode(error);
  const [why, next] = START_ERRORS.get(code ?? "") ?? [
    code ?? String(error),
    "Try a shorter or another command.",
  ];
  const name = program.length > 200 ? `${program.slice(0, 200)}…` : program;
  return new ToolFailure(
    `The command could not be started: ${why.replace("PROGRAM", JSON.stringify(name))}. Nothing was run. ${next}`,
  );
}

const START_ERRORS: ReadonlyMap<string, readonly [why: string, next: string]> = new Map([
  ["ENOENT", ["there is no program PROGRAM (ENOENT)", "Check its name."]],
  ["ENOTDIR", ["there is no program PROGRAM (ENOTDIR)", "Check its name."]],
  ["EACCES", ["PROGRAM may not be run (EACCES)", "Check its permissions."]],
  ["E2BIG", ["it is too long for the system (E2BIG)", "Pass less, for example a list in a file."]],
  ["EAGAIN", ["too many processes are running (EAGAIN)", "Try it again when others have ended."]],
  ["EMFILE", ["too many files are open (EMFILE)", "Try it again when other commands have ended."]],
]);
