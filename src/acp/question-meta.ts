/**
 * `_meta.toolgate` of a permission request, for data that ACP has no field for: the intent, the reason for asking, and
 * the rules that each "always" would store.
 */
import type { Meta, Question } from "../call/index.js";

export function questionMeta({ questionId, reason, about, options, askedAt, expiresAt }: Question): Meta {
  const grants = options.flatMap(({ optionId, grant }) => (grant ? [[optionId, grant] as const] : []));
  const toolgate = {
    questionId,
    askedAt,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(reason !== undefined && { reason }),
    ...(about && { about }),
    ...(grants.length > 0 && { grants: Object.fromEntries(grants) }),
  };
  return { toolgate };
}
