/**
 * How each known field of a call's input is read. One table for those who look for commands, files and addresses, and
 * for those who look for fields of no known meaning: a name that only one of them knew would be harmless and unread.
 */

export type FieldReading =
  /** A command line, or its words. */
  | "command"
  /** The folder in which all of it is done. */
  | "folder"
  /** The folder of a command; beside a file, a file of its own and the folder of relative ones. */
  | "place"
  | "path"
  | "url"
  /** An object whose keys are files. */
  | "changes"
  /** A text that names its files itself. */
  | "patch"
  /** All that a file will hold. */
  | "whole-text"
  /** A part of what a file will hold. */
  | "written-text"
  /** A text that is looked for in files, or goes to a model. */
  | "other-text"
  /** The operation that this field names for the files beside it. */
  | "operation"
  /** A sentence for people. */
  | "sentence";

const READINGS: ReadonlyMap<string, FieldReading> = new Map(
  (
    [
      ["command", "command commands cmd argv commandline shellcommand"],
      ["folder", "cwd workdir workingdirectory workingdir"],
      ["place", "directory dirpath dir folder root grantroot"],
      ["path", "path paths file files filepath filepaths filename filenames absolutepath relativepath"],
      ["path", "notebookpath targetfile targetpath oldpath newpath movepath sourcepath destinationpath"],
      ["path", "source destination src dest dst"],
      ["url", "url urls uri uris href link"],
      ["changes", "changes filechanges"],
      ["patch", "patch diff unifieddiff"],
      ["whole-text", "content contents filetext newcontent"],
      [
        "written-text",
        "newstring newtext newstr newsource replace replacement aiproposedcontent aiproposedstring",
      ],
      ["other-text", "oldstring oldtext oldstr oldsource oldcontent before"],
      ["operation", "operation type kind mode action"],
      ["sentence", "description explanation justification reason summary title thought goal"],
    ] as const
  ).flatMap(([reading, names]) => names.split(" ").map((name) => [name, reading] as const)),
);

/** Undefined for a name of no known meaning. */
export const readingOf = (foldedName: string): FieldReading | undefined => READINGS.get(foldedName);

/** All names that are read so. */
export const namesRead = (...readings: readonly FieldReading[]): string =>
  [...READINGS].flatMap(([name, reading]) => (readings.includes(reading) ? [name] : [])).join(" ");

/** `file_path`, `filePath` and `file-path` are one name. */
export const foldedName = (name: string): string => name.replace(/[_-]/g, "").toLowerCase();

/** Undefined for an unknown word: nobody knows what such a call does. */
export function operationNamed(word: string): "edit" | "delete" | "move" | undefined {
  const folded = foldedName(word);
  if (/^(?:delete|remove|unlink|rm|erase|destroy|trash)(?:d|file)?$/.test(folded)) return "delete";
  if (/^(?:move|rename|mv)(?:d|file)?$/.test(folded)) return "move";
  return EDITS.has(folded) ? "edit" : undefined;
}

const EDITS: ReadonlySet<string> = new Set(
  "add create new write update edit modify change replace insert append overwrite patch text file string fetch get read view".split(
    " ",
  ),
);
