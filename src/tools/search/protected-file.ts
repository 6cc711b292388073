/**
 * Files that need a person's yes to be read, whatever the rules allow: keys, credentials, environment files. A tool
 * that walks through a folder skips or reports them, because nobody named them.
 */
import { homedir } from "node:os";
import { decide } from "../../policy/index.js";
import type { PathAccess, Rule } from "../../policy/index.js";

/** Whether even a rule that allows everything does not open the file. */
export function isProtectedFile(
  path: string,
  own: readonly string[] = [],
  access: PathAccess["access"] = "read",
): boolean {
  const { effect } = decide(
    { tool: "", kind: "other", input: {}, cwd: "/", paths: [{ path, access }], hosts: [], baseHashes: {} },
    { rules: EVERYTHING, roots: [], home: homedir(), own },
  );
  return effect !== "allow";
}

const EVERYTHING: readonly Rule[] = [{ allow: "*", path: "/**" }];
