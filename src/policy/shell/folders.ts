/**
 * The folders a shell may be in: one list of folder changes for each way it may have gone so far.
 * `cd a && ls` has one way, `cd a; ls` has two, because the cd may have failed.
 */
export type Folders = readonly (readonly string[])[];

export const START: Folders = [[]];
/** Beyond this number the reader stops following them and adds a doubt. */
export const MAX_WAYS = 8;

export function entered(folders: Folders, target: string): Folders {
  return folders.map((changes) => [...changes, target]);
}

export function eitherWay(one: Folders, other: Folders): Folders {
  if (one === other) return one;
  const ways = new Map([...one, ...other].map((changes) => [JSON.stringify(changes), changes]));
  return [...ways.values()];
}
