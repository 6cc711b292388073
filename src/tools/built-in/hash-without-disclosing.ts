/**
 * Hashes for an intent, which is made before anyone has decided: why a file could not be read would tell of
 * it to someone who may not know that it is there. Whoever may is told when it is shown or run.
 */
import { ToolFailure } from "../tool.js";
import type { BaseHashes } from "./base-hash.js";

/** A yes for what could not be read is for just that: once it can be, its hash is another. */
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
