/** The text of a file that the user has named. What goes wrong with it names it: a folder that is read does not say which it is. */
import { readFile } from "node:fs/promises";

export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw error instanceof Error ? Object.assign(error, { path: file }) : error;
  }
}
