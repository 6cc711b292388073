/** Tries random scripts: those that a reader calls harmless are run by the real programs, under strace. */
import type { Language } from "./script-texts.js";
import { scriptTexts } from "./script-texts.js";
import { RUNS, SEED, traceAll } from "./trace-scripts.js";
import type { Foreseen } from "./surprises.js";
import { surprises } from "./surprises.js";

const BATCH = 400;

export type Fuzz = {
  readonly language: Language;
  readonly isHarmless: (script: string) => boolean;
  readonly programs: readonly (readonly string[])[];
  readonly argv: (program: readonly string[], script: string) => readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly foreseen: (script: string) => Foreseen;
};

export function fuzz({ language, isHarmless, programs, argv, files, foreseen }: Fuzz) {
  const texts = scriptTexts(language, SEED);
  const harmless = new Set<string>();
  for (let run = 0; run < RUNS; run += 1) {
    const script = texts.next().value;
    if (isHarmless(script)) harmless.add(script);
  }
  const jobs = [...harmless].flatMap((script) => programs.map((program) => ({ script, program })));
  const found: string[] = [];
  for (let start = 0; start < jobs.length; start += BATCH) {
    const batch = jobs.slice(start, start + BATCH);
    const traces = traceAll(
      batch.map(({ script, program }) => ({ argv: argv(program, script) })),
      files,
    );
    for (const [index, { script, program }] of batch.entries()) {
      const traced = traces[index];
      if (!traced) throw new Error(`${program.join(" ")} was not traced`);
      const did = surprises(traced, foreseen(script));
      if (did.length > 0) found.push(`${program.join(" ")} ${JSON.stringify(script)}: ${did.join(", ")}`);
    }
  }
  return {
    surprises: found,
    harmless: harmless.size,
    summary: `${RUNS} scripts, ${harmless.size} harmless ones run ${jobs.length} times by ${programs.length} programs`,
  };
}
