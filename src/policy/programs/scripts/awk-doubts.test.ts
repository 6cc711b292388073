import { describe, expect, test } from "vitest";
import { judgeArgv } from "../judge-argv.js";
import { awkDoubts } from "./awk-doubts.js";

describe("finds nothing to doubt when a program only computes and prints", () => {
  test.each([
    "{print $1}",
    "{ print $1, $NF }",
    "NR==1{next}{print}",
    "$3 > 100 { print $1 }",
    "{ if ($3 > 100) print $1; else print $2 }",
    '{ s += $2 } END { printf "%.2f\\n", s / NR }',
    "/error|warn/ { c[$1]++ } END { for (k in c) print k, c[k] }",
    "!seen[$0]++",
    "length > 80",
    'length($0) > 80 {print FILENAME ":" FNR}',
    'BEGIN { FS = ","; OFS = "\\t" } { $1 = $1; print }',
    '{ gsub(/[ \\t]+$/, ""); print }',
    '{ gsub(/\\//, "."); print }',
    '{ sub(/^.*\\//, ""); print }',
    "{ n = split($0, a, /[,;]/); for (i = n; i > 0; i--) print a[i] }",
    "/start/,/end/",
    "/<table>/{f=1} f{print} /<\\/table>/{f=0}",
    "{ a[NR] = $0 } END { for (i = NR; i; i--) print a[i] }",
    "{ print (a > b) ? a : b }",
    "{ print ($1 > $2 ? $1 : $2) }",
    "function max(a, b) { return a > b ? a : b } { print max($1, $2) }",
    '{ print "https://example.com/" $1 "@x|y>z" }',
    "{ x = $1 / $2 / 3; print x }",
    "{ print a[1] / 2, (b) / 2 }",
    '{ print $1 > "/dev/stderr" }',
    '{ printf "%s %s\\n", $1, $2 > "/dev/stderr"; next }',
    "$1 ~ /^[0-9]+$/ && $2 !~ /x/ { print }",
    "# a comment | with > signs\n{ print }",
    "{\n  if (x > 1)\n    print x\n  else\n    print y\n}",
    '/filesystem/ {print "the system is up"}',
    '$1 == "systemd" || /system/ {print}',
    "BEGIN { while (i < 3) { print i; i++ } exit 1 }",
    "{ print toupper(substr($1, 1, 1)) substr($1, 2) }",
    '{ $2 = ""; print $0 }',
    "END { print NR, s ^ 2, s % 3, -s }",
    "NR % 2 == 0",
    '{ gsub(/[^/]*$/, ""); print }',
    "/[[:alpha:]/]+x/",
    "$NF >= 5 && $1 <= 3",
    "{ print \\\n  $1 }",
  ])("%s", (program) => expect(awkDoubts(program)).toEqual([]));
});

describe("doubts a program when it runs, reads, writes or shows something else", () => {
  test.each([
    '$0system("id")',
    'BEGIN{print 1system("id")}',
    '{a=1;print a system("id")}',
    'BEGIN{print .5system ("id")}',
    'BEGIN{sys\\\ntem("id")}',
    'BEGIN{system\\\n("id")}',
    '{print "x" system("id")}',
    "{print /system(/}",
    "{$0getline}",
    "BEGIN{while((1getline x)>0)print}",
    'BEGIN{print 0ENVIRON["A"]}',
    "BEGIN{for(k in ENVIRON)print k}",
    'BEGIN{print SYMTAB["ENV" "IRON"]["A"]}',
    'BEGIN{PROCINFO["x"]=1}',
    'BEGIN{ARGV[1]="/etc/passwd";ARGC=2}',
    '@load "filefuncs"',
    '@include "x"',
    'BEGIN{f="sys" "tem";@f("id")}',
    '{print|"sh"}',
    '{print |& "sh"}',
    "{print > $1}",
    '{print $1, $2 >> "out"}',
    '{printf("x") > "out"}',
    '{print "x" > "/dev/stderr" ".x"}',
    '{print "x" > ("/dev/stderr")}',
    '{print a,\nb > "out"}',
    '{print a &&\nb > "out"}',
    '{print a ?\nb : c > "out"}',
    '{print "/inet/tcp/0/host/80" |& x}',
    '{x++ /a/ 2; print b | "sh" /c/ d}',
    "{if (x) /a/; print b}",
    '{length / 2 | "sh" / 3}',
    '{print "unterminated}',
    "{print 'x'}",
    "{print 1\r}",
    "# note \\\n{print}",
    'BEGIN{bindtextdomain("/x")}',
    'BEGIN{extension("x")}',
  ])("%s", (program) => expect(awkDoubts(program)).not.toEqual([]));
});

test("a command is doubted when its program calls system right behind a value", () => {
  expect(judgeArgv(["awk", '$0system("touch P")', "a.txt"]).doubts).not.toEqual([]);
  expect(judgeArgv(["awk", 'BEGIN{print 1system("touch P")}']).doubts).not.toEqual([]);
});

test("doubts a script at once when it is longer than anyone types", () => {
  expect(awkDoubts("{print}".repeat(1000))).toHaveLength(1);
});
