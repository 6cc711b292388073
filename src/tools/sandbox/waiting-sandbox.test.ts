import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { runContained } from "./run-contained.js";
import { openSandbox } from "./sandbox.js";
import type { Sandbox, SandboxPlace } from "./sandbox.js";
import { aWorkspace } from "../tools.samples.js";

const FILES = {
  "a.txt": "a\n",
  "AGENTS.md": "Be kind.\n",
  ".env": "SECRET=1\n",
  ".vscode/settings.json": "{}\n",
};

async function prepared() {
  const { root, outside } = await aWorkspace();
  execFileSync("git", ["init", "-q", root]);
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  // On the disk of the workspace: only there a sandbox waits.
  const opened = await openSandbox({ folder: join(outside, "state") });
  let found = 0;
  const sandbox: Sandbox = {
    trouble: () => opened.trouble(),
    async enter(argv, place) {
      const entered = await opened.enter(argv, place);
      if (entered.start) found += 1;
      return entered;
    },
  };
  const run = async (text: string, place: Partial<SandboxPlace> = {}): Promise<string> => {
    let output = "";
    await runContained(
      sandbox,
      ["/bin/sh", "-c", text],
      { roots: [root], cwd: root, ...place },
      { signal: new AbortController().signal, onOutput: (more) => void (output += more) },
    );
    return output;
  };
  /** Runs it until it found a sandbox waiting. A busy machine gets more and more time to start one. */
  const runWaiting = async (text: string, place: Partial<SandboxPlace> = {}): Promise<string> => {
    for (let pauseMs = 50; ; pauseMs *= 2) {
      const before = found;
      await setTimeout(pauseMs);
      const output = await run(text, place);
      if (found > before) return output;
    }
  };
  return { root, run, runWaiting, found: () => found };
}

test("a command that finds its sandbox waiting runs as one that does not", async () => {
  const { root, run, runWaiting } = await prepared();
  mkdirSync(join(root, "in ' side"));
  const text = `printf '<%s>' "$ONE" "$(pwd)" "$(cat)" "$HOME" "$PATH"; echo; echo "it's" >&2; env | sort | grep -v ^_; exit 3`;
  const place = { cwd: join(root, "in ' side"), env: { ONE: "it's\n$(one) \\ two" } };
  const first = await run(text, place);
  expect(first).toContain("it's\n$(one) \\ two");
  // The two streams may arrive in either order.
  const lines = (output: string): readonly string[] => output.split("\n").toSorted();
  expect(lines(await runWaiting(text, place))).toEqual(lines(first));
});

test("nothing of a command stays for the next", async () => {
  const { runWaiting } = await prepared();
  await runWaiting("echo x >/tmp/left; echo x >~/left; (setsid sleep 300 &) ; export LEFT=1");
  const output = await runWaiting('ls /tmp ~; echo "<$LEFT>"; ls /proc | grep -c "^[0-9]"');
  expect(output).not.toContain("left");
  expect(output).toContain("<>");
  expect(Number(output.trim().split("\n").at(-1))).toBeLessThan(8);
});

test("protected names are guarded that changed while a sandbox waited", async () => {
  const { root, runWaiting, run } = await prepared();
  await runWaiting("true");
  await setTimeout(300);
  // As an editor saves: the mount on the old file is lost.
  writeFileSync(join(root, "new"), "Be very kind.\n");
  renameSync(join(root, "new"), join(root, "AGENTS.md"));
  writeFileSync(join(root, ".npmrc"), "a=b\n");
  rmSync(join(root, ".vscode"), { recursive: true });
  mkdirSync(join(root, ".vscode"));
  const output = await run(
    "echo evil >AGENTS.md; echo evil >.npmrc; echo evil >.vscode/x; echo evil >.git/commondir; cat .env",
  );
  expect(output.match(/Read-only file system/g)).toHaveLength(3);
  expect(readFileSync(join(root, "AGENTS.md"), "utf8")).toBe("Be very kind.\n");
  expect(readFileSync(join(root, ".npmrc"), "utf8")).toBe("a=b\n");
  expect(output).not.toContain("SECRET");
});

test("a sandbox that waits leaves no file in the repository", async () => {
  const { root, runWaiting } = await prepared();
  const before = readdirSync(join(root, ".git"));
  await runWaiting("(echo evil >.git/commondir); git status --short; true");
  await expect.poll(() => readdirSync(join(root, ".git"))).toEqual(before);
  expect(existsSync(join(root, ".git/commondir"))).toBe(false);
});
