/** The jq reader against jq: what it calls harmless runs under strace and must be. */
import { expect, test } from "vitest";
import { jqDoubts } from "../src/policy/programs/scripts/jq-doubts.js";
import { fuzz } from "./fuzz-scripts.js";
import { parts } from "./script-texts.js";
import type { Language } from "./script-texts.js";
import { RUNS, SEED, traceAll } from "./trace-scripts.js";
import { surprises } from "./surprises.js";

const FILES = {
  "input.json": '{"a":[1,{"env":2}],"b":"x"}\n',
  "canary.jq": "def f: 1;\n",
  "canary.json": "[1]\n",
};
const JQ = ["/usr/bin/jq"];

const FILTERS: Language = {
  pieces: parts(String.raw`
    .a ¦ . ¦ .[]? ¦ ..|% ¦ %|% ¦ map(%) ¦ {a:%} ¦ {env} ¦ {env:%,b} ¦ {"a":%} ¦ {(%):1} ¦ [%] ¦ "%" ¦
    "x\(%)y" ¦ "\("%")" ¦ if % then % else % end ¦ try % catch % ¦ .env ¦ .["env"] ¦ .a.env? ¦
    reduce .[]? as $x (0;%) ¦ def f(x): %; f(%) ¦ def g: %; g ¦ % as $v|% ¦ % as [$p,$q]|% ¦
    @base64 "\(%)" ¦ @sh "%" ¦ $__loc__ ¦ input_filename ¦ limit(2;%) ¦ [inputs] ¦ debug|% ¦
    label $o|%,break $o ¦ % // % ¦ %?//% ¦ % , % ¦ # %⏎. ¦ # %\⏎% ¦ -% ¦ .a[%:%] ¦ getpath(["env"]) ¦
    to_entries[]|% ¦ %=% ¦ .a|=% ¦ (%) ¦ halt_error ¦ stderr ¦ %# ¦ tojson|fromjson ¦ error(%) ¦ test("%") ¦
    {$__loc__} ¦ {a,b}|% ¦ path(..)
  `),
  dangerous: parts(String.raw`
    env ¦ $ENV ¦ env.SECRET ¦ $ENV.SECRET ¦ "\(env.SECRET)" ¦ $__prog_args ¦ import "canary" as c; % ¦
    include "canary"; f ¦ import "canary" as $c; $c ¦ modulemeta ¦ get_search_list ¦ {$ENV} ¦ {a:env} ¦
    [env] ¦ def f: env; f ¦ {(env|tojson):1} ¦ $ ENV ¦ "canary"|modulemeta ¦ input_line_number ¦ {env:env} ¦
    @json "\($ENV)" ¦ ..env ¦ . env ¦ 1.env
  `),
  smaller: parts(String.raw`
    x ¦ . ¦ 1 ¦ .a ¦ "%" ¦ \( ¦ ) ¦ \" ¦ " ¦ \\ ¦ ⏎ ¦ # ¦ \⏎ ¦ env ¦ $ENV ¦ \(env) ¦ \($ENV) ¦ "\(%)" ¦
    length ¦ keys? ¦ (%) ¦ [%] ¦ {a:%} ¦ %+% ¦ % and % ¦ not ¦ empty ¦ $x ¦ $__loc__ ¦ @text ¦ .. ¦ ? ¦ // ¦
    ; ¦ : ¦ { ¦ } ¦ env: ¦ ,env ¦ {env ¦ .env ¦ $ ¦ \u0065nv ¦ import "canary" as c; ¦ include "canary"; ¦
    ' ¦ tostring ¦ f ¦ %|% ¦ if % then % end ¦ as $x|% ¦ :: ¦ \ ¦ é
  `),
  glue: parts(String.raw`
    | ¦ , ¦ ␣ ¦ ⏎ ¦  ¦ ; ¦ ␣as $x| ¦ // ¦ + ¦ " ¦ # ¦ ) ¦ ( ¦ }
  `),
  noise: parts(String.raw`
    " ¦ \ ¦ ( ¦ ) ¦ [ ¦ ] ¦ { ¦ } ¦ | ¦ , ¦ . ¦ ; ¦ : ¦ # ¦ $ ¦ @ ¦ ? ¦ / ¦ ␣ ¦ ⏎ ¦ + ¦ - ¦ = ¦ < ¦ > ¦ ! ¦
    e ¦ n ¦ v ¦ _ ¦ 1 ¦ ' ¦ ␍ ¦ \( ¦ é ¦ ⇥
  `),
};

test(
  `jq does nothing unforeseen when the reader has no doubts (seed ${SEED})`,
  { timeout: 3_600_000 },
  ({ annotate }) => {
    const found = fuzz({
      language: FILTERS,
      isHarmless: (filter) => jqDoubts(filter).length === 0,
      programs: [JQ],
      argv: (program, filter) => [...program, "-L", ".", filter, "input.json"],
      files: FILES,
      foreseen: () => ({ reads: ["input.json"] }),
    });
    void annotate(found.summary);
    expect(found.surprises).toEqual([]);
    expect(found.harmless).toBeGreaterThan(RUNS / 20);
  },
);

test("the comparison fails when a filter shows the environment or loads another", () => {
  const did = (filter: string) => {
    const [traced] = traceAll([{ argv: [...JQ, "-L", ".", filter, "input.json"] }], FILES);
    return surprises(traced!, { reads: ["input.json"] });
  };
  expect(did(".")).toEqual([]);
  expect(did('"\\(env)"')).toEqual(["printed the environment"]);
  expect(did("$ENV.SECRET")).toEqual(["printed the environment"]);
  expect(did('include "canary"; f')).toContain("read canary.jq");
});
