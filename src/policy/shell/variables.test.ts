/** Variables, loops and words that are not known: what they become, and what is doubted. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readShell } from "./read-shell.js";
import type { ShellLanguage } from "./shell-context.js";

const RUNS = Number(process.env["TOOLGATE_RUNS"] ?? 150);
const read = (text: string, language: ShellLanguage = "bash") =>
  readShell(text, { language, cwd: "/ws", inherited: { HOME: "/home/u" } });
const argvs = (text: string) => read(text).commands.map(({ argv }) => argv.join(" "));
const doubts = (text: string, language?: ShellLanguage) => read(text, language).doubts;

test.each([
  't=$(mktemp -d) && ls "$t/a"',
  't=$(mktemp -d) > log; rm -rf "$t/home/ann"',
  'a=$(mktemp -d) b=$(echo hi) && rm -rf "$a/home/ann"',
])("%s is doubted: mktemp may fail, and then prints nothing", (text) => {
  expect(doubts(text)).not.toEqual([]);
});

test("knows the process that kill ends when the text itself started it, and from no other number", () => {
  const judged = (text: string) => read(text).commands.at(-1)?.judged;
  expect(judged("sleep 9 & kill $!")).toEqual(["kill", "%1"]);
  expect(judged("sleep 9 & P=$!; kill -9 $P")).toEqual(["kill", "-9", "%1"]);
  expect(judged("kill $(wc -l < a)") ?? []).not.toContain("%1");
});

test.each<[string, string[]]>([
  ["S=/x; grep -n a $S/f", ["grep -n a /x/f"]],
  ['S=/x; grep -n a "$S"/f "${S}"', ["grep -n a /x/f /x"]],
  ["A=a B=$A; ls $B$A", ["ls aa"]],
  ["x=a; x+=b; ls $x", ["ls ab"]],
  ["F='a b'; ls $F", ["ls a b"]],
  ["F=' a  b '; ls x$F'y'", ["ls x a b y"]],
  ["x=; ls $x a", ["ls a"]],
  ["CMD=rm; $CMD a", ["rm a"]],
  ["X='rm -rf a'; $X b", ["rm -rf a b"]],
  ["X='rm a; ls'; eval $X", ["eval rm a; ls", "rm a", "ls"]],
  ["D=~/x; ls $D", ["ls /home/u/x"]],
  [`x=':~'; y="a:~b"; ls "$x" "$y"`, ["ls :~ a:~b"]],
  ["ls $HOME/a $PWD/b", ["ls /home/u/a /ws/b"]],
  ["cd sub && ls $PWD", ["cd sub", "ls /ws/sub"]],
  ["D=$PWD; cd sub; ls $D", ["cd sub", "ls /ws", "ls /ws"]],
  ["x=a; (x=b; ls $x); ls $x", ["ls b", "ls a"]],
  ["x=a; x=b | cat; ls $x", ["cat", "ls a"]],
  ["x=a; x=b & ls $x", ["ls a"]],
  ["x=a; true && x=b; ls $x", ["true", "ls b", "ls a"]],
  ["if a; then x=b; else x=c; fi; ls $x", ["a", "ls b", "ls c"]],
  ["x=a; ls ${x:-b} ${y:-c}", ["ls a ${y:-c}"]],
  ["x=; ls ${x:-b} ${x:+c}", ["ls b"]],
  ["f=src/a.ts; ls ${f%.ts} ${f##*/} ${f%/*} ${f#*/}", ["ls src/a a.ts src a.ts"]],
  ["x=a; bash -c 'ls $x'", ["bash -c ls $x", "ls $x"]],
  ["x='*'; ls \"$x\"", ["ls *"]],
  ["x='src/*.ts'; ls $x", ["ls src/*.ts"]],
  ["x=a; ls > $x.log", ["ls"]],
  ["for c in a b; do git show $c:R; done", ["git show a:R", "git show b:R"]],
  ["for i in {1..3}; do ls $i; done", ["ls 1", "ls 2", "ls 3"]],
  ["for i in $(seq 2); do ls $i; done", ["seq 2", "ls 1", "ls 2"]],
  ['for f in src/*.ts; do wc -l "$f"; done', ["wc -l src/*.ts"]],
  ["for d in a b; do (cd $d && ls); done", ["cd a", "ls", "cd b", "ls"]],
  ["for a in 1 2; do for b in 3 4; do ls $a$b; done; done", ["ls 13", "ls 14", "ls 23", "ls 24"]],
  ["pushd a && ls && popd && ls b", ["pushd a", "ls", "popd", "ls b"]],
  ["git commit -m \"$(cat <<'E'\na $b\n\nE\n)\"", ["cat", "git commit -m a $b"]],
])("%j runs %j", (text, commands) => {
  expect(argvs(text)).toEqual(commands);
});

