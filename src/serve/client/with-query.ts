export type Query = Readonly<Record<string, string | number | undefined>>;

/** A path with a query; fields that are undefined are left out. */
export function withQuery(path: string, query: Query): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) fields.set(name, `${value}`);
  }
  const text = fields.toString();
  return text === "" ? path : `${path}?${text}`;
}
