/** A shell command, shown while it prints. */
import { z } from "zod";
import { appendText, EMPTY_TEXT, shownText } from "../../call/index.js";
import { defineTool } from "../define-tool.js";

export const terminal = defineTool({
  name: "terminal",
  description:
    "Runs a command with /bin/sh in the workspace folder and returns its output (stdout and stderr together) and exit code. " +
    "It has no input to wait for. Of long output the beginning and the end are returned. " +
    "Send the output of a background process to a file.",
  kind: "execute",
  input: z.object({ command: z.string().min(1).describe("The command, as a shell reads it.") }),
  async intent({ command }) {
    return { command };
  },
  async run({ command }, context) {
    const { toolCallId, workspace, signal } = context;
    const opened = { type: "terminal", terminalId: toolCallId, output: EMPTY_TEXT } as const;
    context.report({ content: [opened] });
    let output = EMPTY_TEXT;
    const onOutput = (text: string) => {
      output = appendText(output, text);
      context.print(toolCallId, text);
    };
    const exit = await workspace.runCommand(command, { signal, onOutput });
    const content = [{ ...opened, output, exit }];
    // A command that came to its good end in spite of the cancel did what it was asked to; all others were ended.
    if (signal.aborted && exit.exitCode !== 0) {
      context.report({ content });
      signal.throwIfAborted();
    }
    return { output: { ...exit, output: shownText(output) }, content };
  },
});
