/**
 * Files that are not read without a person's yes, whatever the rules allow: keys, credentials, environment
 * files. Whoever goes through a folder leaves them out or tells of them, for nobody named them.
 */
import { homedir } from "node:os";
import { decide } from "../../policy/index.js";
import type { PathAccess, Rule } from "../../policy/index.js";

/** What a rule that opens everything does not open. */
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
