/**
 * The states a shell may be in: one for each way that it may have gone so far. `cd a && ls` has one way, `cd a; ls` has
 * two, because the cd may have failed; `test -f x && y=1; ls` has two, with another value of y in each.
 */
import { NO_VARIABLES, sameVariables, type Variables, variablesKey } from "./variables.js";

export type Way = {
  /** The folder changes so far, in order. */
  readonly changes: readonly string[];
  readonly variables: Variables;
  /** The folder changes before the last one, for `cd -`. */
  readonly previous?: readonly string[] | undefined;
  /** The folder changes at each `pushd`, for `popd`. */
  readonly stack?: readonly (readonly string[])[] | undefined;
};

export type Ways = readonly Way[];

export const START: Way = { changes: [], variables: NO_VARIABLES };
/** Beyond this number the reader stops following them. */
const MAX_WAYS = 8;

/** The ways with their folder changes replaced; `previous` becomes the ones before. */
export const moved = (ways: Ways, to: (way: Way) => readonly string[]): Ways =>
  ways.map((way) => ({ ...way, changes: to(way), previous: way.changes }));

export const entered = (ways: Ways, target: string): Ways =>
  moved(ways, ({ changes }) => [...changes, target]);

export function eitherWay(one: Ways, other: Ways): Ways {
  if (one === other) return one;
  return [...new Map([...one, ...other].map((way) => [keyOf(way), way])).values()];
}

/** As many ways as can be followed; undefined when there are more. Variables that differ are given up first. */
export function fewWays(ways: Ways): Ways | undefined {
  if (ways.length <= MAX_WAYS) return ways;
  const byFolder = new Map<string, Way>();
  for (const way of ways) {
    const key = folderKey(way);
    const known = byFolder.get(key);
    byFolder.set(key, known ? { ...known, variables: sameVariables(known.variables, way.variables) } : way);
  }
  return byFolder.size <= MAX_WAYS ? [...byFolder.values()] : undefined;
}

/** When there are too many to follow. */
export const firstWays = (ways: Ways): Ways => ways.slice(0, MAX_WAYS);

const keys = new WeakMap<Way, string>();

function keyOf(way: Way): string {
  const known = keys.get(way);
  if (known !== undefined) return known;
  const key = `${folderKey(way)} ${variablesKey(way.variables)}`;
  keys.set(way, key);
  return key;
}

const folderKey = ({ changes, previous, stack = [] }: Way): string =>
  [changes, previous ?? [], ...stack].map(changesKey).join("\n") + (previous ? "" : "-");

const changesKeys = new WeakMap<readonly string[], string>();

/** Equal for equal lists. Each list is written out once, since lists get long and are compared often. */
export function changesKey(changes: readonly string[]): string {
  const known = changesKeys.get(changes);
  if (known !== undefined) return known;
  const key = JSON.stringify(changes);
  changesKeys.set(changes, key);
  return key;
}
