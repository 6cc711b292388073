/**
 * Tool names come as `read_file`, `readFile`, `HTTPRequest`, `mcp__github__create_branch`,
 * `filesystem/read_text` or `functions.shell`. This is the only place that splits them.
 */
type ToolName = {
  readonly server?: string;
  readonly tool: string;
};

/** Twice MCP's limit. A longer name is not read: a dangerous word could hide in the part that is cut. */
export const MAX_READABLE_NAME = 256;

/**
 * OpenAPI bridges name tools "DELETE /users/list": the method is the verb and not a server.
 * GET is not here: a server's name must not make its tools look harmless.
 */
const METHODS = new Set(["post", "put", "patch", "delete"]);

/** Everything after the first part belongs to the tool, so that a word in the middle still counts. */
export function splitToolName(name: string): ToolName {
  const parts = name.split(/__+|[/.:]+/).filter((part) => /[^\s_-]/.test(part));
  const [server, ...tool] = parts.length > 2 && parts[0] === "mcp" ? parts.slice(1) : parts;
  if (server === undefined || tool.length === 0) return { tool: name };
  if (METHODS.has(toolWords(server).join(" "))) return { tool: name };
  return { server, tool: tool.join("__") };
}

/** The words of a name in their order, in lower case: "HTTPRequest2" is http, request, 2. */
export function toolWords(tool: string): readonly string[] {
  return (tool.match(WORDS) ?? []).map((word) => word.toLowerCase());
}

const WORDS = /[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+/g;
