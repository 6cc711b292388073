/** The programs that are described, by name: ours in data/, and a user's own. */
import { lateProgram } from "./compile-program.js";
import { packedPrograms } from "./packed-programs.js";
import type { ProgramFile } from "./program-data.js";
import type { Program } from "./program.js";

/** Looks up a user's own descriptions; none when the user has not described that program. */
export type UserPrograms = (name: string) => Program | undefined;

type Family = (name: string) => Program | undefined;

/** Parsed for the first command of a family that is judged: the texts are most of what the rules weigh. */
const families = new Map<string, Family>();

/** By its exact name, or by its last part where the system keeps its programs; `./git` is not git. */
export function findProgram(name: string, user?: UserPrograms): Program | undefined {
  const place = /^\/(?:usr\/(?:local\/)?)?bin\/(?<name>[^/]+)$/.exec(name)?.groups;
  const plain = place?.["name"] ?? name;
  return user?.(plain) ?? ownProgram(plain);
}

function ownProgram(name: string): Program | undefined {
  const family = packedPrograms.families.get(name);
  const text = family === undefined ? undefined : packedPrograms.texts.get(family);
  if (family === undefined || text === undefined) return undefined;
  const find = families.get(family) ?? parsed(text);
  families.set(family, find);
  return find(name);
}

function parsed(text: string): Family {
  // Written by us and checked by a test against the schema.
  const { programs, shared } = JSON.parse(text) as ProgramFile;
  return lateProgram(programs, shared);
}

export function programNames(): readonly string[] {
  return [...packedPrograms.families.keys()];
}
