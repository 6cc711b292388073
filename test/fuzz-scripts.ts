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
  const found: string[] = [];
  let waiting: { readonly script: string; readonly program: readonly string[] }[] = [];
  const runWaiting = () => {
    const commands = waiting.map(({ script, program }) => ({ argv: argv(program, script) }));
    for (const [index, traced] of traceAll(commands, files).entries()) {
      const { script = "", program = [] } = waiting[index] ?? {};
      const did = surprises(traced, foreseen(script));
      if (did.length > 0) found.push(`${program.join(" ")} ${JSON.stringify(script)}: ${did.join(", ")}`);
    }
    waiting = [];
  };
  for (let run = 1; run <= RUNS; run += 1) {
    const script = texts.next().value;
    if (!harmless.has(script) && isHarmless(script)) {
      harmless.add(script);
      waiting.push(...programs.map((program) => ({ script, program })));
    }
    if (waiting.length < BATCH && run < RUNS) continue;
    runWaiting();
    if (RUNS > 5000)
      process.stderr.write(`${run} scripts, ${harmless.size} run, ${found.length} surprises\n`);
  }
  return {
    surprises: found,
    harmless: harmless.size,
    summary: `${RUNS} scripts, ${harmless.size} harmless ones run by ${programs.length} programs each`,
  };
}
