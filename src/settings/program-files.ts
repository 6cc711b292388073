/**
 * The user's program descriptions in the settings folder, `programs/*.json`. An unreadable file might have restricted
 * something, so every call is asked about until it can be read.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { userPrograms } from "../policy/index.js";
import { programMistake } from "../policy/programs/program-mistake.js";
import type { ProgramFile, Rule, UserPrograms } from "../policy/index.js";
import { errorCode } from "../call/error-code.js";
import { FollowedFile } from "./followed-file.js";
import type { Parse } from "./followed-file.js";
import { jsonParser } from "./json-parser.js";
import { programFileSchema } from "./programs-schema.js";
import { strictRule } from "./strict-rule.js";

export type ProgramsInForce = {
  /** Undefined when there are no files. */
  readonly programs: UserPrograms | undefined;
  /** For each file that could never be read, a rule that asks about everything. */
  readonly rules: readonly Rule[];
  readonly problems: readonly (readonly [path: string, problem: string | undefined])[];
};

export class ProgramFiles {
  readonly #folder: string;
  readonly #files = new Map<string, FollowedFile<ProgramFile>>();
  #last: { readonly values: readonly ProgramFile[]; readonly programs: UserPrograms } | undefined;

  constructor(settingsFolder: string) {
    this.#folder = join(settingsFolder, "programs");
  }

  current(): ProgramsInForce {
    const { names, problem } = this.#names();
    for (const name of names) {
      const path = join(this.#folder, name);
      if (!this.#files.has(path)) this.#files.set(path, new FollowedFile(path, parsePrograms));
    }
    const states = [...this.#files].map(([path, file]) => [path, file.current()] as const);
    const values = states.flatMap(([, state]) => {
      const value = state.state === "good" ? state.value : "lastGood" in state ? state.lastGood : undefined;
      return value ? [value] : [];
    });
    return {
      programs: this.#programs(values),
      rules: [
        ...(problem === undefined ? [] : [strictRule(this.#folder)]),
        ...states.flatMap(([path, state]) =>
          state.state === "broken" && !state.lastGood ? [strictRule(path)] : [],
        ),
      ],
      problems: [
        [this.#folder, problem],
        ...states.map(([path, state]) => [path, "problem" in state ? state.problem : undefined] as const),
      ],
    };
  }

  #programs(values: readonly ProgramFile[]): UserPrograms | undefined {
    if (values.length === 0) return undefined;
    const last = this.#last;
    const isSame =
      last?.values.length === values.length && values.every((one, at) => one === last.values[at]);
    const programs = isSame && last ? last.programs : userPrograms(values);
    this.#last = { values, programs };
    return programs;
  }

  #names(): { readonly names: readonly string[]; readonly problem?: string } {
    try {
      return {
        names: readdirSync(this.#folder)
          .filter((name) => name.endsWith(".json"))
          .toSorted(),
      };
    } catch (error) {
      const code = errorCode(error) ?? String(error);
      if (code === "ENOENT") return { names: [] };
      return {
        names: [],
        problem: `${this.#folder} cannot be listed: ${code}. No program was read from it.`,
      };
    }
  }
}

const parseShape = jsonParser(() => programFileSchema);

const parsePrograms: Parse<ProgramFile> = (text, path) => {
  const parsed = parseShape(text, path);
  const mistake = parsed.ok ? programMistake(parsed.value) : undefined;
  return mistake === undefined ? parsed : { ok: false, problem: `${path}: ${mistake}. Correct it.` };
};
