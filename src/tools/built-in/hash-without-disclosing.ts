/**
 * Hashes files for an intent without disclosing why a file cannot be read. The intent is made before the decision, and
 * the reason would reveal that the file exists. The preview and the run report the reason.
 */
import { ToolFailure } from "../tool.js";
import type { BaseHashes } from "./base-hash.js";

/** A yes for an unreadable file is for that state only: once the file is readable, its hash changes. */
export async function hashWithoutDisclosing(
  path: string,
  hash: () => Promise<BaseHashes>,
): Promise<BaseHashes> {
  try {
    return await hash();
  } catch (error) {
    if (error instanceof ToolFailure) return { [path]: "cannot be read" };
    throw error;
  }
}
