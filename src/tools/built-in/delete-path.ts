/**
 * Deletes a file, a link or a folder. Deleting a link never deletes its target.
 *
 * The preview shows the content to delete, and the intent has its hash, so that a yes is for that content only. The
 * intent discloses nothing else about it, because it is made before the decision.
 */
import { countOf } from "../../call/amounts.js";
import { z } from "zod";
import { defineTool } from "../define-tool.js";
import { ToolFailure } from "../tool.js";
import type { Workspace } from "../workspace.js";
import { baseHashes, hashWithoutDisclosing } from "./base-hash.js";
import { type FolderTree, folderTree, type TreeEntry, treeSummary } from "./folder-tree.js";
import { mustNotContainRoot } from "./must-not-contain-root.js";
import { withPathLock } from "./with-path-lock.js";
import { removedContent } from "./removed-content.js";
import { protectedInFolder } from "./protected-by-command.js";
import { pathAccess, pathInput } from "../path-access.js";

const input = () =>
  z.object({
    path: pathInput("The file, link or folder"),
    recursive: z.boolean().default(false).describe("Delete a folder with its contents."),
  });

type Input = z.output<ReturnType<typeof input>>;

export const deletePath = defineTool({
  name: "delete_path",
  description:
    "Deletes a file, a link (not its target) or an empty folder; with recursive, a folder with its contents.",
  kind: "delete",
  input,
  async intent(wanted, workspace) {
    const file = await pathAccess(wanted.path, "delete", workspace, { keepLink: true });
    mustNotBeRoot(file.path, wanted, workspace);
    return {
      paths: [file, ...(await protectedInFolder(file.path, "delete", workspace))],
      baseHashes: await hashWithoutDisclosing(file.path, () => baseHashes(workspace, file.path)),
    };
  },
  async preview(wanted, workspace) {
    const found = await removal(wanted, workspace);
    return { content: await removedContent(workspace, found), locations: [{ path: found.path }] };
  },
  async run(wanted, { workspace, signal }) {
    const key = await workspace.resolve(wanted.path, { keepLink: true });
    return withPathLock([key], async () => {
      const found = await removal(wanted, workspace);
      const content = await removedContent(workspace, found);
      const output = await sentence(wanted.path, found, workspace);
      signal.throwIfAborted();
      await workspace.remove(found.path);
      return { output, content };
    });
  },
});

/** `tree` is there for a folder. */
type Removal = TreeEntry & { readonly tree?: FolderTree };

function mustNotBeRoot(real: string, { path }: Input, workspace: Workspace): void {
  mustNotContainRoot(real, workspace, { tool: "delete_path", written: path, done: "deleted" });
}

async function removal(wanted: Input, workspace: Workspace): Promise<Removal> {
  const { path, recursive } = wanted;
  const real = await workspace.resolve(path, { keepLink: true });
  mustNotBeRoot(real, wanted, workspace);
  const info = await workspace.look(real);
  if (!info)
    throw new ToolFailure(
      `delete_path: ${path} does not exist. Nothing was deleted. List its folder to find the right name.`,
    );
  if (info.type !== "folder") return { path: real, ...info };
  const held = await workspace.list(real);
  if (held.length > 0 && !recursive)
    throw new ToolFailure(
      `delete_path: ${path} is a folder with ${countOf(held.length, "entry", "entries")} in it. Nothing was deleted. Set "recursive" to delete it with its contents.`,
    );
  return { path: real, ...info, tree: await folderTree(workspace, real) };
}

async function sentence(
  path: string,
  { type, tree, ...found }: Removal,
  workspace: Workspace,
): Promise<string> {
  if (type === "link")
    return `Deleted the link ${path}. Its target, ${await workspace.readLink(found.path)}, was not touched.`;
  if (!tree) return `Deleted ${path}.`;
  return tree.entries.length === 0
    ? `Deleted the empty folder ${path}.`
    : `Deleted ${path} with its contents: ${treeSummary(tree)}.`;
}
