import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { abusive, ordinary, words } from "./commands.samples.js";
import { judgeArgv } from "./judge-argv.js";
import { findProgram, programNames } from "./known-programs.js";
import { namedActs } from "./named-acts.js";

const RUNS = Number(process.env["TOOLGATE_RUNS"] ?? 60);
const names = programNames();
const isKnownProgram = (name: string): boolean => findProgram(name) !== undefined;

describe("has no doubt about an ordinary command", () => {
  test.each(ordinary)("%s", (line) => expect(judgeArgv(words(line)).doubts).toEqual([]));
});

describe("doubts a command that can do more than the rule's author expects", () => {
  test.each(abusive)("%s", (line) => {
    const judgement = judgeArgv(words(line));
    expect([...judgement.doubts, ...namedActs(judgement)]).not.toEqual([]);
  });
});

test("the paths that a command reads, writes and deletes are named as they were written", () => {
  const paths = (line: string) => {
    const { reads, writes, deletes, moves, urls } = judgeArgv(words(line));
    return { reads, writes, deletes: [...deletes, ...moves], urls };
  };
  const none = { reads: [], writes: [], deletes: [], urls: [] };
  expect(paths("cat a ~/.ssh/id_rsa -")).toEqual({ ...none, reads: ["a", "~/.ssh/id_rsa"] });
  expect(paths("grep -f patterns x")).toEqual({ ...none, reads: ["patterns", "x"] });
  expect(paths("grep -n x a b")).toEqual({ ...none, reads: ["a", "b"] });
  expect(paths("cp -r a b c")).toEqual({ ...none, reads: ["a", "b"], writes: ["c"] });
  expect(paths("cp -t dir a b")).toEqual({ ...none, reads: ["a", "b"], writes: ["dir"] });
  expect(paths("cp --target-directory=/etc a")).toEqual({ ...none, reads: ["a"], writes: ["/etc"] });
  expect(paths("mv a b")).toEqual({ reads: ["a"], writes: ["b"], deletes: ["a"], urls: [] });
  expect(paths("rm -rf a -- -b")).toEqual({ ...none, deletes: ["a", "-b"] });
  expect(paths("tee -a /etc/hosts")).toEqual({ ...none, writes: ["/etc/hosts"] });
  expect(paths("dd if=a of=b bs=1")).toEqual({ ...none, reads: ["a"], writes: ["b"] });
  expect(paths("curl -so ~/.bashrc https://x.example")).toEqual({
    ...none,
    writes: ["~/.bashrc"],
    urls: ["https://x.example"],
  });
  expect(paths("tar -xf a.tar -C /out")).toEqual({ ...none, reads: ["a.tar"], writes: ["/out"] });
  expect(paths("tar czf out.tgz src")).toEqual({ ...none, reads: ["src"], writes: ["out.tgz"] });
  expect(paths("sort a > b".replace(" > b", ""))).toEqual({ ...none, reads: ["a"] });
  expect(paths("sed -n p f")).toEqual({ ...none, reads: ["f"] });
  expect(paths("sed '/x/r /etc/passwd' f")).toEqual({ ...none, reads: ["/etc/passwd", "f"] });
  expect(paths("git diff /etc/passwd /dev/null")).toEqual({ ...none, reads: [".", "/etc/passwd"] });
  expect(paths("git clone https://x.example/a.git b")).toEqual({
    ...none,
    writes: ["b"],
    urls: ["https://x.example/a.git"],
  });
  expect(paths("scp a host:b")).toEqual({ ...none, reads: ["a"], urls: ["host:b"] });
  expect(paths("find /etc -name x")).toEqual({ ...none, reads: ["/etc"] });
});

test("calls a command read-only when it reads and does nothing else", () => {
  const onlyReads = (line: string) => judgeArgv(words(line)).onlyReads;
  for (const line of [
    "ls -la",
    "cat a",
    "git log -p",
    "git status",
    "find . -name x",
    "ps aux",
    "git branch -a",
    "grep x a",
    "sed -n p f",
  ]) {
    expect(onlyReads(line), line).toBe(true);
  }
  for (const line of [
    "touch a",
    "git commit -m x",
    "git branch -D x",
    "curl https://x",
    "npm test",
    "cp a b",
    "rm a",
    "node a.js",
    "sed -i p f",
    "make",
    "git fetch",
  ]) {
    expect(onlyReads(line), line).toBe(false);
  }
});

