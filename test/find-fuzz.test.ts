/** The reader of find expressions against GNU and busybox find: what it calls harmless runs under strace. */
import { basename } from "node:path";
import { expect, test } from "vitest";
import { judgeArgv } from "../src/policy/programs/judge-argv.js";
import { findCommands } from "../src/policy/programs/scripts/find-commands.js";
import { fuzz } from "./fuzz-scripts.js";
import { parts } from "./script-texts.js";
import type { Language } from "./script-texts.js";
import { RUNS, SEED, traceAll } from "./trace-scripts.js";
import { surprises } from "./surprises.js";

const FILES = {
  "in/one.txt": "one\n",
  "in/sub/e touch out": "x\n",
  "canary.txt": "canary\n",
};
const FINDS = [["/usr/bin/find"], ["/usr/bin/busybox", "find"]];

/** The folder that it began in, and the names of the owners that `-ls` prints. */
const OWN = [".", "/etc/passwd", "/etc/group"];

/** A word per line. */
const FIND: Language = {
  pieces: parts(String.raw`
    -name⏎*.txt ¦ -type⏎f ¦ -print ¦ -print0 ¦ -ls ¦ -printf⏎%\n ¦ -not⏎-name⏎% ¦ (⏎-name⏎%⏎-o⏎-type⏎d⏎) ¦
    -maxdepth⏎1 ¦ -mtime⏎-1 ¦ -size⏎+1k ¦ -newer⏎canary.txt ¦ -path⏎% ¦ -regex⏎% ¦ -empty ¦ -prune ¦ -quit ¦
    !⏎-name⏎% ¦ -exec⏎cat⏎{}⏎; ¦ -exec⏎cat⏎{}⏎+ ¦ -exec⏎grep⏎-l⏎%⏎{}⏎+ ¦ -exec⏎grep⏎%⏎{}⏎; ¦
    -exec⏎wc⏎-l⏎{}⏎; ¦ -exec⏎head⏎-n⏎1⏎{}⏎; ¦ -execdir⏎cat⏎{}⏎; ¦ -exec⏎sed⏎-n⏎p⏎{}⏎; ¦
    -exec⏎sed⏎-n⏎{}⏎%⏎; ¦ -exec⏎awk⏎{}⏎in/one.txt⏎; ¦ -exec⏎sed⏎{}⏎in/one.txt⏎; ¦ -exec⏎jq⏎{}⏎; ¦
    -exec⏎echo⏎%⏎{}⏎; ¦ -exec⏎echo⏎{}⏎%⏎+ ¦ -ok⏎cat⏎{}⏎; ¦ -true ¦ -a ¦ -o ¦ , ¦ -depth ¦ -perm⏎-u+x ¦
    -exec⏎basename⏎{}⏎; ¦ -exec⏎cat⏎%⏎; ¦ -exec⏎stat⏎{}⏎+
  `),
  dangerous: parts(String.raw`
    -delete ¦ -exec⏎touch⏎out⏎; ¦ -exec⏎rm⏎{}⏎; ¦ -exec⏎sh⏎-c⏎touch out⏎; ¦ -fprint⏎out ¦ -fls⏎out ¦
    -fprintf⏎out⏎%p ¦ -fprint0⏎out ¦ -files0-from⏎canary.txt ¦ -exec⏎{}⏎; ¦ -execdir⏎touch⏎out⏎; ¦
    -ok⏎touch⏎out⏎; ¦ -exec⏎cat⏎canary.txt⏎; ¦ -name⏎-exec⏎%⏎; ¦ -exec⏎env⏎touch⏎out⏎; ¦
    -exec⏎find⏎.⏎-delete⏎; ¦ -exec⏎sort⏎-o⏎out⏎{}⏎; ¦ -exec⏎printenv⏎; ¦ -L ¦ -exec⏎xargs⏎touch⏎; ¦
    -exec⏎tee⏎out⏎;
  `),
  smaller: parts(String.raw`
    x ¦ *.txt ¦ {} ¦ + ¦ ; ¦ -delete ¦ -exec ¦ a{}b ¦ -name ¦ canary.txt ¦ -- ¦ \; ¦ -fprint⏎out ¦ {}⏎+ ¦
    {}⏎; ¦ -print ¦ in ¦ . ¦ -o ¦ touch⏎out ¦ %⏎% ¦ -exec⏎% ¦ -ok⏎%
  `),
  glue: parts(String.raw`
    ⏎ ¦ ⏎-o⏎ ¦ ⏎!⏎ ¦ ⏎-a⏎ ¦ ⏎,⏎ ¦ ⏎;⏎ ¦ ⏎+⏎
  `),
  noise: parts(String.raw`
    ⏎ ¦ - ¦ + ¦ ; ¦ {} ¦ x ¦ ⏎;⏎ ¦ ⏎+⏎ ¦ ( ¦ ) ¦ ⏎-exec⏎ ¦ ⏎{}⏎ ¦ ⏎-delete⏎ ¦ !
  `),
};

const wordsOf = (text: string) => ["in", ...text.split("\n").filter((word) => word !== "")];

test(
  `find does nothing unforeseen when the reader has no doubts (seed ${SEED})`,
  { timeout: 3_600_000 },
  ({ annotate }) => {
    const found = fuzz({
      language: FIND,
      isHarmless: (text) => judgeArgv(["find", ...wordsOf(text)]).doubts.length === 0,
      programs: FINDS,
      argv: (program, text) => [...program, ...wordsOf(text)],
      files: FILES,
      foreseen: (text) => {
        const { reads } = judgeArgv(["find", ...wordsOf(text)]);
        const { commands } = findCommands(wordsOf(text));
        return { reads: OWN, below: reads, executed: commands.map(([program = ""]) => basename(program)) };
      },
    });
    void annotate(found.summary);
    expect(found.surprises).toEqual([]);
    expect(found.harmless).toBeGreaterThan(RUNS / 20);
  },
);

test("the comparison fails when an expression deletes, reads or runs something unforeseen", () => {
  const did = (text: string, program: readonly string[]) => {
    const [traced] = traceAll([{ argv: [...program, ...wordsOf(text)] }], FILES);
    return surprises(traced!, { reads: OWN, below: ["in"] });
  };
  const deleted = did("-type\nf\n-delete", FINDS[0]!);
  expect(deleted).toContain("deleted in/one.txt");
  for (const program of FINDS) {
    expect(did("-print", program)).toEqual([]);
    expect(did("-exec\n/usr/bin/true\n;", program).some((surprise) => surprise.startsWith("ran "))).toBe(
      true,
    );
    expect(did("-exec\ncat\ncanary.txt\n;", program)).toContain("read canary.txt");
  }
});
