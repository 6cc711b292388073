/** Readers for effects that no clause can describe, by the name that descriptions use. */
import type { Reader } from "../program.js";
import { archiveReaders } from "./archive-readers.js";
import { buildReaders } from "./build-readers.js";
import { containersReaders } from "./containers-readers.js";
import { databasesReaders } from "./databases-readers.js";
import { editorsReaders } from "./editors-readers.js";
import { filesReaders } from "./files-readers.js";
import { gitReaders } from "./git-readers.js";
import { javascriptReaders } from "./javascript-readers.js";
import { languagesReaders } from "./languages-readers.js";
import { networkReaders } from "./network-readers.js";
import { pythonReaders } from "./python-readers.js";
import { shellReaders } from "./shell-readers.js";
import { systemReaders } from "./system-readers.js";
import { textToolsReaders } from "./text-tools-readers.js";

export const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ...archiveReaders,
  ...buildReaders,
  ...containersReaders,
  ...databasesReaders,
  ...editorsReaders,
  ...filesReaders,
  ...gitReaders,
  ...javascriptReaders,
  ...languagesReaders,
  ...networkReaders,
  ...pythonReaders,
  ...shellReaders,
  ...systemReaders,
  ...textToolsReaders,
]);
