/** A path with a query; fields that are undefined are left out. */
export function withQuery(path: string, query: Readonly<Record<string, unknown>>): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) fields.set(name, String(value));
  }
  const text = fields.toString();
  return text === "" ? path : `${path}?${text}`;
}
