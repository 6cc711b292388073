/** Rules as text that a person edits: one JSON object after the other, each from a new line. */
export type WrittenRules =
  | { readonly isValid: true; readonly rules: readonly Record<string, unknown>[] }
  | { readonly isValid: false; readonly why: string };

export const rulesText = (rules: readonly object[]): string =>
  rules.map((rule) => JSON.stringify(rule, null, 2)).join("\n");

/** Only the form is read here; the server reads each rule as it reads a rule file. */
export function writtenRules(text: string): WrittenRules {
  let values: unknown;
  try {
    // No text inside JSON has a line break, so one between braces separates two rules.
    values = JSON.parse(`[${text.trim().replaceAll(/\}\s*\n\s*\{/g, "},{")}]`);
  } catch {
    return { isValid: false, why: "This is no JSON. A rule is one object, as shown before." };
  }
  const rules = Array.isArray(values) ? values.filter(isRule) : [];
  if (!Array.isArray(values) || rules.length === 0 || rules.length !== values.length)
    return { isValid: false, why: 'Each rule is an object with "allow". Another kind is added in Rules.' };
  return { isValid: true, rules };
}

const isRule = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && "allow" in value && typeof value.allow === "string";
