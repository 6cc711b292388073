/** The awk reader against four awks: what it calls harmless runs under strace and must be. */
import { expect, test } from "vitest";
import { awkDoubts } from "../src/policy/programs/scripts/awk-doubts.js";
import { fuzz } from "./fuzz-scripts.js";
import { parts } from "./script-texts.js";
import type { Language } from "./script-texts.js";
import { RUNS, SEED, traceAll } from "./trace-scripts.js";
import { surprises } from "./surprises.js";

const FILES = { "input.txt": "one /two|x\nb a x\n3 touch out\n", "canary.txt": "canary\n" };
const AWKS = [["/usr/bin/mawk"], ["/usr/bin/gawk"], ["/usr/bin/busybox", "awk"], ["/usr/bin/original-awk"]];

const AWK: Language = {
  pieces: parts(String.raw`
    {print $1} ¦ NR==1 ¦ {print % > %} ¦ {print(%)} ¦ {print(%) > %} ¦ {printf "%s\n", %} ¦ END{print %} ¦
    BEGIN{%} ¦ BEGIN{%;%} ¦ /%/{print} ¦ {if(%)print %;else print %} ¦ {for(i=0;i<3;i++)print %} ¦
    {while(i++<2)%} ¦ {x=%;print x/%} ¦ {gsub(/%/,"%");print} ¦ {print % / % / %} ¦ $1 > 2 ¦ %>% ¦
    {print (% > %)} ¦ !s[$0]++ ¦ {print %,⏎% > "out"} ¦ function f(a){return %} ¦ {f(%)} ¦ {print | %} ¦
    {print $0 > "/dev/stderr"} ¦ {print $0 > "/dev/stderr" "x"} ¦ {if(x)/%/;print} ¦ {if(x)⏎/%/} ¦
    {x++ / % /; print} ¦ {a[1] / % / %} ¦ {length / % /} ¦ {print length/%/} ¦ {print /[/]%/} ¦ /[^/]%/ ¦
    /[]/]%/ ¦ /a\/%/ ¦ {print -/%/} ¦ {return /%/} ¦ #%⏎{print} ¦ #%\⏎{print} ¦ {print "%" "%"} ¦
    {x = y ~ /%/ ? % : %} ¦ {print % ? % : %} ¦ {x /= %; y = /=%/} ¦ /=%/ ¦ {print a,b⏎} ¦
    BEGIN{while((% > 0))break} ¦ {do % ; while(%>%)} ¦ {print\⏎> "out"} ¦ {print in / % /} ¦
    {close("x");fflush()} ¦ {nextfile} ¦ {delete a;next} ¦ BEGIN{RS="";FS="%"}
  `),
  dangerous: parts(String.raw`
    {print > "out"} ¦ {print | "touch out"} ¦ {"touch out" | getline} ¦ {getline x < "canary.txt"} ¦
    BEGIN{system("touch out")} ¦ {print %system("touch out")} ¦ {$0system("touch out")} ¦
    {print ENVIRON["SECRET"]} ¦ BEGIN{for(k in ENVIRON)print ENVIRON[k]} ¦ BEGIN{ARGV[1]="canary.txt"} ¦
    @load "filefuncs" ¦ @include "canary.txt" ¦ BEGIN{f="system";@f("touch out")} ¦
    BEGIN{print SYMTAB["ENVIRON"]["SECRET"]} ¦ {print "x" |& "touch out"} ¦
    BEGIN{printf "x" > "/inet/tcp/0/127.0.0.1/9"} ¦ {switch(x){case /%/:print}}
  `),
  smaller: parts(String.raw`
    x ¦ 1 ¦ $0 ¦ $NF ¦ "out" ¦ "touch out" ¦ (%) ¦ % + % ¦ % % ¦ % > % ¦ % < % ¦ a[%] ¦ i++ ¦ --i ¦ !% ¦
    /%/ ¦ /% ¦ % / % ¦ % ? % : % ¦ "%" ¦ \" ¦ \/ ¦ \\ ¦ \⏎ ¦ ⏎ ¦ [ ¦ ] ¦ [/] ¦ [^/] ¦ [[:alpha:]] ¦ ]] ¦ " ¦
    / ¦ # ¦ ; ¦ } ¦ { ¦ system("touch out") ¦ length ¦ length(%) ¦ substr(%,1) ¦ print % ¦ print % > "out" ¦
    print % | "touch out" ¦ > "out" ¦ | "touch out" ¦ >> "out" ¦ && % ¦ || % ¦ , % ¦ in a ¦ ~ /%/ ¦
    toupper(%) ¦ f(%) ¦ % = % ¦ % ^ % ¦ -% ¦ else ¦ do ¦ if(%) ¦ for(;;) ¦ while(%) ¦ "/dev/stderr" ¦ _"%" ¦
    0x1 ¦ 1e ¦ .5 ¦ func ¦ printf ¦ next ¦ exit ¦ %,⏎% ¦ &&⏎% ¦ ;;
  `),
  glue: parts(String.raw`
    ⏎ ¦ ; ¦  ¦ ␣ ¦ ⏎⏎ ¦ } ¦ { ¦ ;⏎ ¦ # ¦ , ¦ / ¦ \⏎ ¦ || ¦ &&⏎
  `),
  noise: parts(String.raw`
    / ¦ " ¦ \ ¦ { ¦ } ¦ ( ¦ ) ¦ [ ¦ ] ¦ | ¦ > ¦ < ¦ ; ¦ , ¦ ⏎ ¦ ␣ ¦ # ¦ $ ¦ & ¦ ! ¦ ~ ¦ ? ¦ : ¦ = ¦ + ¦ - ¦
    * ¦ % ¦ ^ ¦ x ¦ 1 ¦ _ ¦ @ ¦ . ¦ ␍ ¦ ' ¦ ˋ ¦ é ¦ >> ¦ \⏎ ¦ || ¦ in␣
  `),
};

test(
  `awk does nothing unforeseen when the reader has no doubts (seed ${SEED})`,
  { timeout: 3_600_000 },
  ({ annotate }) => {
    const found = fuzz({
      language: AWK,
      isHarmless: (script) => awkDoubts(script).length === 0,
      programs: AWKS,
      argv: (program, script) => [...program, script, "input.txt"],
      files: FILES,
      foreseen: () => ({ reads: ["input.txt"] }),
    });
    void annotate(found.summary);
    expect(found.surprises).toEqual([]);
    expect(found.harmless).toBeGreaterThan(RUNS / 20);
  },
);

test("the comparison fails when a program runs, writes, reads or shows something unforeseen", () => {
  const did = (script: string, program: readonly string[]) => {
    const [traced] = traceAll([{ argv: [...program, script, "input.txt"] }], FILES);
    return surprises(traced!, { reads: ["input.txt"] });
  };
  for (const program of AWKS) {
    expect(did("{print $1}", program)).toEqual([]);
    expect(did('$0system("/usr/bin/true")', program).some((surprise) => surprise.startsWith("ran "))).toBe(
      true,
    );
    expect(did('{print > "out"}', program)).toContain("wrote out");
    expect(did('{getline x < "canary.txt"}', program)).toContain("read canary.txt");
    expect(did('BEGIN{print ENVIRON["SECRET"]}', program)).toContain("printed the environment");
  }
});
