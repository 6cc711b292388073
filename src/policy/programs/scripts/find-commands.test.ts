import { describe, expect, test } from "vitest";
import { judgeArgv } from "../judge-argv.js";
import { findCommands } from "./find-commands.js";

const doubts = (line: string) => judgeArgv(["find", ...line.split(" ")]).doubts;

describe("finds nothing to doubt when the files that are found are only read", () => {
  test.each([
    ". -name *.log -exec grep -l error {} +",
    ". -type f -exec wc -l {} ;",
    ". -type f -exec awk NR==1 {} ; -print",
    ". -name *.json -exec jq .name {} ;",
    ". ( -name a -o -name b ) -exec cat {} +",
    ". -type f -execdir cat {} ;",
  ])("find %s", (line) => expect(doubts(line)).toEqual([]));
});

describe("doubts an expression when it changes something, or finds differ on where its command ends", () => {
  test.each([
    ". -exec rm {} ;",
    ". -exec {} ;",
    ". -exec cat {}",
    ". -exec",
    ". -exec ;",
    ". -exec +",
    ". -exec {} +",
    ". -exec cat + {} ;",
    ". -exec cat {} {} +",
    ". -ok cat {} + -delete ;",
    ". -name -exec echo -delete ;",
    ". -printf -exec echo -delete ;",
    "passwd -exec cat /etc/{} ;",
    ". -exec cat ../{} ;",
    ". -exec cat {}x ;",
    ". -exec grep -f{} x ;",
    ". -exec awk {} f ;",
    ". -exec sed {} f ;",
    ". -exec sed -n -e {} f ;",
    ". -exec jq {} ;",
    ". -exec sqlite3 a.db {} ;",
    ". -execdir cat link.txt ;",
    ". -execdir grep -f list {} ;",
    ". -name .env -exec cat {} +",
    ". -delete",
    ". -fprint out",
    ". -fprint0 out",
    ". -fprintf out x",
    ". -fls out",
    ". -files0-from list",
    ". -exec find . -delete ;",
    ". -exec env touch x ;",
  ])("find %s", (line) => expect(doubts(line)).not.toEqual([]));
});

test("takes each command out of the words when several follow each other", () => {
  const { words, commands } = findCommands(". -exec cat {} ; -name x -exec wc -l {} +".split(" "));
  expect(words).toEqual([".", "-name", "x"]);
  expect(commands.map(([program]) => program)).toEqual(["cat", "wc"]);
});
