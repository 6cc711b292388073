/** The methods of each path, from the tables of endpoints. */
import type { Endpoint } from "./endpoints.js";

type Pattern = Pick<Endpoint<string>, "method" | "path" | "hasSlashes">;

/** The methods of a path; none for a path that no endpoint has. Where two patterns match, the first one counts. */
export function methodsIn(endpoints: Readonly<Record<string, Pattern>>): (path: string) => readonly string[] {
  const byPattern = new Map<string, { readonly matches: RegExp; readonly methods: string[] }>();
  for (const endpoint of Object.values(endpoints)) {
    const { path, method } = endpoint;
    const known = byPattern.get(path) ?? { matches: patternOf(endpoint), methods: [] };
    known.methods.push(method.toUpperCase());
    byPattern.set(path, known);
  }
  return (path) => [...byPattern.values()].find(({ matches }) => matches.test(path))?.methods ?? [];
}

/** Paths of endpoints have letters, slashes, dots and names in braces. */
function patternOf({ path, hasSlashes }: Pattern): RegExp {
  const source = path
    .replaceAll(".", "\\.")
    .replace("{id}", hasSlashes === true ? ".+" : "[^/]+")
    .replaceAll(/\{\w+\}/g, "[^/]+");
  return new RegExp(`^${source}$`);
}
