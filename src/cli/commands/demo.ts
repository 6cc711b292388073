/** The command line of `toolgate demo`. */
import type { Command } from "commander";
import type { DemoFlags } from "../demo.js";
import { milliseconds } from "./values.js";

export function addDemoCommand(program: Command): void {
  program
    .command("demo")
    .description(
      "watch an agent in the terminal find and fix a failing test in a sample\nproject; it needs no key, and asks before it edits",
    )
    .option("-y, --yes", "answer the question with yes, for when nobody watches")
    .option("--pause <milliseconds>", "how long the scripted model takes for a word", milliseconds)
    .action(async (options: DemoFlags) => {
      const { runDemo } = await import("../demo.js");
      process.exitCode = await runDemo(options);
    });
}
