/** The schema of `grants.json`. Unknown fields of a newer toolgate are kept, but not inside a rule. */
import { z } from "zod";
import { GRANT_AUTHORS, GRANT_WIDTHS } from "../policy/grants/grant.js";
import type { Grant } from "../policy/grants/grant.js";
import { ruleSchema } from "./rules-schema.js";

/** `clockSeen` is the latest time seen since the grant was added; it only goes forward. */
export type StoredGrant = Grant & { readonly clockSeen: number };

export type GrantFile = { readonly version: 1; readonly grants: readonly StoredGrant[] };

const scope = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("session"), sessionId: z.string() }),
  z.looseObject({ type: z.literal("project"), root: z.string() }),
  z.looseObject({ type: z.literal("user") }),
]);

export const grantFileSchema: z.ZodType<GrantFile> = z.looseObject({
  version: z.literal(1),
  grants: z.array(
    z.looseObject({
      grantId: z.string(),
      sentence: z.string(),
      rules: z.array(ruleSchema),
      width: z.enum(GRANT_WIDTHS).exactOptional(),
      scope,
      createdAt: z.number(),
      addedBy: z.enum(GRANT_AUTHORS).exactOptional(),
      expiresAt: z.number().exactOptional(),
      uses: z.number(),
      clockSeen: z.number(),
    }),
  ),
});