test("remembers the folder of each way for cd - and popd", () => {
  const folders = (text: string) => read(text).commands.at(-1)?.after;
  expect(folders("cd a && cd - && ls")).toEqual([]);
  expect(folders("cd a && cd b && cd - && ls")).toEqual(["a"]);
  expect(folders("pushd a && pushd b && popd && ls")).toEqual(["a"]);
  expect(folders("pushd a && cd b && popd && ls")).toEqual([]);
});

/** Not doubted, in bash and where any shell may read the text. */
test.each([
  "S=/x; grep -n a $S/f",
  'S="/x y"; grep -n a "$S/f"',
  'for c in a b; do git show "$c"; done',
  'npm test; echo "exit: $?"',
  "npm test; echo $?",
  "sleep 2 & wait $!",
  "CI=true npm test",
  "FORCE_COLOR=0 NO_COLOR=1 npm test",
  "LC_ALL=C sort a",
  "env CI=1 npm test",
  "export CI=true; npm test",
  "set -e; ls",
  '[ -n "$X" ] && ls',
  "x=a; unset x; ls",
  'read -r x < a; echo "$x"',
  'while read -r x; do echo "$x"; done < a',
  "x=a; cat > b <<E\n$x\nE",
  "case $x in a) ls;; esac",
])("leaves nothing in doubt: %j", (text) => {
  expect([doubts(text), doubts(text, "sh")]).toEqual([[], []]);
});

/** Not doubted in bash, and doubted where any shell may read the text. */
test.each([
  "F='a b'; ls $F",
  "F='src/*.ts'; ls $F",
  "ls {a,b}",
  "ls *.ts",
  "grep -rn x --include=*.go $(pwd)",
  'echo "$(date)" "today: $(date +%F)"',
  'x=$(ls); echo "$x"',
  'x=$(ls); if [ -n "$x" ]; then echo "has $x"; fi',
  'n=$(ls | wc -l); [ "$n" -gt 0 ] && echo $((n+1))',
  "i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done",
  "echo ${PIPESTATUS[0]} $RANDOM $SECONDS",
  'git commit -am "release $(date +%F)"',
  'git tag v1 --message="$(git log -1)"',
  'printf "%s\\n" "$(git log -1)"',
  "[[ $x == a* ]] && ls",
  'for f in $(git ls-files); do echo "$f"; done',
  "find src -name '*.go' | xargs grep -l x",
  "find . -name '*.ts' | head -5 | xargs cat",
  "grep -rl x src | sort -u | xargs -n1 wc -l",
  "find src -name '*.ts' | xargs -I{} head -3 {}",
])("leaves nothing in doubt in bash: %j", (text) => {
  expect(doubts(text)).toEqual([]);
  expect(doubts(text, "sh")).not.toEqual([]);
});

test.each([
  "find src -name '*.ts' -exec wc -l {} +",
  "find src -name '*.ts' -exec grep -l x {} \\;",
  "find src -name '*.ts' -print0 | xargs -0 grep x",
  "git ls-files -z src 'docs/*.md' | xargs -0 wc -l",
  "timeout 60 npm test",
  "grep -rn x --include=*.go .",
])("leaves nothing in doubt in any shell: %j", (text) => {
  expect([doubts(text), doubts(text, "sh")]).toEqual([[], []]);
});

/** The index may hold names that no look at the disk finds: `a /etc/passwd`, and `--pre=x`, a flag of rg. */
test.each([
  "git ls-files | xargs cat",
  "git ls-files '*.md' | xargs cat",
  "git ls-files src | xargs cat",
  "git ls-files -z | xargs -0 rg x",
  "git ls-files -z '*.ts' | xargs -0 rg x",
  "git ls-files -z -- '?rc' | xargs -0 rg x",
  "git ls-files -z src | xargs cat",
  "git ls-files -z -s src | xargs -0 cat",
  "git ls-files -z --format='/etc/passwd' src | xargs -0 cat",
  "git ls-files -z --full-name src | xargs -0 cat",
])("doubts names of the index that may become other words: %j", (text) => {
  expect(doubts(text)).not.toEqual([]);
});

test.each([
  "grep -rel src | xargs cat",
  "grep -rhe -l src | xargs cat",
  "rg -el src | xargs cat",
  "rg -l --json x src | xargs cat",
  "rg -lc x src | xargs cat",
  "rg --files --type-add 'z:/etc/passwd' --type-list | xargs cat",
])("doubts lines that are no names of files: %j", (text) => {
  expect(doubts(text)).not.toEqual([]);
});