test("recognises a program by its name, or by its path among the system's programs", () => {
  expect(["git", "/usr/bin/git", "/bin/ls", "/usr/local/bin/node"].every(isKnownProgram)).toBe(true);
  expect(
    ["./git", "/tmp/git", "/usr/bin/../../tmp/git", "GIT", "", "constructor", "__proto__"].some(
      isKnownProgram,
    ),
  ).toBe(false);
});

test("reports one doubt about an unknown program", () => {
  expect(judgeArgv(["frobnicate"]).doubts).toHaveLength(1);
  expect(judgeArgv(["frobnicate", "--x", "y"]).doubts).toHaveLength(1);
  expect(judgeArgv([]).doubts).toHaveLength(1);
});

test("names the command and the flag in a doubt", () => {
  expect(judgeArgv(words("git log --output=x")).doubts).toEqual([
    'git log: "--output" writes a file, which is not expected of a command that shows something',
  ]);
  expect(judgeArgv(words("ls --frobnicate")).doubts).toEqual([
    'ls: "--frobnicate" is not a flag known to be harmless',
  ]);
});

describe("words after -- are not flags", () => {
  test.each([
    "ls -- --frobnicate",
    "cat -- -n",
    "grep x -- --pre",
    "rm -- -rf",
    "git log -- --output=x",
    "touch -- -x",
  ])("%s", (line) => {
    expect(judgeArgv(words(line)).doubts).toEqual([]);
  });
});

test("doubts a value that looks like a flag", () => {
  expect(judgeArgv(words("head -n --frobnicate f")).doubts).not.toEqual([]);
});

test("throws on no list of words", () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom(
      "-",
      "--",
      "-x",
      "--x",
      "--x=y",
      "-la",
      "+1",
      "",
      "=",
      "a/b",
      "~",
      "{}",
      ";",
      "(",
      "!",
      "$x",
      "-exec",
      "-m",
      "-c",
      "run",
      "\\",
      "s/a/b/",
    ),
  );
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.array(word, { maxLength: 8 }), (name, args) => {
      const { doubts, onlyReads } = judgeArgv([name, ...args]);
      expect(doubts.length > 0 && onlyReads).toBe(false);
    }),
    { numRuns: RUNS },
  );
});

/** Where the words are another program's, or any text at all, no flag of ours can follow. */
const TAKES_ANY_WORDS =
  /^(?:echo|printf|test|xargs|node|python3?|perl|ruby|bash|java|ssh|docker run|go run|npm run|npx|watch|command|find .* -exec|fd -x|cargo test --|npm run .* --)\b/;

test("doubts an undescribed long flag at any position", () => {
  const lines = ordinary.filter((line) => !TAKES_ANY_WORDS.test(line));
  expect(lines.length).toBeGreaterThan(100);
  fc.assert(
    fc.property(fc.constantFrom(...lines), fc.stringMatching(/^[a-z]{3,8}$/), (line, name) => {
      const [program = "", ...args] = words(line);
      const sub =
        /^(?:git|gh|npm|yarn|pnpm|pip|go|cargo|docker|kubectl|terraform|helm|openssl|apt|ruff|dotnet|systemctl)$/.test(
          program,
        )
          ? 1
          : 0;
      const flag = `--zz-${name}`;
      expect(
        judgeArgv([program, ...args.slice(0, sub), flag, ...args.slice(sub)]).doubts,
        `${line} with ${flag}`,
      ).not.toEqual([]);
      expect(judgeArgv([program, flag, ...args]).doubts, `${flag} first in ${line}`).not.toEqual([]);
    }),
    { numRuns: RUNS },
  );
});

test("reads every description", () => {
  for (const name of names) expect(() => judgeArgv([name, "x", "--y"]), name).not.toThrow();
  expect(names.length).toBeGreaterThan(90);
});

test("doubts words that a package manager passes on to a script when they are not plain", () => {
  const doubts = (text: string) => judgeArgv(text.split(" ")).doubts;
  for (const text of [
    "npm test -- --config=/home/dev/evil.js",
    "pnpm run lint -- -c /home/x.js",
    "npm test -- --exec a",
  ])
    expect(doubts(text), text).not.toEqual([]);
  expect(judgeArgv("npm test -- ../other/a.test.ts".split(" ")).reads).toContain("../other/a.test.ts");
  for (const text of [
    "npm test -- --watch=false",
    "npm test -- src/a.test.ts -t name",
    "npm run build -- --verbose",
  ])
    expect(doubts(text), text).toEqual([]);
});
