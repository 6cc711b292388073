/**
 * Replaces `${NAME}` and `${NAME:-default}` in the texts of a server's configuration. `$${` stands for `${`; other
 * forms stay as written, since a script in `args` may have its own. No message carries a value.
 */
export type Variables = { readonly [name: string]: string | undefined };

type Place = readonly (string | number)[];

export type Expanded =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly variable: string; readonly place: Place };

export function expandVariables(json: unknown, variables: Variables, place: Place = []): Expanded {
  if (typeof json === "string") return expandText(json, variables, place);
  if (typeof json !== "object" || json === null) return { ok: true, value: json };
  const entries: [string, unknown][] = [];
  for (const [key, one] of Object.entries(json)) {
    const step = Array.isArray(json) ? Number(key) : key;
    const expanded = expandVariables(one, variables, [...place, step]);
    if (!expanded.ok) return expanded;
    entries.push([key, expanded.value]);
  }
  return {
    ok: true,
    value: Array.isArray(json) ? entries.map(([, value]) => value) : Object.fromEntries(entries),
  };
}

const VARIABLE = /\$\$\{|\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/** The names of the variables that the text uses. */
export const variablesIn = (text: string): readonly string[] =>
  [...text.matchAll(VARIABLE)].flatMap(([, name]) => (name === undefined ? [] : [name]));

function expandText(text: string, variables: Variables, place: Place): Expanded {
  let missing: string | undefined;
  const value = text.replaceAll(VARIABLE, (all: string, name?: string, fallback?: string) => {
    if (name === undefined) return "${";
    const set = Object.hasOwn(variables, name) ? variables[name] : undefined;
    // Like a shell, `:-` also replaces an empty value.
    if (fallback !== undefined) return set === undefined || set === "" ? fallback : set;
    if (set === undefined) missing ??= name;
    return set ?? all;
  });
  return missing === undefined ? { ok: true, value } : { ok: false, variable: missing, place };
}
