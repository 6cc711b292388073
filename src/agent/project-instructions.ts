/** Adds a project's own instructions for agents (`AGENTS.md`) to the system prompt. */
import { join } from "node:path";
import { ToolFailure } from "../tools/index.js";
import type { Workspace } from "../tools/index.js";

const MAX_CHARACTERS = 32_000;

/** The agent's instructions, then the file's text. A file that is missing or not text adds nothing. */
export async function withProjectInstructions(
  instructions: string | undefined,
  file: string | undefined,
  workspace: Workspace,
): Promise<string | undefined> {
  const text = file === undefined ? undefined : await textOf(file, workspace);
  if (text === undefined || text.trim() === "") return instructions;
  const bounded =
    text.length > MAX_CHARACTERS
      ? `${text.slice(0, MAX_CHARACTERS)}\n[The rest of ${file} is left out.]`
      : text;
  const project = `The project's own instructions, from ${file}:\n\n${bounded}`;
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
