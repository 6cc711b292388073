/** A table of subcommands by program, written as one line each: `{ go: "build, test, tool cover" }`. */
export function subcommandTable(rows: {
  readonly [program: string]: string;
}): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(Object.entries(rows).map(([program, names]) => [program, new Set(names.split(/,\s*/))]));
}
