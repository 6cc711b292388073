/** Every program that is described, by name. */
import type { Programs, Spec } from "../vocabulary.js";
import { archivePrograms } from "./archive.js";
import { buildPrograms } from "./build.js";
import { containerPrograms } from "./containers.js";
import { databasePrograms } from "./databases.js";
import { editorPrograms } from "./editors.js";
import { filePrograms } from "./files.js";
import { gitPrograms } from "./git.js";
import { javascriptPrograms } from "./javascript.js";
import { languagePrograms } from "./languages.js";
import { networkPrograms } from "./network.js";
import { packagePrograms } from "./packages.js";
import { pythonPrograms } from "./python.js";
import { shellPrograms } from "./shell.js";
import { systemPrograms } from "./system.js";
import { textPrograms } from "./text-tools.js";

const FAMILIES: readonly (() => Programs)[] = [
  archivePrograms,
  buildPrograms,
  containerPrograms,
  databasePrograms,
  editorPrograms,
  filePrograms,
  gitPrograms,
  javascriptPrograms,
  languagePrograms,
  networkPrograms,
  packagePrograms,
  pythonPrograms,
  shellPrograms,
  systemPrograms,
  textPrograms,
];

let known: ReadonlyMap<string, Spec> | undefined;

/** Made for the first command that is judged: they are most of what a waiting process would otherwise hold of its rules. */
export const programs = (): ReadonlyMap<string, Spec> =>
  (known ??= new Map(FAMILIES.flatMap((family) => Object.entries(family()))));

/** By its exact name, or by its last part where the system keeps its programs; `./git` is not git. */
export function findProgram(name: string): Spec | undefined {
  const place = /^\/(?:usr\/(?:local\/)?)?bin\/(?<name>[^/]+)$/.exec(name)?.groups;
  return programs().get(place?.["name"] ?? name);
}
