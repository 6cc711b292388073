import { expect, test } from "vitest";
import { aWorkspace, failureOf } from "../tools.samples.js";
import { searchWarning, seenFiles, walkFlags } from "./walk.js";

async function where() {
  const { root } = await aWorkspace({
    "a.txt": "",
    ".gitignore": "b.txt",
    "b.txt": "",
    ".c": "",
    ".git/d": "",
  });
  return { cwd: root, signal: new AbortController().signal, timeLimit: 20_000 };
}

test("lists files that are neither ignored nor hidden unless requested, and never git's own", async () => {
  const seen = async (walk: { readonly hidden: boolean; readonly ignored: boolean }) =>
    [...(await seenFiles(walk, await where())).files].join(" ");
  expect(await seen({ hidden: false, ignored: false })).toBe("./a.txt");
  expect(await seen({ hidden: true, ignored: false })).toBe("./.c ./.gitignore ./a.txt");
  expect(await seen({ hidden: false, ignored: true })).toBe("./a.txt ./b.txt");
});

test(".gitignore counts where git is not used, too", async () => {
  const { root } = await aWorkspace({ "a.txt": "", ".gitignore": "b.txt", "b.txt": "" });
  const { files } = await seenFiles({ hidden: false, ignored: false }, { ...(await where()), cwd: root });
  expect([...files]).toEqual(["./a.txt"]);
});

test("notes an unreadable file, and fails on an invalid pattern", async () => {
  const end = { by: "itself", exitCode: 2, problem: "rg: ./x: Permission denied\n(os error 13)" } as const;
  const flags = (glob: string) => [...walkFlags({ hidden: false, ignored: false, glob }), "--regexp=a"];
  expect(await searchWarning("grep", end, flags("*"), await where())).toEqual([
    "[Not everything could be searched: rg: ./x: Permission denied\\n(os error 13)]",
  ]);
  expect(await failureOf(searchWarning("grep", end, flags("{"), await where()))).toMatch(
    /Nothing was searched/,
  );
  expect(await searchWarning("grep", { ...end, exitCode: 1 }, flags("{"), await where())).toEqual([]);
});
