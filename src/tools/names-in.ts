import { readdirSync } from "node:fs";

/** The names in a folder; none when the folder cannot be listed, or was removed meanwhile. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
