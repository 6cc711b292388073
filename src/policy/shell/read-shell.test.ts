import { expect, test } from "vitest";
import { readArgv, readShell as readText } from "./read-shell.js";

const readShell = (text: string) => readText(text, { language: "bash" });

const files = (text: string) => readShell(text).commands.map(({ writes, reads }) => ({ writes, reads }));
const argvs = (text: string) => readShell(text).commands.map(({ argv }) => argv.join(" "));

test("reads a plain command as its words, without a doubt", () => {
  expect(readShell("  git   status  ")).toEqual({
    commands: [
      { argv: ["git", "status"], patterns: [], writes: [], reads: [], wrappers: [], after: [], feeds: [] },
    ],
    doubts: [],
  });
});

test.each<[string, string[]]>([
  ["ls 'a && b; c | d'", ["ls", "a && b; c | d"]],
  ['git commit -m "fix: a; b && c | d > e"', ["git", "commit", "-m", "fix: a; b && c | d > e"]],
  ['git commit -m "line1\nline2"', ["git", "commit", "-m", "line1\nline2"]],
  ["tou\\\nch a", ["touch", "a"]],
  [`g""it 's'ta\\tus`, ["git", "status"]],
  ["$'\\x72m' $'a\\tb'", ["rm", "a\tb"]],
  ["ls src/*.ts ./*", ["ls", "src/*.ts", "./*"]],
  ["ls ~ ~/x '~'", ["ls", "~", "~/x", "~"]],
  ["git show HEAD@{1} stash@{0} {}", ["git", "show", "HEAD@{1}", "stash@{0}", "{}"]],
  ["./git status", ["./git", "status"]],
  ["echo 'größe ✅ 👩‍💻'", ["echo", "größe ✅ 👩‍💻"]],
  ["[ -f a ]", ["[", "-f", "a", "]"]],
  ["python3 --version", ["python3", "--version"]],
  ["bash build.sh --all", ["bash", "build.sh", "--all"]],
])("%j is plain: %j", (text, argv) => {
  expect(readShell(text)).toMatchObject({ commands: [{ argv }], doubts: [] });
});

