/**
 * `_meta.toolgate` of a permission request: what ACP has no field for. What is really about to be done, why it is
 * asked, and what each "always" would store, as rules that a program can read.
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
