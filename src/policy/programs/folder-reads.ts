/**
 * Common traits of programs that walk folders: where they start when no word says so, and how they reach files that no
 * word names.
 */

export const FOLLOWS = "follows the links that it comes upon, wherever they lead";
export const UNSEEN = "takes the names of its files from a list that is not shown here";

/** Without a path, such a program goes through the folder that it is in. */
export const orHere = (paths: readonly string[]): readonly string[] => (paths.length === 0 ? ["."] : paths);
