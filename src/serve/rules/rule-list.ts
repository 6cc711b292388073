/** The rules in force in a folder and all remembered ones, each with its source and how often it decided. */
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { visibleText } from "../../call/index.js";
import type { CallStatistics } from "../../call/index.js";
import { inMode, isMode } from "../../policy/index.js";
import type { GrantScope, Rule } from "../../policy/index.js";
import { ruleParts } from "../../policy/rule.js";
import { decidingRules } from "../../policy/verdict.js";
import type { ListedGrant, RuleOrigin } from "../../settings/index.js";
import type { ProjectRules } from "../../settings/rule-source.js";
import type { ListedRule, RuleList } from "../api/rule-bodies.js";
import type { ServeContext } from "../server/serve-context.js";

const USE_DAYS = 30;
const DAY_MS = 86_400_000;
const MAX_FILE_CHARACTERS = 100_000;

export async function ruleList(
  { rules: source, archive, now, modeIn }: ServeContext,
  folder: string,
): Promise<RuleList> {
  const { rules, origins, mode: written, problems, ignored, project } = source.current(folder);
  // A flag of the server may have chosen another mode than the files.
  const mode = [modeIn(folder)].find(isMode) ?? written;
  const used = await archive.statistics({ by: "rule", since: now() - USE_DAYS * DAY_MS });
  const uses = usesByRule(used);
  const grants = source.grants.list();
  const listed = (
    rule: Rule,
    about: Omit<ListedRule, "effect" | "rule" | "text" | "uses" | "breaches" | "reason">,
  ): ListedRule => {
    const { effect, name, reason } = ruleParts(rule);
    const { calls = 0, breaches = 0 } = uses.get(name) ?? {};
    return {
      ...about,
      effect,
      rule: { ...rule },
      text: visibleText(name),
      ...(reason !== undefined && { reason: visibleText(reason) }),
      uses: calls,
      breaches,
    };
  };
  return {
    folder,
    mode,
    rules: [
      ...rules.flatMap((rule) => {
        const origin = origins.get(rule);
        return origin && origin.from !== "grant" ? [listed(rule, ofFile(origin, folder))] : [];
      }),
      ...grants.flatMap((grant) =>
        grant.rules.map((rule) => listed(rule, ofGrant(grant, source.grants.path))),
      ),
      ...inMode(mode, []).rules.map((rule) =>
        listed(rule, { from: "mode", file: "", scope: "user", isOver: false }),
      ),
      ...ignored.map(({ rule, why }) =>
        listed(rule, {
          from: "project",
          file: project?.file ?? "",
          scope: "project",
          isOver: false,
          ignored: why,
        }),
      ),
    ],
    problems: [...problems],
    ...(project && { project: { ...project, text: projectRulesText(project) ?? "" } }),
  };
}

/** Several rules may have let one call through together: each was used. */
function usesByRule(groups: readonly CallStatistics[]) {
  const uses = new Map<string, { readonly calls: number; readonly breaches: number }>();
  for (const { key, calls, breaches } of groups)
    for (const name of decidingRules(key)) {
      const before = uses.get(name) ?? { calls: 0, breaches: 0 };
      uses.set(name, { calls: before.calls + calls, breaches: before.breaches + breaches });
    }
  return uses;
}

function ofFile({ from, file }: RuleOrigin, folder: string) {
  return from === "project"
    ? ({ from, file, scope: "project", where: folder, isOver: false } as const)
    : ({ from, file, scope: "user", isOver: false } as const);
}

function ofGrant(
  { grantId, sentence, scope, createdAt, addedBy, expiresAt, isOver }: ListedGrant,
  file: string,
) {
  return {
    grantId,
    sentence: visibleText(sentence),
    from: "grant",
    file,
    scope: scope.type,
    ...whereOf(scope),
    createdAt,
    ...(addedBy !== undefined && { addedBy }),
    ...(expiresAt !== undefined && { expiresAt }),
    isOver,
  } as const;
}

function whereOf(scope: GrantScope): { readonly where?: string } {
  if (scope.type === "project") return { where: scope.root };
  return scope.type === "session" ? { where: scope.sessionId } : {};
}

/** The whole text with that hash. Undefined when the file changed meanwhile, or is too long to be read by a person. */
export function projectRulesText({
  file,
  sha256,
}: Pick<ProjectRules, "file" | "sha256">): string | undefined {
  try {
    const bytes = readFileSync(file);
    const text = bytes.toString("utf8");
    return text.length <= MAX_FILE_CHARACTERS && hash("sha256", bytes) === sha256 ? text : undefined;
  } catch {
    // Gone meanwhile.
    return undefined;
  }
}
