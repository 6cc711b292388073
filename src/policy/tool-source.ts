/**
 * A grant for a tool of an MCP server is for the tool as its server described it and for the server as it was:
 * the same name with another description, or of another program, is another tool.
 */
import type { Intent } from "./intent.js";
import type { RuleScope } from "./rule.js";

type Source = { readonly definition?: string | undefined; readonly fingerprint?: string | undefined };

/** The hashes that a grant for this tool is bound to. */
export function sourceOf({ definition, fingerprint }: Intent): Pick<RuleScope, "definition" | "fingerprint"> {
  return {
    ...(definition !== undefined && { definition }),
    ...(fingerprint !== undefined && { fingerprint }),
  };
}

/** Without a definition an "always" would allow whatever the server then offers, which nobody was shown. */
export function isSourceKnown({ server, definition, fingerprint }: Intent): boolean {
  return server === undefined || (definition !== undefined && fingerprint !== undefined);
}

/** A rule without the hashes, as people write them, holds for whatever the server offers. */
export function isSameSource({ definition, fingerprint }: Source, intent: Intent): boolean {
  return (
    (definition === undefined || definition === intent.definition) &&
    (fingerprint === undefined || fingerprint === intent.fingerprint)
  );
}

/** Why rules that name the tool do not cover it; undefined when its source is the same. */
export function whySourceDiffers(rules: readonly Source[], intent: Intent): string | undefined {
  const others = rules.filter((rule) => !isSameSource(rule, intent));
  if (others.length === 0) return undefined;
  if (!isSourceKnown(intent))
    return "the agent runs this server itself, so nobody can see here whether it is the tool that you allowed";
  return others.some(({ fingerprint }) => fingerprint === undefined || fingerprint === intent.fingerprint)
    ? "the server changed the tool's description, schema or hints since you allowed it"
    : "the server has another program or address than when you allowed this tool";
}
