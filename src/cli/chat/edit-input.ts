/** Lets a person change the input of a call in their editor. The file is theirs alone, and is deleted at once. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInForeground } from "../../process/index.js";

/** Undefined when nothing was changed. Throws for an editor that failed, or for text that is no JSON. */
export async function editInput(
  input: unknown,
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ readonly input: unknown } | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "toolgate-input-"));
  try {
    const file = join(folder, "input.json");
    const before = `${JSON.stringify(input, undefined, 2)}\n`;
    writeFileSync(file, before, { mode: 0o600 });
    const editor = env["VISUAL"] ?? env["EDITOR"] ?? "vi";
    // Reads the variable as git does: it may have options, and the path stays one word.
    const exitCode = await runInForeground(["sh", "-c", `${editor} "$1"`, "sh", file]);
    if (exitCode !== 0) throw new EditFailed(`${editor} ended with ${exitCode ?? "a signal"}.`);
    const after = readFileSync(file, "utf8");
    if (after === before) return undefined;
    try {
      return { input: JSON.parse(after) };
    } catch (cause) {
      throw new EditFailed(`The text is not JSON (${cause instanceof Error ? cause.message : ""}).`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export class EditFailed extends Error {
  readonly code = "EDIT_FAILED";

  constructor(why: string) {
    super(`${why} Nothing was answered.`);
    this.name = "EditFailed";
  }
}
