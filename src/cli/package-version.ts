/** Read, not imported: package.json lies outside src/, at the same distance from src/cli and from dist/cli. */
import { readFileSync } from "node:fs";

export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  if (typeof manifest !== "object" || manifest === null || !("version" in manifest)) return "unknown";
  return String(manifest.version);
}
