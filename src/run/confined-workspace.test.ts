import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Intent, PathAccess } from "../policy/index.js";
import { LocalWorkspace } from "../tools/index.js";
import type { Workspace } from "../tools/index.js";
import { confinedWorkspace } from "./confined-workspace.js";

async function held(access: PathAccess["access"] | undefined, more: Partial<Intent> = {}) {
  const workspace = await LocalWorkspace.open(await mkdtemp(join(tmpdir(), "toolgate-test-")));
  const { root } = workspace;
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await writeFile(join(root, "other.txt"), "other");
  await mkdir(join(root, "named/deep"), { recursive: true });
  await writeFile(join(root, "named/deep/file"), "inside");
  await symlink("deep", join(root, "named/link"));
  const paths = access === undefined ? [] : [{ path: `${root}/named`, access }];
  const intent = {
    tool: "t",
    kind: "other",
    input: {},
    cwd: root,
    paths,
    hosts: [],
    baseHashes: {},
    ...more,
  } as const;
  return { root, workspace, held: confinedWorkspace(workspace, intent) };
}

type Act = (workspace: Workspace, path: string) => Promise<unknown>;

const READS: readonly [string, Act, string][] = [
  ["readText", (workspace, path) => workspace.readText(path), "deep/file"],
  ["readBytes", (workspace, path) => workspace.readBytes(path, { length: 1 }), "deep/file"],
  ["readLink", (workspace, path) => workspace.readLink(path), "link"],
  ["list", (workspace, path) => workspace.list(path), "deep"],
];

const CHANGES: readonly [string, Act][] = [
  ["write", (workspace, path) => workspace.write(path, "new")],
  ["makeLink", (workspace, path) => workspace.makeLink(path, "anywhere")],
  ["remove", (workspace, path) => workspace.remove(path)],
  ["move from", (workspace, path) => workspace.move(path, `${workspace.root}/named/new`)],
  ["move to", (workspace, path) => workspace.move(`${workspace.root}/named`, path)],
  ["makeFolder", (workspace, path) => workspace.makeFolder(path)],
];

test.each(READS)(
  "lets %s reach the named path and everything below it, for any access",
  async (_, act, inside) => {
    for (const access of ["read", "search", "write", "delete", "move"] as const) {
      const { root, held: workspace } = await held(access);
      await act(workspace, `${root}/named/${inside}`);
      for (const path of [
        `${root}/other.txt`,
        root,
        `${root}/named/../other.txt`,
        `${root}/named-not`,
        "/etc/passwd",
      ])
        await expect(act(workspace, path), `${access} ${path}`).rejects.toThrow(
          "is not among the paths that this call was allowed for",
        );
    }
  },
);

test.each(CHANGES)("lets %s change only named paths", async (_, act) => {
  for (const access of ["read", "search", "write", "delete", "move"] as const) {
    const { root, held: workspace } = await held(access);
    await expect(act(workspace, `${root}/other.txt`)).rejects.toThrow("Nothing was read or written there");
    expect(await readFile(join(root, "other.txt"), "utf8")).toBe("other");
  }
});

test("changes no file that may only be read, and removes none that may only be written", async () => {
  const only = async (access: PathAccess["access"], act: Act) => {
    const { root, held: workspace } = await held(access);
    return act(workspace, `${root}/named`).then(
      () => "done",
      (error: unknown) => (String(error).includes("not among the paths") ? "refused" : "let through"),
    );
  };
  const remove: Act = (workspace, path) => workspace.remove(path);
  const write: Act = (workspace, path) => workspace.write(path, "x");
  expect(await only("read", remove)).toBe("refused");
  expect(await only("write", remove)).toBe("refused");
  expect(await only("delete", remove)).toBe("done");
  expect(await only("move", remove)).toBe("done");
  expect(await only("read", write)).toBe("refused");
  expect(await only("delete", write)).toBe("refused");
  // Allowed here; the workspace itself does not replace a folder.
  expect(await only("write", write)).toBe("let through");
});

test("allows a write to the named file, and not below it", async () => {
  const { root, held: workspace } = await held("write");
  await expect(workspace.write(`${root}/named/deep/file`, "x")).rejects.toThrow("not among the paths");
  // The folders above it are made for it.
  await workspace.makeFolder(root);
  await expect(workspace.makeFolder(`${root}/named/new`)).rejects.toThrow("not among the paths");
});

test("allows every path to a tool that named none", async () => {
  const { held: free, workspace } = await held(undefined);
  await free.write(join(workspace.root, "anything"), "x");
  expect(await free.readText(join(workspace.root, "anything"))).toBe("x");
});

test("allows a command only in the folder that was decided on", async () => {
  const { held: bound, workspace } = await held("read", { command: "pwd" });
  const options = { signal: new AbortController().signal, onOutput: () => undefined };
  expect(await bound.runCommand("pwd", options)).toEqual({ exitCode: 0 });
  await workspace.makeFolder(join(workspace.root, "elsewhere"));
  await expect(
    bound.runCommand("pwd", { ...options, cwd: join(workspace.root, "elsewhere") }),
  ).rejects.toThrow("is not the folder that this command was allowed for");
});
