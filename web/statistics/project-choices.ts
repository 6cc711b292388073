/** The projects to choose from: by the name of their folder, by the whole path where two have the same name. */
import { lastPart } from "../words.js";

export const ALL_PROJECTS = "";

export function projectChoices(folders: readonly (string | undefined)[]): (readonly [string, string])[] {
  const known = new Set(folders.filter((folder) => folder !== undefined));
  const names = [...known].map(lastPart);
  const isShared = (name: string): boolean => names.filter((one) => one === name).length > 1;
  const projects = [...known].map((folder): readonly [string, string] => {
    const name = lastPart(folder);
    return [folder, isShared(name) ? folder : name];
  });
  return [
    [ALL_PROJECTS, "All projects"],
    ...projects.toSorted(([, one], [, other]) => one.localeCompare(other)),
  ];
}
