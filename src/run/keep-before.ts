/**
 * Keeps the workspace before a command, so that the command can be undone, and records what it changed when it has
 * ended.
 */
import { homedir } from "node:os";
import { pluralize } from "../call/index.js";
import type { FileChange, Ledger } from "../call/index.js";
import type { Intent } from "../policy/index.js";
import { readingParts } from "../policy/reading-parts.js";
import type { KeepOutcome, WorkspaceKeeper } from "../tools/kept-workspace/workspace-keeper.js";
import type { Workspace } from "../tools/index.js";

type KeepOptions = {
  readonly intent: Intent;
  readonly workspace: Workspace;
  readonly ledger: Ledger;
  /** Who decided on the call: "sandbox" for a command that runs unasked because it is contained. */
  readonly decidedBy: string | undefined;
};

/** The keeper, when the workspace is to be kept before this call. */
export function keeperFor({
  intent,
  workspace,
  ledger,
  decidedBy,
}: KeepOptions): WorkspaceKeeper | undefined {
  const { keeper, roots } = workspace;
  // A ledger that redacts stores no file; the changes of a command that goes on after its call are not complete.
  if (
    !keeper ||
    intent.command === undefined ||
    intent.background === true ||
    ledger.storesVerbatim === false
  )
    return undefined;
  const isMeant = decidedBy === "sandbox" || keeper.commands === "writing";
  return isMeant && !readingParts(intent, { roots, home: homedir() }) ? keeper : undefined;
}

/** Undefined when the workspace is not to be kept. */
export async function keepBefore(options: KeepOptions): Promise<KeepOutcome | undefined> {
  return keeperFor(options)?.keep(options.workspace.roots);
}

/** Why a question is asked about a command that could run otherwise. Whatever a person allows runs outside of the sandbox. */
export const cannotBeUndone = (reason: string, wasContained: boolean): string =>
  `it cannot be undone: ${reason}${wasContained ? ". With a yes it runs outside of the sandbox" : ""}`;

const MAX_LEFT = 50;

/** The changes of a command that has ended, to be recorded. Their earlier contents are in the ledger by then. */
export async function* commandChanges(
  keeping: KeepOutcome,
  { root, keeper }: Workspace,
  ledger: Ledger,
): AsyncGenerator<FileChange> {
  if (keeping.type === "not-kept" || !keeper) {
    const reason = keeping.type === "not-kept" ? keeping.reason : "nobody keeps this workspace";
    yield { type: "not-kept", path: root, reason };
    return;
  }
  try {
    const changes = await keeper.changes(keeping);
    const { paths, unkept } = changes;
    for await (const bundle of changes.bundles()) {
      const before = { type: "bundle", blob: await ledger.putBlob(bundle) } as const;
      yield { type: "commanded", path: root, before, count: paths.length };
    }
    for (const { path, reason } of unkept.slice(0, MAX_LEFT)) yield { type: "left", path, reason };
    const more = unkept.length - MAX_LEFT;
    if (more > 0) yield { type: "left", path: root, reason: `${pluralize(more, "further path")} in it` };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    yield { type: "not-kept", path: root, reason: `its changes could not be read: ${why}` };
  }
}
