/** Choices of one project, by the name of its folder, and of one agent. */
import { lastPart } from "../words.js";

export const ALL = "";

type Choices = (readonly [value: string, name: string])[];

/** A project has its whole path as name where two folders have the same one. */
export function projectsIn(folders: readonly (string | undefined)[]): Choices {
  const known = new Set(folders.filter((folder) => folder !== undefined));
  const names = [...known].map(lastPart);
  const isShared = (name: string): boolean => names.filter((one) => one === name).length > 1;
  return sorted([...known].map((folder) => [folder, isShared(lastPart(folder)) ? folder : lastPart(folder)]));
}

export const projectChoices = (folders: readonly (string | undefined)[]): Choices => [
  [ALL, "All projects"],
  ...projectsIn(folders),
];

export function agentChoices(agents: readonly (string | undefined)[]): Choices {
  const known = new Set(agents.flatMap((agent) => agent || []));
  return [[ALL, "All agents"], ...sorted([...known].map((agent) => [agent, agent]))];
}

const sorted = (choices: Choices): Choices =>
  choices.toSorted(([, one], [, other]) => one.localeCompare(other));
