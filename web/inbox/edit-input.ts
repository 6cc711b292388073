/** The fields of a call's input that a person may change, and the input made from them. */
export type EditField = { readonly name: string; readonly text: string };

/** Every text of an object is a field; any other input is edited as JSON, under the name "". */
export function editFields(input: unknown): readonly EditField[] {
  if (isRecord(input)) {
    const texts = Object.entries(input).flatMap(([name, value]) =>
      typeof value === "string" ? [{ name, text: value }] : [],
    );
    if (texts.length > 0) return texts;
  }
  return [{ name: "", text: JSON.stringify(input ?? {}, null, 2) }];
}

export type EditedInput =
  | { readonly isValid: true; readonly input: unknown; readonly isChanged: boolean }
  | { readonly isValid: false; readonly why: string };

export function editedInput(input: unknown, fields: readonly EditField[]): EditedInput {
  const [first] = fields;
  if (first?.name === "") {
    try {
      const parsed: unknown = JSON.parse(first.text);
      return {
        isValid: true,
        input: parsed,
        isChanged: JSON.stringify(parsed) !== JSON.stringify(input ?? {}),
      };
    } catch {
      return { isValid: false, why: "This is not JSON." };
    }
  }
  const before = isRecord(input) ? input : {};
  const made = { ...before, ...Object.fromEntries(fields.map(({ name, text }) => [name, text])) };
  return { isValid: true, input: made, isChanged: fields.some(({ name, text }) => before[name] !== text) };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
