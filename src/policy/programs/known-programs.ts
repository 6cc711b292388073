/** The programs that are described, by name: ours in data/, and a user's own. */
import { lateProgram } from "./compile-program.js";
import { packedPrograms } from "./packed-programs.js";
import type { ProgramData, ProgramFile } from "./program-data.js";
import type { Program } from "./program.js";

/** Looks up a user's own descriptions; none when the user has not described that program. */
export type UserPrograms = (name: string) => Program | undefined;

type Family = { readonly file: ProgramFile; readonly find: (name: string) => Program | undefined };

/** Parsed for the first command of a family that is judged: the texts are most of what the rules weigh. */
const families = new Map<string, Family>();

/** By its exact name, or by its last part where the system keeps its programs; `./git` is not git. */
export function findProgram(name: string, user?: UserPrograms): Program | undefined {
  const place = /^\/(?:usr\/(?:local\/)?)?bin\/(?<name>[^/]+)$/.exec(name)?.groups;
  const plain = place?.["name"] ?? name;
  return user?.(plain) ?? ownProgram(plain);
}

const ownProgram = (name: string): Program | undefined => familyOf(name)?.find(name);

/** Our description of a program as it is written, and the flags that its file shares. */
export function programData(
  name: string,
): { readonly data: ProgramData; readonly shared: NonNullable<ProgramFile["shared"]> } | undefined {
  const file = familyOf(name)?.file;
  const found = file && Object.entries(file.programs).find(([names]) => names.split(" ").includes(name));
  return found && { data: found[1], shared: file.shared ?? {} };
}

function familyOf(name: string): Family | undefined {
  const family = packedPrograms.families.get(name);
  const text = family === undefined ? undefined : packedPrograms.texts.get(family);
  if (family === undefined || text === undefined) return undefined;
  const known = families.get(family) ?? parsed(text);
  families.set(family, known);
  return known;
}

function parsed(text: string): Family {
  // Written by us, and checked against the schema by a test.
  const file = JSON.parse(text) as ProgramFile;
  return { file, find: lateProgram(file.programs, file.shared) };
}

export function programNames(): readonly string[] {
  return [...packedPrograms.families.keys()];
}
