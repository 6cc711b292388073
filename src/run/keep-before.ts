/**
 * Keeps the workspace before a command, so that the command can be undone, and records what it changed when it has
 * ended. A contained command must be kept, since nobody was asked about it. A command that a person allowed runs in any
 * case; where it could not be kept, its call says why.
 */
import { homedir } from "node:os";
import { pluralize } from "../call/index.js";
import { errorMessage } from "../call/error-message.js";
import type { FileChange, Ledger } from "../call/index.js";
import type { Intent } from "../policy/index.js";
import { readingParts } from "../policy/reading-parts.js";
import type { KeepOutcome, WorkspaceKeeper } from "../tools/kept-workspace/workspace-keeper.js";
import type { Workspace } from "../tools/index.js";

type KeepOptions = {
  readonly intent: Intent;
  readonly workspace: Workspace;
  readonly ledger: Ledger;
  /** Nobody was asked about the command: it runs in the sandbox. */
  readonly isContained: boolean;
};

/** The keeper, when the workspace is to be kept before this call. */
export function keeperFor({
  intent,
  workspace,
  ledger,
  isContained,
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
  const isMeant = isContained || keeper.commands === "writing";
  return isMeant && !readingParts(intent, { roots, home: homedir() }) ? keeper : undefined;
}

/** Undefined when the workspace is not to be kept. */
export async function keepBefore(options: KeepOptions): Promise<KeepOutcome | undefined> {
  return keeperFor(options)?.keep(options.workspace.roots, { isOptional: !options.isContained });
}

/** Why a question is asked about a contained command. With a yes it runs outside of the sandbox. */
export const cannotBeUndone = (reason: string): string =>
  `it cannot be undone: ${reason}. With a yes it runs outside of the sandbox`;

const MAX_LEFT = 50;

/** The changes of a command that has ended, to be recorded. Their earlier contents are in the ledger by then. */
export async function* commandChanges(
  keeping: KeepOutcome,
  { root, keeper }: Workspace,
  ledger: Ledger,
  /** Calls whose commands ran at the same time. */
  beside: readonly string[] = [],
): AsyncGenerator<FileChange> {
  if (keeping.type === "not-kept" || !keeper) {
    const reason = keeping.type === "not-kept" ? keeping.reason : "Toolgate makes no copy of this workspace";
    yield { type: "not-kept", path: root, reason };
    return;
  }
  try {
    const changes = await keeper.changes(keeping);
    const { paths, unkept } = changes;
    for await (const bundle of changes.bundles()) {
      const before = { type: "bundle", blob: await ledger.putBlob(bundle) } as const;
      const count = paths.length;
      yield { type: "commanded", path: root, before, count, ...(beside.length > 0 && { beside }) };
    }
    for (const { path, reason } of unkept.slice(0, MAX_LEFT)) yield { type: "left", path, reason };
    const more = unkept.length - MAX_LEFT;
    if (more > 0) yield { type: "left", path: root, reason: `${pluralize(more, "further path")} in it` };
  } catch (error) {
    const why = errorMessage(error);
    yield { type: "not-kept", path: root, reason: `its changes could not be read: ${why}` };
  }
}