test.each([
  ["find . -name '*.ts' -type f", { only: ["*.ts"], isFiles: true }],
  ["find . \\( -name '*.c' -o -name '*.h' \\)", { only: ["*.c", "*.h"] }],
  ["find . -not -path '*/node_modules/*'", { leavesPackages: true }],
  ["find . -print -name '*.ts'", { only: [] }],
  ["find . -name '*.ts' -print -o -print", { only: [] }],
  ["find . ! \\( -name '*.ts' \\)", { only: [] }],
  ["find . -type f -o -type l", { isFiles: false }],
  ["find . ! -type f", { isFiles: false }],
  ["find . -print -type f", { isFiles: false }],
  ["find . -name '-type f'", { isFiles: false }],
  ["find . -not -path './node_modules/x/*'", { leavesPackages: false }],
  ["find . ! ! -path '*/node_modules/*'", { leavesPackages: false }],
  ["find . -not -path '*/node_modules/*' -o -name a", { leavesPackages: false }],
])("knows of the names that %j prints what holds for each", (text, found) => {
  expect(read(`${text} | xargs cat`).commands.at(-1)?.found).toMatchObject(found);
});

test("takes a name that a filter by lines may have cut for one that splits", () => {
  const found = (text: string) => read(text).commands.at(-1)?.found;
  expect(found("find src -type f -print0 | xargs -0 cat")).toMatchObject({ splits: false });
  expect(found("find src -type f -print0 | tail -n 1 | xargs -0 cat")).toMatchObject({ splits: true });
  expect(doubts("git ls-files -z src | tail -n 1 | xargs -0 cat")).not.toEqual([]);
});

test.each([
  [
    "names that steer a shell or a program",
    ["PATH=x; ls", "IFS=x; ls", "HOME=x; ls", "LD_PRELOAD=x; ls", "http_proxy=x; ls"],
  ],
  [
    "as prefixes",
    ["PATH=x ls", "NODE_OPTIONS=x npm test", "GIT_DIR=x git log", "PAGER=x git log", "FOO=1 ls", "x=1 ls"],
  ],
  [
    "as exports",
    ["export PATH=x; ls", "export x=1; ls", "export CI; ls", "export CI=$(a); ls", "export LANG=x.SJIS; ls"],
  ],
  [
    "values that are code or places",
    ["CI='$(shell a)' make", "TZ=/etc/passwd date", "LANG=../x ls", "LC_ALL=ja_JP.SJIS; ls"],
  ],
  [
    "other ways to set",
    [
      "local x=1; ls",
      "declare x=1; ls",
      "readonly x=1; ls",
      "x=(a b); ls",
      "x[0]=a; ls",
      "read PATH",
      "read -a x",
    ],
  ],
  [
    "inherited values",
    ["ls $x", 'cat "$x"', "echo $TOKEN", 'echo "$TOKEN"', 'x=$TOKEN; echo "$x"', "cat <<E\n$TOKEN\nE"],
  ],
  [
    "inherited values in loops",
    ['for x in $TOKEN; do echo "$x"; done', 'for x in "$TOKEN"; do echo "$x"; done'],
  ],
  [
    "a loop that sets what it uses",
    [
      "y=a; for x in 1 2; do cat $y; y=b; done",
      "for x in 1 2; do cat $y; y=b; done",
      "y=a; while b; do cat $y; y=c; done",
    ],
  ],
  [
    "a loop that hides it",
    [
      "y=a; for x in 1 2; do cat $y; eval y=b; done",
      "for PATH in a b; do ls; done",
      "for x in 1; do cd $x; ls; done",
    ],
  ],
  [
    "a loop that goes on elsewhere",
    ["for x in 1 2; do pushd a; b && continue; popd; done", "y=a; for x in 1; do y=b; done; cat $y"],
  ],
  [
    "unknown words that are no data",
    ['x=$(a); cat "$x"', 'x=$(a); grep "$x" b', "x=$(a); $x", "x=$(a); rm $x", "echo $(a)", 'git "$(a)"'],
  ],
  [
    "unknown words at the place of a flag",
    ['git commit "$(a)"', 'git commit -m x "$(a)"', 'git commit -F "$(a)"', 'mytool -m "$(a)"'],
  ],
  [
    "unknown code",
    [
      'x=$(a); eval "$x"',
      'x=$(a); bash -c "$x"',
      'x=$(a); printf "$x"',
      'x=$(a); awk "$x" b',
      'x=$(a); sed "$x" b',
    ],
  ],
  [
    "unknown operators",
    ['x=$(a); [ "$x" b ]', 'x=$(a); [ -n b -a "$x" ]', 'x=$(a); test "$x"', "x=$(a); [[ $x -eq 1 ]]"],
  ],
  [
    "unknown sums",
    [
      "x=$(a); echo $((x))",
      "x='a[$(b)]'; echo $((x))",
      "echo $((x=1))",
      "x=1; echo $((x++))",
      "echo ${x:$y}",
    ],
  ],
  ["numbers as names", ["cat $?", "rm $!", "x=$?; cat $x", "ls > $?", "chmod $? a", "cd $?"]],
  [
    "expansions that do more",
    ["ls ${x:=a}", "x=y; ls ${!x}", "x=a; ls ${x@P}", "x=a; ls ${x[0]}", "ls $'a'$1 $@", "ls $-"],
  ],
  [
    "names behind a pipe that are not known",
    [
      "echo /etc/passwd | xargs cat",
      "cat a | xargs cat",
      "find . | sed s/a/b/ | xargs cat",
      "find . -printf x | xargs cat",
    ],
  ],
  [
    "names that hold secrets",
    [
      "find . -name .env | xargs cat",
      "find . -name '.e*' | xargs cat",
      "find . -name '*.pem' -exec cat {} +",
    ],
  ],
  [
    "commands that do more with names",
    [
      "find . | xargs rm",
      "find . | xargs sh",
      "find . | xargs grep",
      "find . | xargs sed -i s/a/b/",
      "find . | xargs sort -o",
    ],
  ],
  [
    "names put into words",
    [
      "find . | xargs -I{} cat {}.env",
      "find . -exec cat {}.env \\;",
      "find . -execdir cat {} \\;",
      "find . | xargs -d x cat",
    ],
  ],
  ["a program of the folder", ['./echo "$(a)"', "find . | ./xargs cat"]],
  ["too many rounds", [`for i in {1..150}; do ls $i; done; for i in {1..150}; do ls $i; done`]],
  [
    "settings of the shell",
    ["set -x; ls", "set -a; ls", "set -f; ls", "set -- a; ls", "set a; ls", "set -o posix; ls", "set; ls"],
  ],
])("doubts %s", (_name, texts) => {
  const plain = texts.filter((text) => {
    const { commands, doubts: reasons } = read(text);
    // A program of the folder is judged for itself.
    return reasons.length === 0 && !commands.some(({ argv: [program = ""] }) => program.startsWith("./"));
  });
  expect(plain).toEqual([]);
});

