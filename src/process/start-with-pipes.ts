/** Starts a program with an empty stdin and hands on the text of both output streams as it comes. */
import { StringDecoder } from "node:string_decoder";
import { startChild } from "./child.js";
import type { Argv, Child, ChildOptions } from "./child.js";

export type TextOptions = ChildOptions & {
  /** Must not throw: the event loop calls it. */
  readonly onText: (text: string) => void;
};

/** A program whose output is read as text, through pipes or through a terminal. */
export type TextProgram = Pick<Child, "tree" | "exit" | "drained" | "closePipes">;

export function startWithPipes(argv: Argv, { onText, ...options }: TextOptions): TextProgram {
  const child = startChild(argv, options);
  readText(child, onText);
  return child;
}

/** Hands on the text of both output streams as it comes. */
export function readText(child: Pick<Child, "stdout" | "stderr">, onText: (text: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    const decoder = new StringDecoder("utf8");
    stream.on("data", (bytes: Buffer) => onText(decoder.write(bytes)));
    stream.once("close", () => onText(decoder.end()));
  }
}
