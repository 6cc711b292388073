import { expect, test } from "vitest";
import { readShell } from "./read-shell.js";
import { unportable } from "./unportable.js";

const doubtsOf = (text: string) => readShell(text, { language: "sh" }).doubts;

test.each([
  "ls -la src",
  "ls 2>&1",
  "ls >&2",
  "ls 2>/dev/null | head -5",
  "npm test > out.txt 2>&1",
  "cd src && git status",
  "cd src & pwd",
  "(cd src && ls) & pwd",
  "test -f a && ls & pwd",
  "grep -rn 'a b' src",
  'grep "end$" src/file.txt',
  "grep 'a$' src/file.txt; ls",
  "(cd src; ls) | sort",
  "{ ls; pwd; } > out",
  "if test -f a; then ls; else pwd; fi",
  "case a in a|b) ls ;; *) pwd ;; esac",
  "while false; do ls; done",
  "cat <<'END'\n$x `y` &> [[\nEND\nls",
  'cat <<"END"\n$x\nEND',
  "cat <<-END\n\ta\n\tEND\nls",
  "ls # a comment &> [[",
  "ls src/*.ts",
  "ls src/[a-z]*",
  "ls a\\ b \\$x",
  "git log --format='%h %s' -- src",
  "find . -name '*.ts' -not -path './a/*'",
  "echo 'a && b' && ls || pwd",
  "sed -n '1,20p' a.txt",
  "ls ~/a ~",
  "test a = b && ! ls",
  "git commit -m 'Fix the time of [[x]]'",
  "echo time function select",
  "echo a=b c==d e^f g#h i!j",
  "a \\\n  --b \\\n  --c",
  'bash -c "[[ a == b ]] && ls"',
])("%j is read alike by every shell", (text) => {
  expect(doubtsOf(text)).toEqual([]);
});

test.each([
  "echo $'\\' ; touch a #'",
  "echo a &>/dev/null touch b",
  "echo a &>> b",
  "ls |& cat",
  "[[ a || touch b ]]; ls",
  "[[ a > b ]]",
  "cat <<$'A'\n$A\ntouch a\nA",
  "cat <<A'B'\nAB\ntouch a\nAB",
  "cat <<A\na\\\nA\ntouch a\nA",
  "cat <<'A B'\nA B",
  "cat <<A 'x\ny'\nA\n",
  "cat <<< a",
  "echo $[1]",
  'echo "$[1]"',
  'echo $"a"',
  "time ls",
  "time -p ls",
  "repeat 2 ls",
  "ls | time ! pwd",
  "ls | cd src && pwd",
  "ls | { cd src; pwd; }; pwd",
  "cd src && ls & pwd",
  "cd src || ls & pwd",
  "noglob ls",
  "- ls",
  "echo a >& b",
  "echo a >&b",
  "echo a 10> b",
  "echo a 2>&10",
  "echo a >! b",
  "echo a >#b",
  "echo a > =b",
  "ls **/a",
  "ls src/[^a]*",
  "ls =ls",
  "ls &! pwd",
  "ls &| pwd",
  "case a in a) ls ;& b) pwd ;; esac",
  'echo "$+x"',
  "echo $=x",
  "echo $^x",
  "ls;|pwd",
  "ls src/*(.)",
  "ls @(a|b)",
  "!(ls)",
  "((ls) ; pwd)",
  "sh -c 'echo a &> b'",
  "sh -c '[[ a ]]'",
  "eval '[[ a || touch b ]]'",
  "npx -c 'time ls'",
])("%j is a doubt where any shell may read it", (text) => {
  expect(doubtsOf(text)).not.toEqual([]);
});

test.each([
  "echo $'a b'",
  "ls &> out",
  "ls |& cat",
  "[[ a == b ]] && ls",
  "cat <<< a",
  "time ls",
  "eval '[[ a ]]'",
])("%j is plain where bash reads it", (text) => {
  expect(readShell(text, { language: "bash" }).doubts).toEqual([]);
});

test("looks at 100,000 letters of any kind in bounded time", () => {
  for (const piece of ["'a' ", '"a" ', "\\a", ">a ", "<<E\n", "a|", "a\n", "(", "2>&1 ", "é", "a"]) {
    const started = process.cpuUsage();
    unportable(piece.repeat(100_000 / piece.length));
    expect(process.cpuUsage(started).user / 1000, piece).toBeLessThan(1_000);
  }
});
