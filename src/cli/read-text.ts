/** Reads a file that the user has named. Every error names the file: the system's EISDIR does not. */
import { readFile } from "node:fs/promises";

export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw error instanceof Error ? Object.assign(error, { path: file }) : error;
  }
}
