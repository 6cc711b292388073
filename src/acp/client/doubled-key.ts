/** A key that an object in a JSON text has twice: of its two values, readers see one or the other. */

/** The text must be JSON. */
export function doubledKey(json: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  for (const match of json.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/gs)) {
    const [token, colon] = match;
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (colon !== undefined) {
      const key = String(JSON.parse(token.slice(0, -colon.length)));
      const keys = open.at(-1);
      if (keys?.has(key)) return key;
      keys?.add(key);
    }
  }
  return undefined;
}
