/** Describes how a program ended and the end of its stderr, for people and models to read. */
import type { ChildExit } from "./child.js";
import { lastLines } from "./last-lines.js";

/** Returns "" for a program that still runs and has written nothing to stderr. */
export function exitReport(exit: ChildExit | undefined, stderr: string): string {
  const ended = exit === undefined ? "" : exitText(exit);
  const text = lastLines(stderr);
  if (text === "") return ended;
  return `${ended === "" ? "it" : `${ended} and`} last wrote to stderr:\n${text}`;
}

function exitText({ exitCode, signal }: ChildExit): string {
  return exitCode === undefined
    ? `it was ended by ${signal ?? "a signal"}`
    : `it ended with code ${exitCode}`;
}