test.each<[string, string[]]>([
  ["git status && touch a", ["git status", "touch a"]],
  ["ls x || touch a; b & c |& d\ne", ["ls x", "touch a", "b", "c", "d", "e"]],
  ["git status # ok\ntouch a", ["git status", "touch a"]],
  ["{ touch a; } && (b; c)", ["touch a", "b", "c"]],
  ["if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]],
  ["while a; do b; done; until c; do d; done", ["a", "b", "c", "d"]],
  ["case x in y) a;; *) b;; esac", ["a", "b"]],
  ["! a; time b; time -p c | d", ["a", "b", "c", "d"]],
  ["cat <<'E'\n$(x)\nE\nls", ["cat", "ls"]],
])("every part of %j counts, and it is plain", (text, expected) => {
  expect(argvs(text)).toEqual(expected);
  expect(readShell(text).doubts).toEqual([]);
});

test.each<[string, string]>([
  ["ls $(touch a)", "touch a"],
  ["ls `touch a`", "touch a"],
  ['ls "x$(touch a)"', "touch a"],
  ["ls <(touch a)", "touch a"],
  ["ls >(touch a)", "touch a"],
  ["ls ${x:-$(touch a)}", "touch a"],
  ["ls $((a[$(touch a)]))", "touch a"],
  ["ls > $(touch a)", "touch a"],
  ["a=(1 $(touch a))", "touch a"],
  ["(( x = $(touch a) ))", "touch a"],
  ["for ((i = $(touch a);;)); do b; done", "touch a"],
  ["export A=$(touch a)", "touch a"],
  ["ls $(ls `touch a`)", "touch a"],
  ["coproc touch a", "touch a"],
  ["f(){ touch a; }; f", "touch a"],
  ["trap 'touch a' EXIT", "touch a"],
  ["bash <<'E'\ntouch a\nE", "touch a"],
  ["bash <<< 'touch a'", "touch a"],
  ["printf 'touch a' | sh", "touch a"],
  ["echo 'touch a' | sudo bash", "touch a"],
])("%j is doubted, and what is in it is found all the same", (text, inner) => {
  expect(argvs(text)).toContain(inner);
  expect(readShell(text).doubts).not.toEqual([]);
});

test.each([
  ["cat <<< $(touch a)", "touch a"],
  ["cat <<E\n$(touch a)\nE", "touch a"],
  ["a=$(touch a)", "touch a"],
  ["[[ x == $(touch a) ]]", "touch a"],
  ["for i in $(touch a); do b; done", "touch a"],
  ["case $(touch a) in x) b;; esac", "touch a"],
  ["for i in 1; do touch a; done", "touch a"],
  ['echo "$(touch a)"', "touch a"],
  ["ls {a,b}", "ls a b"],
  ["ls {1..3}", "ls 1 2 3"],
  ["find . -{delete,print}", "find . -delete -print"],
  ["ls *.ts", "ls *.ts"],
  ["popd", "popd"],
])("reads %j to its end, and finds what is in it", (text, inner) => {
  expect(argvs(text)).toContain(inner);
  expect(readShell(text).doubts).toEqual([]);
});

test.each([
  [
    "an expansion",
    ["ls $x", "ls ${x}", 'ls "$x"', "$x a", "ls $((1))", "ls $[1]", "ls ${!x}", "ls ${x@P}", 'ls $"x"'],
  ],
  ["braces", ["ls {'a',b}", "ls {a,$x}", "ls $x{a,b}", "ls {1..1000000}", "ls {a..e}", "ls {01..3}"]],
  [
    "a glob that could be an option or a program",
    ["l* a", "/usr/bin/tou?h a", "find . -del*", "cp *", "awk *", "mytool *", "git push *", "cat -*"],
  ],
  ["a glob that a wrapper would run", ["env ./bin/*", "bash src/*.sh", "cd src/*", "timeout 5 src/*"]],
  ["extended globs", ["ls @(a|b)", "ls !(a)"]],
  ["a tilde that is not home", ["ls ~root", "ls ~+", "ls ~-/x", "dd of=~/x", "ls a=b:~/x"]],
  [
    "variables",
    ["A=1 ls", "A=1", "PATH=x ls", "LD_PRELOAD=./a.so ls", "IFS=x", "a[0]=1", "a+=1 ls", "ls {fd}> a"],
  ],
  [
    "builtins that change the shell",
    ["export A=1", "declare -x A", "typeset A", "readonly A", "alias a=b", "set -x"],
  ],
  [
    "more of them",
    ["shopt -s x", "source a", ". ./a", "enable -f a b", "hash -p a b", "bind x", "complete -C a b"],
  ],
  [
    "names that are evaluated",
    ["test -v 'a[$(b)]'", "[ -v 'a[$(b)]' ]", "[[ -v 'a[$(b)]' ]]", "printf -v 'a[$(b)]' x"],
  ],
  [
    "more of these",
    ["unset 'a[$(b)]'", "let 'a[$(b)]'", "read 'a[$(b)]'", "[[ 'a[$(b)]' -eq 1 ]]", "wait -p 'a[$(b)]'"],
  ],
  ["calculations", ["((a))", "((a=1))", "for ((;;)); do b; done"]],
  ["functions", ["f() { ls; }", "function git { ls; }"]],
  ["exec without a command", ["exec > log", "exec 3<>/dev/tcp/a/1", "exec"]],
  [
    "interpreters that read their input",
    ["bash", "curl x | sh", "sh -s", "python", "python - <<E\nE", "node < a", "bash -"],
  ],
  ["the network", ["ls > /dev/tcp/127.0.0.1/9", "cat < /dev/udp/a/1", "cat < //dev/tcp/a/1"]],
  [
    "characters that are not seen",
    ["ls\r", "git\vx", "a\0b", "ls \u2028 x", "\u202Egit", "ls a\u00A0b", "gi\u200Bt", "gіt status"],
  ],
  [
    "what is not well-formed",
    ["git status &&", "ls $(", "ls '", "&& ls", 'ls "', "ls <<E\nx", "if a", "ls )", "ls >"],
  ],
  ["nothing", ["", "   ", "# x", "\n"]],
  [
    "folders that are not known",
    ["cd -", "cd a; cd -", "pushd", "pushd +1", "cd a b", "while a; do cd ..; b; done"],
  ],
  ["bytes", ["ls $'\\xff'", "ls $'\\e'", "ls $'a\\\nb'", "ls $'\\q'", "ls $'\\cA'", "ls $'\\x'"]],
])("%s: doubted", (_name, texts) => {
  expect(texts.filter((text) => readShell(text).doubts.length === 0)).toEqual([]);
});

test("redirects name the files that are written and read", () => {
  expect(files("ls > a 2>> b 3>| c < d")).toEqual([{ writes: ["a", "b", "c"], reads: ["d"] }]);
  expect(files("ls &> a; ls &>> b; ls >& c; ls <> d")).toEqual([
    { writes: ["a"], reads: [] },
    { writes: ["b"], reads: [] },
    { writes: ["c"], reads: [] },
    { writes: ["d"], reads: ["d"] },
  ]);
  expect(files("ls 2>/dev/null >&2 2>&1 3>&- < /dev/null")).toEqual([{ writes: [], reads: [] }]);
  expect(files("{ ls; (pwd > b); } > a")).toEqual([
    { writes: ["a"], reads: [] },
    { writes: ["a", "b"], reads: [] },
  ]);
  expect(files("> a")).toEqual([{ writes: ["a"], reads: [] }]);
  expect(files("[[ a ]] > a")).toEqual([{ writes: ["a"], reads: [] }]);
  expect(files("sudo tee x > a")).toEqual([
    { writes: ["a"], reads: [] },
    { writes: ["a"], reads: [] },
  ]);
});

test.each<[string, string[]]>([
  ["cd a && cd b && ls", ["a b"]],
  ["cd a; ls", ["a", ""]],
  ["cd a || ls", [""]],
  ["cd a || cd b && ls", ["a", "b"]],
  ["(cd a); ls", [""]],
  ["cd a | ls", [""]],
  ["cd a & ls", [""]],
  ["! cd a || ls", ["a"]],
  ["cd && ls", ["~"]],
  ["{ cd a; } && ls", ["a"]],
  ["eval 'cd a' && ls", ["a"]],
  ["command cd a && ls", ["a"]],
  ["bash -c 'cd a' && ls", [""]],
  ["pushd a && ls", ["a"]],
  ["env -C a ls", ["a"]],
  ["cd b && env --chdir=a ls", ["b a"]],
  ["if cd a; then ls; fi", ["a"]],
  ["if cd a; then :; else ls; fi", [""]],
])("in %j, ls runs after %j", (text, expected) => {
  const { commands, doubts } = readShell(text);
  const after = commands.filter(({ argv }) => argv[0] === "ls").map((command) => command.after.join(" "));
  expect(after).toEqual(expected);
  expect(doubts).toEqual([]);
});

test("a command given as words has no shell syntax, but its wrappers are seen through", () => {
  expect(readArgv(["ls", "a && b", "$x", "*", "> f"])).toMatchObject({
    commands: [{ argv: ["ls", "a && b", "$x", "*", "> f"], writes: [] }],
    doubts: [],
  });
  expect(readArgv(["sudo", "bash", "-lc", "touch a > b"])).toMatchObject({
    commands: [{}, {}, { argv: ["touch", "a"], writes: ["b"], wrappers: ["sudo", "bash"] }],
    doubts: [],
  });
  expect(readArgv([]).doubts).not.toEqual([]);
  expect(readArgv(["a\0b"]).doubts).not.toEqual([]);
});

test.each([
  "echo a >&'$(touch a)'",
  String.raw`echo a >&a\\b`,
  "echo a <&'$(touch a)'",
  "echo a 2>&'$(touch a)'",
])("%j is doubted: bash reads the word twice", (text) => {
  expect(readShell(text).doubts).not.toEqual([]);
});

test.each(["ls 2>&1", "ls >&2", "ls 2>/dev/null", "ls >&-", "ls >&log.txt"])("%j is plain", (text) => {
  expect(readShell(text).doubts).toEqual([]);
});

test("reads a cached text again for another shell, folder or variable", () => {
  const text = "cat $A/x";
  const argvWith = (A: string) =>
    readText(text, { language: "bash", inherited: { A } }).commands.map(({ argv }) => argv);
  expect(argvWith("/one")).toEqual([["cat", "/one/x"]]);
  expect(argvWith("/two")).toEqual([["cat", "/two/x"]]);
  expect(argvWith("/one")).toEqual([["cat", "/one/x"]]);
  const first = readShell("echo 0");
  for (let number = 0; number < 50; number += 1) readShell(`echo ${number}`);
  expect(readShell("echo 0")).toEqual(first);
});