test("doubts x+=a where any shell may read it: to dash it is a program", () => {
  expect(doubts("x=a; x+=b; ls $x")).toEqual([]);
  expect(doubts("x=a; x+=b; ls $x", "sh")).not.toEqual([]);
});

test("marks words that are not known, and the words to judge in their place", () => {
  expect(read('echo "exit: $?"').commands[0]).toMatchObject({
    argv: ["echo", "exit: $?"],
    unknown: ["exit: $?"],
    judged: ["echo", "exit: 1"],
  });
  expect(read("timeout 5 ls").commands[0]).toMatchObject({ passesOn: true });
  expect(read("./timeout 5 ls").commands[0]).not.toHaveProperty("passesOn");
  expect(read("find src | xargs cat").commands.at(-1)).toMatchObject({
    argv: ["cat", "src/**"],
    found: { patterns: ["src/**"], splits: true },
  });
});

const quoted = (word: string) => `'${word.replaceAll("'", String.raw`'\''`)}'`;
/** Nothing in it begins with a tilde, which a program would see as it is and the rules would not. */
const value = fc.string({ unit: "grapheme-ascii" }).filter((text) => !text.startsWith("~"));

test("a value that is assigned in quotes is the word that quotes use", () => {
  fc.assert(
    fc.property(value, value, (one, other) => {
      const text = `x=${quoted(one)}; y=${quoted(other)}; eezz "$x" "\${y}" "$x$y"`;
      expect(read(text)).toMatchObject({
        commands: [{ argv: ["eezz", one, other, one + other] }],
        doubts: [],
      });
      expect(doubts(text, "sh")).toEqual([]);
    }),
    { numRuns: RUNS },
  );
});

test("splits an unquoted value at its blanks, or doubts it", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...Array.from("ab -\t\n/.*?[]~\\'\"$={},")) }), (text) => {
      const { commands, doubts: reasons } = read(`x=${quoted(text)}; eezz $x`);
      if (reasons.length > 0) return;
      expect(commands[0]?.argv).toEqual(["eezz", ...text.split(/[ \t\n]+/).filter((word) => word !== "")]);
      expect(text).not.toMatch(/(?:^|[ \t\n])[*?~]|\\/);
    }),
    { numRuns: RUNS },
  );
});

test("runs the body of a literal loop once for each word, in order", () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 6 }), (words) => {
      const { commands, doubts: reasons } = read(
        `for x in ${words.map(quoted).join(" ")}; do eezz "$x"; done; ls`,
      );
      expect(commands.slice(0, -1).map(({ argv }) => argv)).toEqual(words.map((word) => ["eezz", word]));
      expect(reasons).toEqual([]);
    }),
    { numRuns: RUNS },
  );
});
