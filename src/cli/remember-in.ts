/** Stores the rules of an "always" or "never" among the remembered ones. */
import type { AgentOptions, Place } from "../agent/index.js";
import type { GrantScope } from "../policy/index.js";
import { grantIdOf } from "../settings/grant-store.js";
import type { RuleSource } from "../settings/index.js";

export const rememberIn =
  (source: RuleSource): NonNullable<AgentOptions["remember"]> =>
  async ({ grantId, scope, expiresAt, ...proposal }, place) => {
    await source.grants.add(proposal, grantScope(scope, place), {
      grantId: grantIdOf(grantId),
      ...(expiresAt !== undefined && { expiresAt }),
    });
    source.changed();
  };

function grantScope(scope: GrantScope["type"], { root, sessionId }: Place): GrantScope {
  if (scope === "session") return { type: scope, sessionId };
  return scope === "project" ? { type: scope, root } : { type: scope };
}
