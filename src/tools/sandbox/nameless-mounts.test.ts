import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { LocalWorkspace } from "../local-workspace.js";
import { aWorkspace } from "../tools.samples.js";
import { openSandbox } from "./sandbox.js";

const folder = await mkdtemp(join(tmpdir(), "toolgate-sandbox-"));
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

/** Reads, writes, moves and replaces through every name. */
const ATTACK = `
import os, glob
for place in [b"inv\\xff", b"sub/deep/inv\\xff"]:
    for act in [
        lambda: print(open(place + b"/.env").read()),
        lambda: open(place + b"/AGENTS.md", "w").write("evil"),
        lambda: open(place + b"/in/AGENTS.md", "w").write("evil"),
        lambda: os.rename(place, b"moved"),
        lambda: os.rename(b"sub", b"other"),
        lambda: os.rename(b"sub/deep", b"sub/other"),
        lambda: os.rmdir(place),
    ]:
        try: act()
        except OSError: pass
print(open("a.txt").read())
open("a.txt", "w").write("changed")
for place in glob.glob("/run/toolgate-names/*"): print(os.listdir(place))
`;

test("hides a folder whose name is no text", async () => {
  const { root } = await aWorkspace({ "attack.py": ATTACK, "a.txt": "plain", "sub/deep/b": "" });
  const places = [Buffer.from(`${root}/inv`), Buffer.from(`${root}/sub/deep/inv`)].map((path) =>
    Buffer.concat([path, Buffer.from([0xff])]),
  );
  const inside = (place: Buffer, name: string) => Buffer.concat([place, Buffer.from(name)]);
  for (const place of places) {
    mkdirSync(inside(place, "/in"), { recursive: true });
    writeFileSync(inside(place, "/.env"), "SECRET=1");
    writeFileSync(inside(place, "/AGENTS.md"), "kind");
  }
  const workspace = await LocalWorkspace.open(root, { sandbox: await openSandbox({ folder }) });
  // The second one may enter a sandbox that waits for it.
  for (const text of ["plain", "changed"]) {
    let output = "";
    await workspace.runCommand("python3 attack.py", {
      signal: new AbortController().signal,
      onOutput: (part) => void (output += part),
    });
    expect(output).toBe(`${text}\n[]\n[]\n`);
    for (const place of places) {
      expect(readFileSync(inside(place, "/AGENTS.md"), "utf8")).toBe("kind");
      expect(existsSync(inside(place, "/in/AGENTS.md"))).toBe(false);
    }
  }
  expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("changed");
});
