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
  [
    "docker compose *",
    "the project's services with docker compose: up, stop, build, down without volumes, looking at containers and in their databases (runs what the compose files say)",
  ],
  [
    "docker compose exec *",
    "statements that only look, in databases of the project's services (docker compose exec)",
  ],
  ["registry *", "looking at package registries (view, outdated, search; sends names of packages)"],
  ["systemctl *", "looking at services of this machine (systemctl status, journalctl)"],
  ["kubectl *", "looking at the cluster with kubectl (get, describe, logs, diff, dry runs; no secrets)"],
  ["terraform *", "looking at infrastructure with terraform (state, plans, providers; no outputs)"],
  ["tofu *", "looking at infrastructure with tofu (state, plans, providers; no outputs)"],
  ["aws *", "looking at AWS with aws (describe, list, s3 ls; nothing that holds keys or settings)"],
  ["gcloud *", "looking at Google Cloud with gcloud (list, describe; nothing that holds keys or settings)"],
  ["az *", "looking at Azure with az (list, show; nothing that holds keys or settings)"],
  ["helm *", "looking at charts with helm (list, status, lint, template)"],
]);

/** The rule's meaning in words; undefined when there is no such family. */
export const familyText = (pattern: string): string | undefined => FAMILIES.get(pattern);

/**
 * Lesser work that a rule for a family covers, and not the reverse. The checks of a project run its code: the hooks that
 * a commit runs, and a look into a database, are no more than that. Containers that compose starts get what its files say.
 */
const LESSER: ReadonlyMap<string, readonly string[]> = new Map([
  ["*", ["git *", "docker compose exec *", "registry *"]],
  ["docker compose *", ["docker *", "docker compose exec *"]],
]);

export const isInFamily = (pattern: string, family: string | undefined): boolean =>
  family !== undefined && (family === pattern || LESSER.get(pattern)?.includes(family) === true);
