/**
 * Moves a file, a link or a folder. Nothing is ever overwritten; missing parent folders are created.
 *
 * The intent has a hash of the moved content and discloses nothing else about it, because it is made before the
 * decision.
 */
import { posix } from "node:path";
import { z } from "zod";
import { isWithin } from "../../call/absolute-path.js";
import type { DiffContent } from "../../call/index.js";
import { defineTool } from "../define-tool.js";
import { pathAccess, pathInput, throughProtectedLinks } from "../path-access.js";
import { ToolFailure } from "../tool.js";
import type { FileInfo, Workspace } from "../workspace.js";
import { baseHashes, hashWithoutDisclosing } from "./base-hash.js";
import { mustNotContainRoot } from "./must-not-contain-root.js";
import { withPathLock } from "./with-path-lock.js";
import { protectedAtTarget, protectedInFolder } from "./protected-by-command.js";

const input = () =>
  z.object({
    from: pathInput("The file, link or folder to move"),
    to: pathInput("Its whole new path, its name included"),
  });

type Input = z.output<ReturnType<typeof input>>;

export const movePath = defineTool({
  name: "move_path",
  description:
    "Moves or renames a file, a link or a folder. Never overwrites anything, and makes the folders that the new path needs.",
  kind: "move",
  input,
  async intent(wanted, workspace) {
    const keepLink = { keepLink: true };
    const from = await pathAccess(wanted.from, "move", workspace, keepLink);
    mustNotBeRoot(from.path, wanted, workspace);
    const to = await pathAccess(wanted.to, "write", workspace, keepLink);
    return {
      paths: [
        from,
        to,
        ...(await protectedInFolder(from.path, "move", workspace)),
        ...(await protectedAtTarget(from.path, to.path, workspace)),
        ...(await throughProtectedLinks([from, to], workspace)),
      ],
      baseHashes: await hashWithoutDisclosing(from.path, () => baseHashes(workspace, from.path)),
    };
  },
  async preview(wanted, workspace) {
    const found = await movement(wanted, workspace);
    return { content: [moveDiff(found)], locations: [{ path: found.from }] };
  },
  async run(wanted, context) {
    const { workspace, signal } = context;
    return withPathLock(await ends(wanted, workspace), async () => {
      const found = await movement(wanted, workspace);
      signal.throwIfAborted();
      const folder = posix.dirname(found.to);
      if (!(await workspace.look(folder))) await workspace.makeFolder(folder);
      await workspace.move(found.from, found.to);
      context.report({ locations: [{ path: found.to }] });
      return { output: `Moved ${wanted.from} to ${wanted.to}.`, content: [moveDiff(found)] };
    });
  },
});

type Movement = { readonly from: string; readonly to: string; readonly info: FileInfo };

async function ends({ from, to }: Input, workspace: Workspace): Promise<readonly [from: string, to: string]> {
  // A link is moved itself, and one that stands at the new path is in the way, wherever it leads.
  return [await workspace.resolve(from, { keepLink: true }), await workspace.resolve(to, { keepLink: true })];
}

function mustNotBeRoot(real: string, { from }: Input, workspace: Workspace): void {
  mustNotContainRoot(real, workspace, { tool: "move_path", written: from, done: "moved" });
}

async function movement(wanted: Input, workspace: Workspace): Promise<Movement> {
  const [from, to] = await ends(wanted, workspace);
  mustNotBeRoot(from, wanted, workspace);
  const info = await workspace.look(from);
  if (!info)
    throw new ToolFailure(
      `move_path: ${wanted.from} does not exist. Nothing was moved. List its folder to find the right name.`,
    );
  const inTheWay = await workspace.look(to);
  if (inTheWay?.type === "folder" && from !== to) throw intoFolder(wanted, from, "is a folder already");
  if (inTheWay)
    throw new ToolFailure(
      `move_path: ${wanted.to} exists already, and nothing is ever overwritten. Nothing was moved. Choose another name, or delete it first.`,
    );
  if (wanted.to.endsWith("/") && info.type !== "folder") throw intoFolder(wanted, from, "names a folder");
  if (isWithin(to, from))
    throw new ToolFailure(
      `move_path: ${wanted.to} is inside of ${wanted.from}, and a folder cannot be moved into itself. Nothing was moved. Choose a path outside of it.`,
    );
  return { from, to, info };
}

function intoFolder({ to }: Input, from: string, why: string): ToolFailure {
  const full = posix.join(to, posix.basename(from));
  return new ToolFailure(
    `move_path: ${to} ${why}. Nothing was moved. To move it in there, give the whole new path: ${full}.`,
  );
}

function moveDiff({ from, to, info }: Movement): DiffContent {
  const diff: DiffContent = { type: "diff", operation: "move", path: to, oldPath: from };
  if (info.type === "folder") return { ...diff, fileType: "directory" };
  return info.type === "link" ? { ...diff, fileType: "symlink" } : diff;
}
