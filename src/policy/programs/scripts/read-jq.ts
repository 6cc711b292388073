/** A jq filter cannot write or run anything, but it can show the environment and load other filters. */
export function jqDoubts(filter: string): string[] {
  // Text may hold code, `"\(env)"`; then none of it is passed over.
  const bare = filter.includes("\\(") ? filter : filter.replaceAll(/"(?:[^"\\]|\\[^])*"/g, '""');
  const doubts: string[] = [];
  if (/\$ENV\b|\$__prog|(?<![.\w$])env\b/.test(bare)) {
    doubts.push("the filter reads the environment, where secrets are");
  }
  if (/(?<![.\w$])(?:import|include|modulemeta|get_search_list|input_line_number\s*\/)/.test(bare)) {
    doubts.push("the filter loads another filter");
  }
  return doubts;
}
