/** The sed reader against GNU and busybox sed: what it calls harmless runs under strace and must be. */
import { expect, test } from "vitest";
import { readSed } from "../src/policy/programs/scripts/read-sed.js";
import { fuzz } from "./fuzz-scripts.js";
import { RUNS, SEED, traceAll } from "./trace-scripts.js";
import { parts } from "./script-texts.js";
import type { Language } from "./script-texts.js";
import { surprises } from "./surprises.js";

const FILES = { "input.txt": "one /two|x\nb a x\nthree\n", "canary.txt": "canary\n", "named.txt": "named\n" };
const SEDS = [
  ["/usr/bin/sed"],
  ["/usr/bin/busybox", "sed"],
  ["/usr/bin/sed", "-E"],
  ["/usr/bin/busybox", "sed", "-E"],
  ["/usr/bin/sed", "--posix"],
];

const SED: Language = {
  pieces: parts(String.raw`
    p ¦ d ¦ = ¦ 1d ¦ $!N ¦ 2q ¦ q5 ¦ l 3 ¦ F ¦ z ¦ x;G ¦ /a/p ¦ 1,/x/p ¦ \|a|p ¦ 0~2d ¦ 2,+1p ¦ 1!p ¦ :a ¦
    :a; ¦ :a␣ ¦ ba ¦ b a ¦ ta ¦ T ¦ b ¦ b; ¦ {p} ¦ {p;} ¦ /a/{ ¦ } ¦ { ¦ v ¦ v 4.2 ¦ #n ¦ # note ¦ # note\ ¦
    s/%/%/ ¦ s/%/%/% ¦ s|%|%|g ¦ s,%,%,2 ¦ s#%#%#p ¦ s:%:%: ¦ y/ab/xy/ ¦ y/[/x/ ¦ s+%+%+ ¦ s_%_%_g ¦ s;%;%; ¦ s.%.%. ¦ s-%-%- ¦ s*%*%* ¦ s/[^/%]*%// ¦ /[%/]/p ¦ /[^/]%/d ¦
    a text ¦ a\text ¦ a\⏎text ¦ i\⏎%\⏎% ¦ c\ ¦ a \ ¦ a\ ⏎% ¦ 1i\  % ¦ $a %\⏎% ¦ a text\\⏎% ¦ a ¦ i\⏎ ¦
    r named.txt ¦ R named.txt ¦ r /dev/stdin ¦ s/%/%/⏎% ¦ \%a%e touch out ¦ \nanp ¦ s⏎x⏎y⏎ ¦ r named.txt;p ¦
    r named.txt} ¦ s/[/]/x/w out/ ¦ s/[^]/]/e touch out/ ¦ /[[:alpha:]/]/p ¦ /[\]/]/p ¦ Q ¦ D;P ¦ $= ¦
    1~3d ¦ /x/I,/y/Mp
  `),
  dangerous: parts(String.raw`
    s%a%b%w canary.txt% ¦ r canary.txt ¦ w out ¦ W out ¦ w /dev/stdout ¦ e ¦ e touch out ¦ 1e touch out ¦
    s/x/touch out/e ¦ s/x/y/w out ¦ s/x/y/gew out ¦ M ¦ r ¦ e touch out⏎ ¦ w out⏎ ¦ L
  `),
  smaller: parts(String.raw`
    x ¦ a ¦ \n ¦ & ¦ \1 ¦ [a-z] ¦ [^/] ¦ []/] ¦ [^]/] ¦ [[:space:]] ¦ [[:alpha:] ¦ [\] ¦ [\/] ¦ \/ ¦ \| ¦
    \(a\) ¦ a\{2\} ¦ .* ¦ ^ ¦ $ ¦ \ ¦ \⏎ ¦ ⏎ ¦ e ¦ w out ¦ g ¦ p ¦ 2 ¦ I ¦ m ¦ e touch out ¦ ;e touch out ¦
    ⏎e touch out⏎ ¦ ⏎w out⏎ ¦ } ¦ { ¦ [ ¦ ] ¦ [.].] ¦ [=a=] ¦ ␣ ¦ ; ¦ # ¦ \\ ¦ \\⏎ ¦ r canary.txt ¦
    R canary.txt ¦ \x2f ¦ \o57 ¦ \cA ¦ \d47
  `),
  glue: parts(String.raw`
    ; ¦ ⏎ ¦ ␣;␣ ¦ ⏎⏎ ¦  ¦ ␣ ¦ } ¦ { ¦ \⏎ ¦ ⇥ ¦ ;⏎ ¦ ! ¦ 1 ¦ /a/ ¦ $!
  `),
  noise: parts(String.raw`
    [ ¦ ] ¦ { ¦ } ¦ \ ¦ / ¦ | ¦ ; ¦ : ¦ , ¦ ! ¦ # ¦ $ ¦ & ¦ * ¦ ^ ¦ . ¦ ⏎ ¦ ␣ ¦ ⇥ ¦ e ¦ w ¦ r ¦ R ¦ W ¦ s ¦
    y ¦ a ¦ b ¦ g ¦ i ¦ p ¦ M ¦ I ¦ 0 ¦ 1 ¦ ~ ¦ + ¦ - ¦ = ¦ @ ¦ % ¦ _ ¦ ␍ ¦ ␋ ¦ é
  `),
};

test(
  `sed does nothing unforeseen when the reader has no doubts (seed ${SEED})`,
  { timeout: 3_600_000 },
  ({ annotate }) => {
    const found = fuzz({
      language: SED,
      isHarmless: (script) => (readSed(script).doubts ?? []).length === 0,
      programs: SEDS,
      // With -E each line is a script of its own, which sed joins again.
      argv: (program, script) => [
        ...program,
        "-n",
        ...(program.includes("-E") ? script.split("\n") : [script]).flatMap((line) => ["-e", line]),
        "input.txt",
      ],
      files: FILES,
      foreseen: (script) => ({ reads: ["input.txt", ...(readSed(script).reads ?? [])] }),
    });
    void annotate(found.summary);
    expect(found.surprises).toEqual([]);
    expect(found.harmless).toBeGreaterThan(RUNS / 20);
  },
);

test("the comparison fails when a script runs, writes or reads something unforeseen", () => {
  const did = (script: string, program: readonly string[]) => {
    const [traced] = traceAll([{ argv: [...program, script, "input.txt"] }], FILES);
    return surprises(traced!, { reads: ["input.txt"] });
  };
  for (const program of SEDS.slice(0, 2)) {
    expect(did("p", program)).toEqual([]);
    expect(did("w out", program)).toEqual(["wrote out"]);
    expect(did("r canary.txt", program)).toContain("read canary.txt");
  }
  expect(did(":a e touch out", SEDS[0]!)).toContain("wrote out");
  expect(did("1e /usr/bin/true", SEDS[0]!).some((surprise) => surprise.startsWith("ran "))).toBe(true);
});
