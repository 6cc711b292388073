import { execFileSync } from "node:child_process";
import { readdirSync, renameSync, symlinkSync } from "node:fs";
import {
  chmod,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { LocalWorkspace, NotAFolder } from "./local-workspace.js";
import { aWorkspace, failureOf } from "./tools.samples.js";

const linkMessage = (path: string, now: string) =>
  `ToolFailure: ${path} leads to ${now} now: a link was put in its way. Nothing was read or written. Resolve the path again.`;

test("has its real path when it is opened through a link", async () => {
  const { outside, root } = await aWorkspace();
  await symlink(root, join(outside, "link"));
  expect((await LocalWorkspace.open(join(outside, "link"))).root).toBe(root);
});

test("refuses a workspace that is no folder, and says why", async () => {
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

test("counts the workspace itself as inside, however it is written", async () => {
  const { root, workspace } = await aWorkspace();
  for (const path of ["", ".", "./", "x/..", "../ws", root, `${root}/`])
    expect(await workspace.resolve(path)).toBe(root);
});

test("follows links that stay inside to their targets", async () => {
  const { root, workspace } = await aWorkspace({ "lib/deep/a.ts": "", "b.ts": "" });
  await symlink("lib/deep", join(root, "link"));
  await symlink(join(root, "link", "a.ts"), join(root, "a.ts"));
  await symlink("lib/new.ts", join(root, "dangling"));
  expect(await workspace.resolve("a.ts")).toBe(`${root}/lib/deep/a.ts`);
  expect(await workspace.resolve("dangling")).toBe(`${root}/lib/new.ts`);
  // As the kernel goes: up from where the link leads.
  expect(await workspace.resolve("link/../b.ts")).toBe(`${root}/lib/b.ts`);
});

test("resolves a path that leads outside too, for the rules to decide on", async () => {
  const { outside, workspace } = await aWorkspace();
  await mkdir(join(outside, "ws-evil"));
  for (const [path, real] of [
    ["..", outside],
    ["../ws-evil/x", `${outside}/ws-evil/x`],
    [`${outside}/ws-evil`, `${outside}/ws-evil`],
    ["new/../../x", `${outside}/x`],
    ["/etc/passwd", "/etc/passwd"],
    ["/", "/"],
  ] as const)
    expect(await workspace.resolve(path)).toBe(real);
});

test("follows a link that leads outside to the place of a new file, also when nothing is there yet", async () => {
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
    expect(await workspace.resolve(path)).toBe(join(outside, real));
});

test("resolves a link itself to its own name in its real folder", async () => {
  const { outside, root, workspace } = await aWorkspace({ "lib/deep/a.ts": "" });
  await symlink("../..", join(root, "lib/deep/up"));
  await symlink("lib/deep", join(root, "link"));
  for (const [path, real] of [
    ["link", `${root}/link`],
    ["link/", `${root}/link`],
    ["link//", `${root}/link`],
    ["link/up", `${root}/lib/deep/up`],
    ["link/new", `${root}/lib/deep/new`],
    ["new/link", `${root}/new/link`],
    // No names to keep: these are the folders that they lead to.
    ["link/.", `${root}/lib/deep`],
    ["link/..", `${root}/lib`],
    ["link/../", `${root}/lib`],
    ["link/up/..", outside],
    ["", root],
    [".", root],
    ["/", "/"],
  ] as const)
    expect([path, await workspace.resolve(path, { keepLink: true })]).toEqual([path, real]);
  expect(await failureOf(workspace.resolve("link/a.ts/x", { keepLink: true }))).toContain(
    "a part of the path is a file",
  );
});

test("decodes no name: neither percent signs nor URIs lead elsewhere", async () => {
  const { root, workspace } = await aWorkspace();
  for (const path of ["src/%2e%2e/%2e%2e/secret", "file:///etc/passwd", "~/x", "$HOME/x"]) {
    const real = await workspace.resolve(path);
    expect(real.startsWith(`${root}/`)).toBe(true);
    expect(await workspace.readText(real)).toBeUndefined();
  }
});

test("has each further folder once, by its real path", async () => {
  const { outside, root } = await aWorkspace();
  await mkdir(join(outside, "more"));
  await symlink("more", join(outside, "link"));
  const workspace = await LocalWorkspace.open(root, { roots: [join(outside, "link"), root] });
  expect(workspace.roots).toEqual([root, join(outside, "more")]);
  await expect(LocalWorkspace.open(root, { roots: [join(outside, "none")] })).rejects.toThrow(NotAFolder);
});

test("says which part of a path is in the way", async () => {
  const { root, workspace } = await aWorkspace({ "a.txt": "" });
  await symlink("two", join(root, "one"));
  await symlink("one", join(root, "two"));
  expect(await failureOf(workspace.resolve("a.txt/b"))).toBe(
    'ToolFailure: "a.txt/b" cannot be followed: a part of the path is a file (ENOTDIR). Nothing was read or written. Check the path.',
  );
  expect(await failureOf(workspace.resolve("one"))).toContain("its links lead in a circle");
  expect(await failureOf(workspace.resolve("x".repeat(5000)))).toContain("it is too long");
  expect(await failureOf(workspace.resolve("a\0b"))).toContain(
    String.raw`"a\u0000b" holds a character that no path can have`,
  );
  expect(await failureOf(workspace.resolve("a\uD800b"))).toContain("holds a character that no path can have");
});

test("reads text as it is, with its byte order mark and line ends", async () => {
  const { root, workspace } = await aWorkspace({ "a.txt": "\uFEFFé\r\n😀" });
  expect(await workspace.readText(join(root, "a.txt"))).toBe("\uFEFFé\r\n😀");
});

test("returns undefined for a missing file", async () => {
  const { root, workspace } = await aWorkspace();
  expect(await workspace.readText(join(root, "none/a.txt"))).toBeUndefined();
});

test("refuses to read a file that is no text, and says why", async () => {
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

test("writes a file with its folders, and leaves nothing else behind", async () => {
  const { root, workspace } = await aWorkspace();
  await workspace.write(join(root, "a/b/c.txt"), "é😀\r\n");
  expect(await readFile(join(root, "a/b/c.txt"), "utf8")).toBe("é😀\r\n");
  expect(await readdir(root, { recursive: true })).toEqual(["a", "a/b", "a/b/c.txt"]);
});

test("keeps the mode of a file that it replaces", async () => {
  const { root, workspace } = await aWorkspace({ "run.sh": "old" });
  for (const mode of [0o755, 0o600, 0o666]) {
    await chmod(join(root, "run.sh"), mode);
    await workspace.write(join(root, "run.sh"), `new ${mode}`);
    expect((await stat(join(root, "run.sh"))).mode & 0o7777).toBe(mode);
  }
});

test("lets a reader see the whole old text or the whole new one during a write", async () => {
  const [one, other] = ["1".repeat(400_000), "2".repeat(300_000)];
  const { root, workspace } = await aWorkspace({ "a.txt": one });
  const path = join(root, "a.txt");
  const writing = new AbortController();
  const seen = (async () => {
    const texts = new Set<string>();
    while (!writing.signal.aborted) texts.add(await readFile(path, "utf8"));
    return texts;
  })();
  for (let round = 0; round < 20; round++) await workspace.write(path, round % 2 ? one : other);
  writing.abort();
  for (const text of await seen) expect(text === one || text === other).toBe(true);
  expect(await readdir(root)).toEqual(["a.txt"]);
});

test("leaves the old file and no other after a failed write", async () => {
  const { root, workspace } = await aWorkspace({ "folder/a": "old" });
  expect(await failureOf(workspace.write(join(root, "folder"), "new"))).toBe(
    `ToolFailure: ${root}/folder is a folder, not a file. Nothing was written. Give the path of a file.`,
  );
  const tooLong = join(root, "x".repeat(256));
  expect(await failureOf(workspace.write(tooLong, "new"))).toContain("it is too long");
  expect(await readdir(root, { recursive: true })).toEqual(["folder", "folder/a"]);
});

test("neither reads nor writes a path that was resolved before a link took its place", async () => {
  const { outside, root, workspace } = await aWorkspace({ "src/a.ts": "inside", "b.ts": "inside" });
  await mkdir(join(outside, "evil"));
  await writeFile(join(outside, "evil/a.ts"), "outside");
  const [deep, flat] = [await workspace.resolve("src/a.ts"), await workspace.resolve("b.ts")];
  await rename(join(root, "src"), join(root, "moved"));
  await symlink(join(outside, "evil"), join(root, "src"));
  await rm(join(root, "b.ts"));
  await symlink(join(root, "moved/a.ts"), join(root, "b.ts"));
  const acts = (path: string): readonly (() => Promise<unknown>)[] => [
    () => workspace.readText(path),
    () => workspace.readBytes(path, { length: 1 }),
    () => workspace.write(path, "new"),
    () => workspace.list(path),
  ];
  for (const act of [
    ...acts(deep),
    () => workspace.look(deep),
    () => workspace.readLink(deep),
    () => workspace.makeFolder(deep),
    () => workspace.makeLink(deep, "x"),
    () => workspace.remove(deep),
    () => workspace.move(deep, join(root, "stolen")),
  ])
    expect(await failureOf(act())).toBe(linkMessage(deep, `${outside}/evil/a.ts`));
  expect(await failureOf(workspace.move(join(root, "moved/a.ts"), join(root, "src/b")))).toBe(
    linkMessage(join(root, "src/b"), `${outside}/evil/b`),
  );
  for (const act of acts(flat)) expect(await failureOf(act())).toBe(linkMessage(flat, `${root}/moved/a.ts`));
  expect(await readFile(join(outside, "evil/a.ts"), "utf8")).toBe("outside");
  expect(await readFile(join(root, "moved/a.ts"), "utf8")).toBe("inside");
  expect(await readdir(join(outside, "evil"))).toEqual(["a.ts"]);
});

test("writes inside although a link is swapped in during the write", async () => {
  const { outside, root, workspace } = await aWorkspace({ "src/a.ts": "inside" });
  await mkdir(join(outside, "evil"));
  await writeFile(join(outside, "evil/a.ts"), "outside");
  const writing = workspace.write(join(root, "src/a.ts"), "x".repeat(8_000_000));
  // So large a text takes many turns of the loop to write; the swap is made in one, while it is half there.
  while (readdirSync(join(root, "src")).length === 1) await setImmediate();
  renameSync(join(root, "src"), join(root, "moved"));
  symlinkSync(join(outside, "evil"), join(root, "src"));
  expect(await failureOf(writing)).toBe(linkMessage(`${root}/src/a.ts`, `${outside}/evil/a.ts`));
  expect(await readFile(join(outside, "evil/a.ts"), "utf8")).toBe("outside");
  expect(await readFile(join(root, "moved/a.ts"), "utf8")).toBe("inside");
});

test("looks at a path without following links, and returns undefined for a missing one", async () => {
  const { root, workspace } = await aWorkspace({ "a.txt": "four" });
  await chmod(join(root, "a.txt"), 0o640);
  await symlink("a.txt", join(root, "link"));
  execFileSync("mkfifo", [join(root, "pipe")]);
  const { mtimeMs } = await stat(join(root, "a.txt"));
  expect(await workspace.look(join(root, "a.txt"))).toEqual({
    type: "file",
    size: 4,
    mode: 0o640,
    modified: mtimeMs,
  });
  expect(await workspace.look(root)).toMatchObject({ type: "folder" });
  expect(await workspace.look("/")).toMatchObject({ type: "folder" });
  expect(await workspace.look(join(root, "link"))).toMatchObject({ type: "link" });
  expect(await workspace.look(join(root, "pipe"))).toMatchObject({ type: "other" });
  for (const path of ["none", "none/x", "a.txt/x"])
    expect(await workspace.look(join(root, path))).toBeUndefined();
  expect(await workspace.readLink(join(root, "link"))).toBe("a.txt");
  expect(await failureOf(workspace.readLink(join(root, "a.txt")))).toContain("cannot be read as a link");
});

test("lists a folder by name, and says when a path is no folder", async () => {
  const { root, workspace } = await aWorkspace({ "b/x": "", "a.txt": "", é: "" });
  await symlink("b", join(root, "link"));
  expect(await workspace.list(root)).toEqual([
    { name: "a.txt", type: "file" },
    { name: "b", type: "folder" },
    { name: "link", type: "link" },
    { name: "é", type: "file" },
  ]);
  expect((await workspace.list("/")).map(({ name }) => name)).toContain("proc");
  expect(await failureOf(workspace.list(join(root, "a.txt")))).toBe(
    `ToolFailure: ${root}/a.txt cannot be listed: a part of the path is a file (ENOTDIR). Nothing was read. Check the path and its permissions.`,
  );
  expect(await failureOf(workspace.list(join(root, "none")))).toContain("nothing is there (ENOENT)");
});

test("refuses a path that was not resolved", async () => {
  const { root, workspace } = await aWorkspace({ "a.txt": "" });
  for (const path of [
    "a.txt",
    `${root}/./a.txt`,
    `${root}/x/../a.txt`,
    `${root}/a.txt/`,
    "",
    `${root}/a\0`,
  ]) {
    expect(await failureOf(workspace.readText(path))).toContain("is not a real path. Nothing was read");
    expect(await failureOf(workspace.remove(path))).toContain("is not a real path. Nothing was read");
  }
});

test("neither reads, replaces nor waits for pipes, sockets, devices and folders", async () => {
  const { root, workspace } = await aWorkspace({ "folder/a": "" });
  execFileSync("mkfifo", [join(root, "pipe")]);
  const server = createServer().listen(join(root, "socket"));
  try {
    for (const path of ["pipe", "socket", "folder", "/dev/zero", "/dev/tty"].map((name) =>
      name.startsWith("/") ? name : join(root, name),
    )) {
      const words = /is (a folder|a device, pipe or socket), not a file\. Nothing was (read|written)\./;
      expect(await failureOf(workspace.readText(path))).toMatch(words);
      expect(await failureOf(workspace.readBytes(path, { length: 10 }))).toMatch(words);
      if (path.startsWith(root)) expect(await failureOf(workspace.write(path, "x"))).toMatch(words);
    }
  } finally {
    server.close();
  }
});

test("reads only the requested part of a huge file", async () => {
  const { root, workspace } = await aWorkspace({ sparse: "head", small: "0123456789" });
  await truncate(join(root, "sparse"), 10 * 1024 ** 3);
  const before = process.memoryUsage().rss;
  expect(await failureOf(workspace.readText(join(root, "sparse")))).toContain("it is larger than 10 MB");
  const part = await workspace.readBytes(join(root, "sparse"), { from: 2, length: 4 });
  expect(part).toEqual({ bytes: Buffer.from("ad\0\0"), size: 10 * 1024 ** 3 });
  expect(
    (await workspace.readBytes(join(root, "sparse"), { from: 10 * 1024 ** 3 - 3, length: 100 }))?.bytes,
  ).toEqual(Buffer.alloc(3));
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  expect(await failureOf(workspace.readBytes(join(root, "sparse"), { length: Infinity }))).toContain(
    "at most 64 MB can be read at once",
  );
  const small = (from: number, length: number) => workspace.readBytes(join(root, "small"), { from, length });
  expect(Buffer.from((await small(3, 4))?.bytes ?? []).toString()).toBe("3456");
  expect((await small(8, Infinity))?.bytes.length).toBe(2);
  expect((await small(50, 4))?.bytes.length).toBe(0);
  expect((await small(0, -1))?.bytes.length).toBe(0);
  for (const from of [-1, Number.NaN, 0.5])
    expect(await failureOf(small(from, 4))).toContain("cannot be read");
  expect(await workspace.readBytes(join(root, "none/x"), { length: 1 })).toBeUndefined();
});

test("reads a file whole that has no size until it is read", async () => {
  const { workspace } = await aWorkspace();
  const text = await workspace.readText(`/proc/${process.pid}/status`);
  expect(text).toMatch(/^Name:[^]*nonvoluntary_ctxt_switches:\s\d+\n$/);
});

test("bytes are written as they are, with exactly the mode that is asked for", async () => {
  const { root, workspace } = await aWorkspace({ "old.sh": "old" });
  const bytes = Uint8Array.of(0, 255, 0xe9);
  for (const [name, mode] of [
    ["new.bin", 0o666],
    ["old.sh", 0o701],
    ["set", 0o4755],
  ] as const) {
    await workspace.write(join(root, name), bytes, { mode });
    expect((await stat(join(root, name))).mode & 0o7777).toBe(mode);
    expect(new Uint8Array(await readFile(join(root, name)))).toEqual(bytes);
  }
});

test("makes folders and links with the folders on their way", async () => {
  const { root, workspace } = await aWorkspace({ "a.txt": "" });
  await workspace.makeFolder(join(root, "x/y"), { mode: 0o777 });
  expect((await stat(join(root, "x/y"))).mode & 0o7777).toBe(0o777);
  await workspace.makeFolder(join(root, "x/y"));
  await workspace.makeLink(join(root, "z/link"), "../a.txt");
  expect(await readlink(join(root, "z/link"))).toBe("../a.txt");
  expect(await failureOf(workspace.makeFolder(join(root, "a.txt")))).toContain(
    "cannot be made: a part of the path is a file",
  );
  expect(await failureOf(workspace.makeLink(join(root, "z/link"), "x"))).toContain(
    "cannot be made: something is there already (EEXIST). The folder was not made.",
  );
});

test("removes a folder with its contents, and nothing behind its links", async () => {
  const { outside, root, workspace } = await aWorkspace({ "tree/deep/er/a": "", "tree/b": "", kept: "" });
  await mkdir(join(outside, "dir/sub"), { recursive: true });
  await writeFile(join(outside, "dir/keep"), "x");
  for (const name of ["tree/link", "tree/deep/link", "dirlink"])
    await symlink(join(outside, "dir"), join(root, name));
  await link(join(outside, "dir/keep"), join(root, "tree/hard"));
  // A name that is no valid text.
  await writeFile(Buffer.concat([Buffer.from(`${root}/tree/`), Buffer.of(0xe9, 0xff)]), "");
  execFileSync("mkfifo", [join(root, "tree/pipe")]);
  await workspace.remove(join(root, "tree"));
  await workspace.remove(join(root, "dirlink"));
  expect(await readdir(root)).toEqual(["kept"]);
  expect(await readdir(join(outside, "dir"))).toEqual(["keep", "sub"]);
  expect(await readFile(join(outside, "dir/keep"), "utf8")).toBe("x");
  expect(await failureOf(workspace.remove(join(root, "tree")))).toContain(
    `${root}/tree cannot be removed: nothing is there (ENOENT).`,
  );
});

test("removes a tree that is deeper than any path can be long", async () => {
  const { root, workspace } = await aWorkspace({ "tree/a": "" });
  const name = "d".repeat(200);
  // Made from the inside, since no path reaches so deep.
  const dig = `for (let depth = 0; depth < 40; depth++) { fs.mkdirSync("${name}"); process.chdir("${name}"); fs.writeFileSync("f", ""); }`;
  execFileSync(process.execPath, ["-e", dig], { cwd: join(root, "tree") });
  await workspace.remove(join(root, "tree"));
  expect(await readdir(root)).toEqual([]);
});

test("refuses to remove or move the workspace and the folders above it", async () => {
  const { outside, root } = await aWorkspace({ "a/b/c": "" });
  const workspace = await LocalWorkspace.open(root, { roots: [join(root, "a/b")] });
  for (const path of [root, outside, "/", join(root, "a/b"), join(root, "a")]) {
    expect(await failureOf(workspace.remove(path))).toMatch(/the workspace.*cannot be removed by a tool/);
    expect(await failureOf(workspace.move(path, join(outside, "x")))).toMatch(/Nothing was moved\./);
  }
  expect(await readdir(root, { recursive: true })).toEqual(["a", "a/b", "a/b/c"]);
  await workspace.remove(join(root, "a/b/c"));
});

test("moves files with the folders that the new place needs", async () => {
  const { outside, root, workspace } = await aWorkspace({ "a.txt": "a", "tree/b": "b" });
  await symlink(join(outside, "none"), join(root, "link"));
  await workspace.move(join(root, "a.txt"), join(root, "x/y/a.txt"));
  await workspace.move(join(root, "tree"), join(root, "x/tree"));
  await workspace.move(join(root, "link"), join(root, "x/link"));
  expect((await readdir(root, { recursive: true })).toSorted()).toEqual([
    "x",
    "x/link",
    "x/tree",
    "x/tree/b",
    "x/y",
    "x/y/a.txt",
  ]);
  expect(await readFile(join(root, "x/y/a.txt"), "utf8")).toBe("a");
  expect((await lstat(join(root, "x/link"))).isSymbolicLink()).toBe(true);
});

test("leaves source and target in place when a move fails", async () => {
  const { root, workspace } = await aWorkspace({ "a.txt": "a", "b.txt": "b", "tree/c": "c" });
  await symlink("none", join(root, "dangling"));
  await mkdir(join(root, "empty"));
  const move = (from: string, to: string) => failureOf(workspace.move(join(root, from), join(root, to)));
  for (const [from, to] of [
    ["a.txt", "b.txt"],
    ["a.txt", "a.txt"],
    ["a.txt", "dangling"],
    ["a.txt", "tree"],
    ["tree", "empty"],
    ["tree", "a.txt"],
  ] as const)
    expect(await move(from, to)).toBe(
      `ToolFailure: ${root}/${from} cannot be moved: something is at ${root}/${to} already. Nothing was moved. Choose another name, or remove what is there first.`,
    );
  expect(await move("none", "new/x")).toContain(
    "cannot be moved: nothing is there (ENOENT). Nothing was moved.",
  );
  expect(await move("tree", "tree/sub")).toContain("cannot be moved into itself. Nothing was moved.");
  expect(await move("a.txt", "b.txt/x")).toContain("a part of the path is a file");
  expect((await readdir(root, { recursive: true })).toSorted()).toEqual(
    ["a.txt", "b.txt", "dangling", "empty", "tree", "tree/c"].toSorted(),
  );
});

test("refuses a move to another disk", async () => {
  const { root, workspace } = await aWorkspace({ "a.txt": "a", "tree/b": "b" });
  const memory = await mkdtemp("/dev/shm/toolgate-");
  onTestFinished(() => rm(memory, { recursive: true }));
  for (const name of ["a.txt", "tree"])
    expect(await failureOf(workspace.move(join(root, name), join(memory, name)))).toBe(
      `ToolFailure: ${root}/${name} and ${memory}/${name} are on different disks. Nothing was moved. Copy it and remove the old one.`,
    );
  expect((await readdir(root)).toSorted()).toEqual(["a.txt", "tree"]);
  expect(await readdir(memory)).toEqual([]);
});
