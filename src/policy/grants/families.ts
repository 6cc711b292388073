/**
 * Families of commands that one "always" opens together. Each member could be widened by itself, and gives no more
 * power than the others: a person who lets an agent run the project's tests lets it run the project's code.
 */

/** By the pattern that a rule of the width "family" has: `*` for the checks of a project, else the program. */
const FAMILIES: ReadonlyMap<string, string> = new Map([
  [
    "*",
    "builds, tests, linters, formatters and local git work here, with harmless flags and workspace paths (runs project code)",
  ],
  ["git *", "local git work: adding, committing, new branches, stashing and looking (runs the hooks)"],
  ["gh *", "looking at GitHub with gh (view, list, status, diff, checks, api without changes)"],
  ["docker *", "looking at containers with docker (ps, logs, images)"],
  ["kubectl *", "looking at the cluster with kubectl (get, describe, logs; no secrets)"],
  ["terraform *", "looking at infrastructure with terraform (state, plans, providers; no outputs)"],
  ["tofu *", "looking at infrastructure with tofu (state, plans, providers; no outputs)"],
  ["aws *", "looking at AWS with aws (describe, list, s3 ls; nothing that holds keys or settings)"],
  ["gcloud *", "looking at Google Cloud with gcloud (list, describe; nothing that holds keys or settings)"],
  ["az *", "looking at Azure with az (list, show; nothing that holds keys or settings)"],
  ["helm *", "looking at charts with helm (list, status, lint, template)"],
]);

/** The rule's meaning in words; undefined when there is no such family. */
export const familyText = (pattern: string): string | undefined => FAMILIES.get(pattern);

/** The checks of a project run its code: the hooks that a commit runs are no more than that. Not the reverse. */
export const isInFamily = (pattern: string, family: string | undefined): boolean =>
  family === pattern || (pattern === "*" && family === "git *");
