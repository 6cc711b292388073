/** What a project's own file tells every agent that works in it (`AGENTS.md`), for the model to read before all else. */
import { join } from "node:path";
import { ToolFailure } from "../tools/index.js";
import type { Workspace } from "../tools/index.js";

const MOST_CHARACTERS = 32_000;

/** The agent's own instructions, and after them the file's. A file that is not there or not text says nothing. */
export async function withProjectInstructions(
  instructions: string | undefined,
  file: string | undefined,
  workspace: Workspace,
): Promise<string | undefined> {
  const text = file === undefined ? undefined : await textOf(file, workspace);
  if (text === undefined || text.trim() === "") return instructions;
  const told =
    text.length > MOST_CHARACTERS
      ? `${text.slice(0, MOST_CHARACTERS)}\n[The rest of ${file} is left out.]`
      : text;
  const project = `The project's own instructions, from ${file}:\n\n${told}`;
  return instructions === undefined ? project : `${instructions}\n\n${project}`;
}

async function textOf(file: string, workspace: Workspace): Promise<string | undefined> {
  try {
    return await workspace.readText(join(workspace.root, file));
  } catch (error) {
    if (error instanceof ToolFailure) return undefined;
    throw error;
  }
}
