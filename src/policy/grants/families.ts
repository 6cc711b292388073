/**
 * Families of commands that one "always" opens together. Each member could be widened by itself, and gives no more
 * power than the others: a person who lets an agent run the project's tests lets it run the project's code.
 */

type Family = { readonly head: string; readonly more: string };

/** By the pattern that a rule of the width "family" has: `*` for the checks of a project, else the program. */
const FAMILIES: ReadonlyMap<string, Family> = new Map([
  [
    "*",
    {
      head: "builds, tests, linters, formatters and local git work here",
      more: ", with harmless flags and workspace paths (runs project code)",
    },
  ],
  [
    "git *",
    {
      head: "local git work",
      more: ": adding, committing, new branches, stashing and looking (runs the hooks)",
    },
  ],
  [
    "gh *",
    { head: "looking at GitHub with gh", more: " (view, list, status, diff, checks, api without changes)" },
  ],
  ["glab *", { head: "looking at GitLab with glab", more: " (view, list, status, diff, logs of jobs)" }],
  ["docker *", { head: "looking at containers with docker", more: " (ps, logs, images)" }],
  [
    "docker compose *",
    {
      head: "the project's services with docker compose",
      more: ": up, stop, build, down without volumes, looking at containers and in their databases (runs what the compose files say)",
    },
  ],
  [
    "docker compose exec *",
    {
      head: "statements that only look, in databases of the project's services",
      more: " (docker compose exec)",
    },
  ],
  [
    "registry *",
    {
      head: "looking at package registries",
      more: " (view, outdated, search; sends names of packages)",
    },
  ],
  ["systemctl *", { head: "looking at services of this machine", more: " (systemctl status, journalctl)" }],
  [
    "kubectl *",
    {
      head: "looking at the cluster with kubectl",
      more: " (get, describe, logs, diff, dry runs; no secrets)",
    },
  ],
  [
    "terraform *",
    { head: "looking at infrastructure with terraform", more: " (state, plans, providers; no outputs)" },
  ],
  ["tofu *", { head: "looking at infrastructure with tofu", more: " (state, plans, providers; no outputs)" }],
  [
    "aws *",
    {
      head: "looking at AWS with aws",
      more: " (describe, list, s3 ls; nothing that holds keys or settings)",
    },
  ],
  [
    "gcloud *",
    {
      head: "looking at Google Cloud with gcloud",
      more: " (list, describe; nothing that holds keys or settings)",
    },
  ],
  ["az *", { head: "looking at Azure with az", more: " (list, show; nothing that holds keys or settings)" }],
  ["helm *", { head: "looking at charts with helm", more: " (list, status, lint, template)" }],
]);

/** The rule's meaning in words; undefined when there is no such family. */
export function familyText(pattern: string): string | undefined {
  const family = FAMILIES.get(pattern);
  return family && `${family.head}${family.more}`;
}

/** The same without the list of what belongs to it. */
export const familyHead = (pattern: string): string | undefined => FAMILIES.get(pattern)?.head;

/**
 * Families that a rule for another family covers, and not the reverse. A project's checks run its code, so they
 * cover the hooks of a commit and a look into a database. Containers that compose starts get what its files say.
 */
const LESSER: ReadonlyMap<string, readonly string[]> = new Map([
  ["*", ["git *", "docker compose exec *", "registry *"]],
  ["docker compose *", ["docker *", "docker compose exec *"]],
]);

export const isInFamily = (pattern: string, family: string | undefined): boolean =>
  family !== undefined && (family === pattern || LESSER.get(pattern)?.includes(family) === true);
