import { execFileSync } from "node:child_process";
import { readdirSync, renameSync, symlinkSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { LocalWorkspace, NotAFolder } from "./local-workspace.js";
import { aWorkspace, failureOf } from "./tools.samples.js";

const outsideMessage = (path: string, real: string, root: string) =>
  `ToolFailure: "${path}" leads to ${real}, outside of the workspace ${root}. Nothing was read or written. Use a path inside the workspace.`;

test("a workspace that is opened through a link knows its real path", async () => {
  const { outside, root } = await aWorkspace();
  await symlink(root, join(outside, "link"));
  expect((await LocalWorkspace.open(join(outside, "link"))).root).toBe(root);
});

test("what is no folder is no workspace, and the message says why", async () => {
  const { root } = await aWorkspace({ "a.txt": "" });
  await expect(LocalWorkspace.open(join(root, "a.txt"))).rejects.toThrow(NotAFolder);
  await expect(LocalWorkspace.open(join(root, "a.txt"))).rejects.toThrow(
    `${root}/a.txt is not a folder (it is a file). No workspace was opened.`,
  );
  await expect(LocalWorkspace.open(join(root, "none"))).rejects.toThrow(
    `${root}/none is not a folder (ENOENT).`,
  );
});

test.each([
  ["src/app.ts", "src/app.ts"],
  ["./src//app.ts", "src/app.ts"],
  ["src/../src/app.ts", "src/app.ts"],
  ["new/deep/file.ts", "new/deep/file.ts"],
  ["new/../other.ts", "other.ts"],
  ["..hidden", "..hidden"],
  ["~", "~"],
])("%s is a path inside", async (path, real) => {
  const { root, workspace } = await aWorkspace({ "src/app.ts": "" });
  expect(await workspace.resolve(path)).toBe(join(root, real));
  expect(await workspace.resolve(`${root}/${path}`)).toBe(join(root, real));
});

test("the workspace itself is inside, however it is written", async () => {
  const { root, workspace } = await aWorkspace();
  for (const path of ["", ".", "./", "x/..", "../ws", root, `${root}/`])
    expect(await workspace.resolve(path)).toBe(root);
});

test("links that stay inside are followed to what they lead to", async () => {
  const { root, workspace } = await aWorkspace({ "lib/deep/a.ts": "", "b.ts": "" });
  await symlink("lib/deep", join(root, "link"));
  await symlink(join(root, "link", "a.ts"), join(root, "a.ts"));
  await symlink("lib/new.ts", join(root, "dangling"));
  expect(await workspace.resolve("a.ts")).toBe(`${root}/lib/deep/a.ts`);
  expect(await workspace.resolve("dangling")).toBe(`${root}/lib/new.ts`);
  // As the kernel goes: up from where the link leads.
  expect(await workspace.resolve("link/../b.ts")).toBe(`${root}/lib/b.ts`);
});

test("a path that leads outside is refused with where it leads", async () => {
  const { outside, root, workspace } = await aWorkspace();
  await mkdir(join(outside, "ws-evil"));
  for (const [path, real] of [
    ["..", outside],
    ["../ws-evil/x", `${outside}/ws-evil/x`],
    [`${outside}/ws-evil`, `${outside}/ws-evil`],
    ["new/../../x", `${outside}/x`],
    ["/etc/passwd", "/etc/passwd"],
    ["/", "/"],
  ] as const)
    expect(await failureOf(workspace.resolve(path))).toBe(outsideMessage(path, real, root));
});

test("a link that leads outside is refused, also when nothing is there yet", async () => {
  const { outside, root, workspace } = await aWorkspace({ "src/a.ts": "" });
  await mkdir(join(outside, "ws-evil"));
  await symlink("../ws-evil", join(root, "folder"));
  await symlink("../ws-evil/new", join(root, "dangling"));
  await symlink(join(root, "dangling"), join(root, "twice"));
  await symlink("src", join(root, "inner"));
  for (const [path, real] of [
    ["folder", "ws-evil"],
    ["folder/new/x", "ws-evil/new/x"],
    ["dangling", "ws-evil/new"],
    ["dangling/x", "ws-evil/new/x"],
    ["twice", "ws-evil/new"],
    ["inner/../../x", "x"],
  ] as const)
    expect(await failureOf(workspace.resolve(path))).toBe(outsideMessage(path, join(outside, real), root));
});

test("a path that cannot be walked says what is in the way", async () => {
  const { root, workspace } = await aWorkspace({ "a.txt": "" });
  await symlink("two", join(root, "one"));
  await symlink("one", join(root, "two"));
  expect(await failureOf(workspace.resolve("a.txt/b"))).toBe(
    'ToolFailure: "a.txt/b" cannot be followed: a file stands where it needs a folder. Nothing was read or written. Check the path.',
  );
  expect(await failureOf(workspace.resolve("one"))).toContain("its links lead in a circle");
  expect(await failureOf(workspace.resolve("x".repeat(5000)))).toContain("it is too long");
  expect(await failureOf(workspace.resolve("a\0b"))).toContain(
    String.raw`"a\u0000b" holds a character that no path can have`,
  );
  expect(await failureOf(workspace.resolve("a\uD800b"))).toContain("holds a character that no path can have");
});

test("text is read as it is, with its byte order mark and line ends", async () => {
  const { root, workspace } = await aWorkspace({ "a.txt": "\uFEFFé\r\n😀" });
  expect(await workspace.readText(join(root, "a.txt"))).toBe("\uFEFFé\r\n😀");
});

test("a file that is not there is undefined, not a failure", async () => {
  const { root, workspace } = await aWorkspace();
  expect(await workspace.readText(join(root, "none/a.txt"))).toBeUndefined();
});

test("what is not text is not read, and the message says why", async () => {
  const { root, workspace } = await aWorkspace({
    nul: "a\0b",
    latin: Uint8Array.of(0x63, 0xe9),
    large: "x".repeat(10 * 1024 * 1024 + 1),
    limit: "x".repeat(10 * 1024 * 1024),
    "folder/a": "",
  });
  execFileSync("mkfifo", [join(root, "pipe")]);
  const read = (name: string) => failureOf(workspace.readText(join(root, name)));
  expect(await read("nul")).toContain(
    `${root}/nul cannot be read as text: it has NUL bytes. Nothing was read.`,
  );
  expect(await read("latin")).toContain("cannot be read as text: it is not valid UTF-8.");
  expect(await read("large")).toContain("cannot be read as text: it is larger than 10 MB.");
  expect((await workspace.readText(join(root, "limit")))?.length).toBe(10 * 1024 * 1024);
  expect(await read("folder")).toContain(`${root}/folder is a folder, not a file. Nothing was read.`);
  expect(await read("pipe")).toContain("is a device, pipe or socket, not a file. Nothing was read.");
});

test("a file is written with the folders it needs, and nothing else is left behind", async () => {
  const { root, workspace } = await aWorkspace();
  await workspace.writeText(join(root, "a/b/c.txt"), "é😀\r\n");
  expect(await readFile(join(root, "a/b/c.txt"), "utf8")).toBe("é😀\r\n");
  expect(await readdir(root, { recursive: true })).toEqual(["a", "a/b", "a/b/c.txt"]);
});

test("a file that is replaced keeps its mode", async () => {
  const { root, workspace } = await aWorkspace({ "run.sh": "old" });
  for (const mode of [0o755, 0o600, 0o666]) {
    await chmod(join(root, "run.sh"), mode);
    await workspace.writeText(join(root, "run.sh"), `new ${mode}`);
    expect((await stat(join(root, "run.sh"))).mode & 0o7777).toBe(mode);
  }
});

test("whoever reads while it is written sees the old text or the new one, whole", async () => {
  const [one, other] = ["1".repeat(400_000), "2".repeat(300_000)];
  const { root, workspace } = await aWorkspace({ "a.txt": one });
  const path = join(root, "a.txt");
  const writing = new AbortController();
  const seen = (async () => {
    const texts = new Set<string>();
    while (!writing.signal.aborted) texts.add(await readFile(path, "utf8"));
    return texts;
  })();
  for (let round = 0; round < 20; round++) await workspace.writeText(path, round % 2 ? one : other);
  writing.abort();
  for (const text of await seen) expect(text === one || text === other).toBe(true);
  expect(await readdir(root)).toEqual(["a.txt"]);
});

test("a write that fails leaves the old file and no other", async () => {
  const { root, workspace } = await aWorkspace({ "folder/a": "old" });
  expect(await failureOf(workspace.writeText(join(root, "folder"), "new"))).toBe(
    `ToolFailure: ${root}/folder is a folder, not a file. Nothing was written. Give the path of a file.`,
  );
  const tooLong = join(root, "x".repeat(256));
  expect(await failureOf(workspace.writeText(tooLong, "new"))).toContain("it is too long");
  expect(await readdir(root, { recursive: true })).toEqual(["folder", "folder/a"]);
});

test("a path that was resolved before a link took its place is neither read nor written", async () => {
  const { outside, root, workspace } = await aWorkspace({ "src/a.ts": "inside", "b.ts": "inside" });
  await mkdir(join(outside, "evil"));
  await writeFile(join(outside, "evil/a.ts"), "outside");
  const [deep, flat] = [await workspace.resolve("src/a.ts"), await workspace.resolve("b.ts")];
  await rename(join(root, "src"), join(root, "moved"));
  await symlink(join(outside, "evil"), join(root, "src"));
  await rm(join(root, "b.ts"));
  await symlink(join(root, "moved/a.ts"), join(root, "b.ts"));
  for (const act of [() => workspace.readText(deep), () => workspace.writeText(deep, "new")])
    expect(await failureOf(act())).toBe(outsideMessage(deep, `${outside}/evil/a.ts`, root));
  for (const act of [() => workspace.readText(flat), () => workspace.writeText(flat, "new")])
    expect(await failureOf(act())).toContain(
      `${flat} leads to ${root}/moved/a.ts now: a link was put in its way.`,
    );
  expect(await readFile(join(outside, "evil/a.ts"), "utf8")).toBe("outside");
  expect(await readFile(join(root, "moved/a.ts"), "utf8")).toBe("inside");
  expect(await readdir(join(outside, "evil"))).toEqual(["a.ts"]);
});

test("a link that is swapped in while a file is written does not lead the write out", async () => {
  const { outside, root, workspace } = await aWorkspace({ "src/a.ts": "inside" });
  await mkdir(join(outside, "evil"));
  await writeFile(join(outside, "evil/a.ts"), "outside");
  const writing = workspace.writeText(join(root, "src/a.ts"), "x".repeat(8_000_000));
  // So large a text takes many turns of the loop to write; the swap is made in one, while it is half there.
  while (readdirSync(join(root, "src")).length === 1) await setImmediate();
  renameSync(join(root, "src"), join(root, "moved"));
  symlinkSync(join(outside, "evil"), join(root, "src"));
  expect(await failureOf(writing)).toBe(outsideMessage(`${root}/src/a.ts`, `${outside}/evil/a.ts`, root));
  expect(await readFile(join(outside, "evil/a.ts"), "utf8")).toBe("outside");
  expect(await readFile(join(root, "moved/a.ts"), "utf8")).toBe("inside");
});
