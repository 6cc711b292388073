import { expect, test } from "vitest";
import { readShell as readText } from "./read-shell.js";

const readShell = (text: string) => readText(text, { language: "bash" });

test.each([
  "env touch a",
  "env -i touch a",
  "env -u X touch a",
  "env -- touch a",
  "env -C sub touch a",
  "/usr/bin/env touch a",
  "sudo touch a",
  "sudo -u root -n touch a",
  "doas -u root touch a",
  "nice touch a",
  "nice -n 5 touch a",
  "nice -5 touch a",
  "ionice -c 3 touch a",
  "nohup touch a",
  "timeout 5 touch a",
  "timeout -k 1 -s KILL 5 touch a",
  "timeout --signal=KILL 5 touch a",
  "time touch a",
  "time -p touch a",
  "\\time -v touch a",
  "stdbuf -o0 touch a",
  "stdbuf -oL -eL touch a",
  "setsid -w touch a",
  "command touch a",
  "command -p touch a",
  "builtin touch a",
  "exec touch a",
  "eval touch a",
  "eval 'touch a'",
  "eval 'touch' 'a'",
  "bash -c 'touch a'",
  "sh -c 'touch a'",
  "bash -lc 'touch a'",
  "bash -ec 'touch a'",
  "bash -c -l 'touch a'",
  "dash -c 'touch a'",
  "busybox touch a",
  "busybox sh -c 'touch a'",
  "find . -exec touch a \\;",
  "find . -execdir touch a \\; -print",
  "npx touch a",
  "npx -y touch a",
  "npm exec -- touch a",
  "npx -c 'touch a'",
  "uv run touch a",
  "watch touch a",
  "watch -n 5 'touch a'",
  "git bisect run touch a",
  "git submodule foreach 'touch a'",
  "git rebase -x 'touch a' main",
  "sudo env nice -n 5 timeout 3 bash -c \"sh -c 'touch a'\"",
])("%j is plain and runs touch", (text) => {
  const { commands, doubts } = readShell(text);
  expect(commands.map(({ argv }) => argv.join(" "))).toContain("touch a");
  expect(doubts).toEqual([]);
});

test.each([
  "env A=1 touch a",
  "env -S 'touch a'",
  "env -S 'touch' a",
  "env -vS'touch a'",
  "env --split-string='touch a'",
  "env --unse X touch a",
  "sudo A=1 touch a",
  "sudo -s touch a",
  "sudo --strange touch a",
  "sudo --strange x touch a",
  "echo b | xargs touch a",
  "xargs -I{} touch a",
  "parallel touch a",
  "find . -exec touch a {} +",
  "find . -ok touch a {} \\;",
  "fd x -x touch a",
  "bash -ic 'touch a'",
  "bash -c 'touch a' x",
  "bash --rcfile x -c 'touch a'",
  "bash -o posix -c 'touch a'",
  "zsh -c 'touch a'",
  "sh -c 'touch a' $x",
  "su -c 'touch a'",
  "su - root -c 'touch a'",
  "script -qc 'touch a' /dev/null",
  "flock f touch a",
  "flock f -c 'touch a'",
  "strace -f touch a",
  "strace -o x touch a",
  "unshare -r touch a",
  "ssh host touch a",
  "chroot / touch a",
  "git -c alias.x='!touch a' x",
  "timeout --sig KILL 5 touch a",
  "\\time -Z touch a",
  "tmux new 'touch a'",
  "exec -a ls touch a",
  "command -x touch a",
  "npx --strange touch a",
  "ld-linux-x86-64.so.2 touch a",
  "hyperfine 'touch a'",
  // No shell reads the text: `;` and its like are arguments.
  "hyperfine -N 'touch a'",
  // A settings file of the folder can name a file to write.
  "valgrind touch a",
])("%j is doubted, and touch is found", (text) => {
  const { commands, doubts } = readShell(text);
  expect(commands.map(({ argv }) => argv.join(" ").replace(/ \{\} ?.*$/, ""))).toContain("touch a");
  expect(doubts).not.toEqual([]);
});

test("wrappers are named from the outside in, and their own words are listed too", () => {
  const { commands } = readShell("sudo -n env -u X nice git -C sub push");
  expect(
    commands.map(({ argv, wrappers, after }) => [argv.join(" "), wrappers.join(" "), after.join(" ")]),
  ).toEqual([
    ["sudo -n env -u X nice git -C sub push", "", ""],
    ["env -u X nice git -C sub push", "sudo", ""],
    ["nice git -C sub push", "sudo env", ""],
    ["git -C sub push", "sudo env nice", ""],
    ["git push", "sudo env nice git", "sub"],
  ]);
});

test.each([
  "git -c a.b=c status",
  "git --config-env=a.b=C status",
  "git --exec-path=/x status",
  "git --git-dir=/x status",
  "git --work-tree /x status",
  "git --strange status",
  "git -C a -C b status",
])("%j is doubted, because git's settings can name programs", (text) => {
  const { commands, doubts } = readShell(text);
  expect(commands.map(({ argv }) => argv.join(" "))).toContain("git status");
  expect(doubts).not.toEqual([]);
});

test.each([
  "command -v git",
  "git --version",
  "git -P log",
  "env",
  "nohup",
  "npm test",
  "npm run x",
  "find . -name x",
  "sudo -l",
])("%j is plain", (text) => {
  expect(readShell(text).doubts).toEqual([]);
});

test("assigns a glob to the wrapped command, and doubts one that the wrapper keeps", () => {
  for (const text of ["timeout 5 ls src/*", "npx eslint src/*.ts", "sudo nice rm build/*"]) {
    expect(readShell(text).doubts, text).toEqual([]);
  }
  for (const text of [
    "timeout src/* ls",
    "env src/*",
    "sudo env ./bin/*",
    "bash -c 'ls' src/*",
    "env -C src/* ls",
  ]) {
    expect(readShell(text).doubts, text).not.toEqual([]);
  }
});

test("options before a runner's word do not hide what it runs", () => {
  for (const text of [
    "npm --prefix x exec touch a",
    "pnpm -C x exec touch a",
    "npm --strange exec touch a",
  ]) {
    const found = readShell(text).commands.map(({ argv }) => argv.join(" "));
    expect(found, text).toContain("touch a");
  }
});

test("command -v only shows where a program is", () => {
  expect(readShell("command -v git").commands).toHaveLength(1);
});

test("doubts a text that sh and bash read differently", () => {
  expect(readShell(String.raw`bash -c "ls \$'a'"`).doubts).toEqual([]);
  expect(readShell(String.raw`sh -c "ls \$'a\\'; touch a; echo \\''"`).doubts).not.toEqual([]);
  expect(readShell("sh -c 'ls &> a'").doubts).not.toEqual([]);
});
