/** The reader of short Python programs against Python: what it calls a look runs under strace and must be one. */
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { readPython } from "../src/policy/programs/scripts/read-python.js";
import { fuzz } from "./fuzz-scripts.js";
import { parts } from "./script-texts.js";
import type { Language } from "./script-texts.js";
import { surprises } from "./surprises.js";
import { RUNS, SEED, traceAll } from "./trace-scripts.js";

const FILES = { "a.json": '{"a":[1,2]}\n', "canary.txt": "canary\n", "canary.py": "print(1)\n" };
const PYTHON = "/usr/bin/python3";

const PROGRAMS: Language = {
  pieces: parts(String.raw`
    import json ¦ import json, re ¦ import sys as s ¦ from collections import Counter ¦ x = % ¦ print(%) ¦
    print(f"{%}") ¦ open("a.json").read() ¦ open("a.json", "r") ¦ open("a.json", encoding="utf-8").read() ¦
    json.load(open("a.json")) ¦ json.loads("%") ¦ [% for x in %] ¦ {"a": %} ¦ "%".join([%]) ¦ x.get("%") ¦
    with open("a.json") as f: print(f.read()) ¦ re.findall("%", "%") ¦ Counter(%).most_common(%) ¦
    for x in [%]: print(%) ¦ lambda x: % ¦ if %: print(%) ¦ # %⏎% ¦ (%) ¦ try: %⏎except: % ¦ sorted(%, key=%)
  `),
  dangerous: parts(String.raw`
    open("canary.txt", "w") ¦ open("canary.txt", mode="w") ¦ open("canary.txt", "r" "+").write("x") ¦
    open("can" + "ary.txt").read() ¦ open(x) ¦ y = open ¦ __import__("os").system("id") ¦ import os ¦
    import canary ¦ from os import system ¦ exec("%") ¦ eval("%") ¦ getattr(x, "%") ¦ 1.0.__class__ ¦
    ().__class__.__base__.__subclasses__() ¦ json.codecs.open("canary.txt") ¦ s.modules["os"].system("id") ¦
    s.path.insert(0, ".") ¦ f"{eval('1')}" ¦ f"{open('canary.txt').read()}" ¦ # coding: utf-7 ¦ @eval ¦
    json.load.__globals__ ¦ open("a.json", "r" if x else "w") ¦ open("\x63anary.txt") ¦ json = s ¦
    open("a.json", **{"mode": "w"}) ¦ re.compile.__globals__ ¦ class A: % ¦ print(open) ¦ map(eval, ["1"])
  `),
  smaller: parts(String.raw`
    x ¦ 1 ¦ "a" ¦ 'a' ¦ "%" ¦ s.argv ¦ s.stdin.read() ¦ x["a"] ¦ len(%) ¦ str(%) ¦ %+% ¦ % or % ¦ None ¦
    "canary.txt" ¦ "a.json" ¦ r"%" ¦ b"%" ¦ """%""" ¦ eval ¦ open ¦ "w" ¦ .read() ¦ .write("x") ¦ , "w" ¦
    lambda: % ¦ [%] ¦ (%) ¦ json.dumps(%) ¦ {% for x in "ab"} ¦ x.keys() ¦ _ ¦ __name__ ¦ é ¦ \⏎ ¦ " " ¦ "" "%"
  `),
  glue: parts(String.raw`
    ; ¦ ⏎ ¦ , ¦ ␣ ¦  ¦ + ¦ ) ¦ ( ¦ . ¦ " ¦ ' ¦ # ¦ : ¦ = ¦ ⏎␣
  `),
  noise: parts(String.raw`
    " ¦ ' ¦ \ ¦ ( ¦ ) ¦ [ ¦ ] ¦ { ¦ } ¦ , ¦ . ¦ ; ¦ : ¦ # ¦ @ ¦ = ¦ ␣ ¦ ⏎ ¦ f ¦ r ¦ _ ¦ 1 ¦ é ¦ ⇥ ¦ ! ¦ w ¦ """
  `),
};

const run = (script: string) => [PYTHON, "-B", "-c", script];

test.skipIf(!existsSync(PYTHON))(
  `Python does nothing unforeseen when the reader calls it a look (seed ${SEED})`,
  { timeout: 3_600_000 },
  ({ annotate }) => {
    const found = fuzz({
      language: PROGRAMS,
      isHarmless: (script) => readPython(script) !== undefined,
      programs: [[PYTHON]],
      argv: (_, script) => run(script),
      files: FILES,
      // A traceback looks for the lines of the program.
      foreseen: (script) => ({ reads: [".", "<string>", ...(readPython(script)?.reads ?? [])] }),
    });
    void annotate(found.summary);
    expect(found.surprises).toEqual([]);
    expect(found.harmless).toBeGreaterThan(RUNS / 40);
  },
);

test.skipIf(!existsSync(PYTHON))("the comparison fails when a program writes or runs something", () => {
  const did = (script: string) => {
    const [traced] = traceAll([{ argv: run(script) }], FILES);
    return traced ? surprises(traced, { reads: ["."] }) : [];
  };
  expect(did("open('canary.txt', 'w')").join()).toContain("wrote canary.txt");
  expect(did("open('canary.txt').read()").join()).toContain("read canary.txt");
  expect(did("import os; os.system('true')").join()).toContain("ran ");
});
