/**
 * START programs: one way to start, read, limit and end a child process with all that it started.
 *
 * Invariants: no shell reads an argument; every child leads a process group of its own and carries a mark in its
 * environment, so that its whole tree can be found and ended; a tree that is not released ends with our process;
 * memory for output is bounded. No other room imports `node:child_process`.
 */
export { collectOutput } from "./collect-output.js";
export { startChild, startChildWithStdin } from "./child.js";
export type { Child, ChildExit } from "./child.js";
export { exitReport } from "./exit-report.js";
export { runInForeground } from "./run-in-foreground.js";
export { lastLines } from "./last-lines.js";
export { LineSplitter } from "./line-splitter.js";
export { isHere } from "./process-identity.js";
export { ProcessTree } from "./process-tree.js";
export { loadPty, startInTerminal } from "./start-in-terminal.js";
export { readText, startWithPipes } from "./start-with-pipes.js";
export type { TextProgram } from "./start-with-pipes.js";
export { TailBuffer } from "./tail-buffer.js";
export { settlesWithin } from "./settles-within.js";
