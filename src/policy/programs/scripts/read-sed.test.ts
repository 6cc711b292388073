import { describe, expect, test } from "vitest";
import { judgeArgv } from "../judge-argv.js";
import { readSed } from "./read-sed.js";

describe("finds nothing to doubt when a script only prints", () => {
  test.each([
    "s/a/b/",
    "s/a/b/gI;s/c/d/2p",
    "s|/usr|/opt|g",
    "s#a#b#;s,c,d,;s:e:f:;s@g@h@;s!i!j!;s+k+l+;s_m_n_",
    "s/\\(a\\|b\\)/[\\1]/g",
    "s/[^,]*,//",
    "s/[[:space:]]*$//",
    "s/[]]//;s/[^]]//",
    "s/[0-9]\\{3\\}/&&/",
    "s/a/b\\\nc/",
    "s/\\r$//",
    "s/\\//-/g",
    "/^#/d;/^$/d",
    "/x/!d",
    "\\|^/usr|p",
    "1,3p;$p;5,$d",
    "0~3d;2,+4p;2,~4p",
    "/a/,/b/{s/x/y/;p}",
    "/a/I,/b/Ip",
    "$!N;P;D",
    "$!{h;d};x;G",
    ":a;N;$!ba;s/\\n/ /g",
    ":a\nN\n$!ba\ns/\\n/ /g",
    ":top;s/^\\(x*\\)y/\\1x/;t top",
    "/x/{n;bend};d;:end",
    "1i\\hello",
    "1i hello; world",
    "$a\\\nlast line",
    "/x/c\\\none\\\ntwo",
    "y/abc/xyz/",
    "=;l 20;5q;q1",
    "# a comment\np",
    "#n\np",
    "p # note",
    "{p}",
    "{p;};{d\n}",
    "v",
    "v 4.2",
    "/[0-9]/{/x/d}",
    "s/é/e/g",
    "s/[^/]*$//",
    "s|[^|]*||;s;a;b;;s.a.b.",
    "/[^/]$/d",
    "/x/a\\    text",
  ])("%s", (script) => expect(readSed(script)).toEqual({ reads: [], writes: [], doubts: [] }));
});

describe("doubts a script when it runs or writes something, or another sed could read it so", () => {
  test.each([
    "e",
    "e id",
    "1e id",
    ":a e id",
    ":a\te id",
    ": a e id",
    "ba e id",
    "b e id",
    "t e id",
    ":a w out",
    "v w out",
    "v 4.2 w out",
    "v e id",
    "v 4.2;e id",
    "q e id",
    "l 5 w out",
    "s/a/b/e",
    "s/a/b/ge",
    "s/a/b/ e",
    "s/a/b/w out",
    "s/a/b/gpw out",
    "w out",
    "W out",
    "w",
    "{w out\n}",
    "}e id",
    "{}w out",
    "p w out",
    "p;w out",
    "#n\nw out",
    "# note\\\ne id",
    "s/[/]/x/w out/",
    "s/[\\]/]/e id/",
    "s/[[:x]/]/e id/",
    "/[/]/e id/p",
    "y/[/x/;w out",
    "y/a/b/e",
    "snanbn",
    "s a b ",
    "s\na\nb\n",
    "s\\a\\b\\",
    "\\nanp",
    "\\ e id p",
    "a\\ \nw out",
    "a text\\\\\nw out",
    "a\\",
    "a text\\",
    "a",
    "i\\",
    ":a;s/x/y\\\nw out/",
    ":a;a\\\nw out",
    "ba;s/x/y\\\nw out/",
    "r a;w out",
    "r a}",
    "r a ",
    "r a\\",
    "r",
    "1!!p",
    "1,p",
    "s/a/b",
    "s/a\nb/c/",
    "y/a\\\nb/cd/",
    "M",
    "L",
    "p\r",
    "p\vw out",
    ":a}",
    "K",
  ])("%s", (script) => expect(readSed(script).doubts).not.toEqual([]));
});

test("names the files that a script reads and writes when it names any", () => {
  expect(readSed("/x/r link.txt")).toEqual({ reads: ["link.txt"], writes: [], doubts: [] });
  expect(readSed("r a b.txt\nR /etc/passwd\np").reads).toEqual(["a b.txt", "/etc/passwd"]);
  expect(readSed("w out\ns/a/b/w other").writes).toEqual(["out", "other"]);
});

test("a command is doubted when a label is followed by a command after a blank", () => {
  for (const script of [":a e touch P", ":a w FILE", "v 4.2 w src/F"])
    expect(judgeArgv(["sed", script, "a.txt"]).doubts, script).not.toEqual([]);
});

test("several scripts are doubted when the text of one goes on in the next", () => {
  expect(judgeArgv(["sed", "-e", "a\\", "-e", "text", "f"]).doubts).toEqual([]);
  expect(judgeArgv(["sed", "-e", "a\\", "-e", "text", "-e", "w out", "f"]).doubts).not.toEqual([]);
  expect(judgeArgv(["sed", "-e", "p", "-e", "a\\", "f"]).doubts).not.toEqual([]);
});

test("doubts a script at once when it is longer than anyone types", () => {
  expect(readSed("p;".repeat(4000)).doubts).toHaveLength(1);
});
