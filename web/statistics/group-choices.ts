/** Choices by which statistics are narrowed: one project, by the name of its folder, and one agent. */
import { lastPart } from "../words.js";

export const ALL = "";

type Choices = (readonly [value: string, name: string])[];

/** A project has its whole path as name where two folders have the same one. */
export function projectChoices(folders: readonly (string | undefined)[]): Choices {
  const known = new Set(folders.filter((folder) => folder !== undefined));
  const names = [...known].map(lastPart);
  const isShared = (name: string): boolean => names.filter((one) => one === name).length > 1;
  return choices(
    "All projects",
    [...known].map((folder) => [folder, isShared(lastPart(folder)) ? folder : lastPart(folder)]),
  );
}

export function agentChoices(agents: readonly (string | undefined)[]): Choices {
  const known = new Set(agents.flatMap((agent) => agent || []));
  return choices(
    "All agents",
    [...known].map((agent) => [agent, agent]),
  );
}

const choices = (all: string, groups: Choices): Choices => [
  [ALL, all],
  ...groups.toSorted(([, one], [, other]) => one.localeCompare(other)),
];
