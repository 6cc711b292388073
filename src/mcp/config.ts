/**
 * Reads the configuration of MCP servers, in the shape that editors use for `mcpServers`. Reading is strict: the user
 * may rely on a field that we do not know. Variables in values are replaced only for a caller that passes them.
 */
import { z } from "zod";
import { oneLine } from "../call/index.js";
import { expandVariables } from "./expand-variables.js";
import type { Variables } from "./expand-variables.js";
import { nameProblem } from "./tool-name.js";

type Texts = { readonly [name: string]: string };

/** A program that communicates over its stdin and stdout. `command` is one program: no shell reads it. */
export type StdioServerConfig = {
  readonly command: string;
  readonly args?: readonly string[];
  /** Set beside the few variables that every server inherits. */
  readonly env?: Texts;
  readonly cwd?: string;
  /** Milliseconds without progress after which a call fails. */
  readonly timeout?: number;
};

/** A remote server. Without a type it is streamable HTTP, or SSE when the server supports only that. */
export type HttpServerConfig = {
  readonly url: string;
  readonly type?: "http" | "sse";
  readonly headers?: Texts;
  readonly timeout?: number;
};

export type McpServerConfig = (StdioServerConfig | HttpServerConfig) & {
  /** The same before its variables were replaced: this is shown, because a value may be secret. */
  readonly written?: StdioServerConfig | HttpServerConfig;
};

export type McpServerConfigs = { readonly [server: string]: McpServerConfig };

/** A configuration that cannot be used; the message says which server's, why, and what did not happen. */
export class McpConfigError extends Error {
  readonly code = "MCP_CONFIG";

  constructor(
    message: string,
    /** The position of the mistake in `{ "mcpServers": … }`. */
    readonly path: readonly (string | number)[] = [],
  ) {
    super(message);
    this.name = "McpConfigError";
  }
}

const MAX_TIMEOUT = 3_600_000;
const noNul = z.string().refine((text) => !text.includes("\0"), "a NUL cannot be passed to a program");
const timeout = z.number().int().positive().max(MAX_TIMEOUT).exactOptional();

const stdioSchema = z.strictObject({
  type: z.literal("stdio").exactOptional(),
  command: noNul.min(1),
  args: z.array(noNul).exactOptional(),
  env: z.record(z.string().regex(/^[^=\0]+$/, "it is not a variable name"), noNul).exactOptional(),
  cwd: noNul.min(1).exactOptional(),
  timeout,
});

const httpSchema = z.strictObject({
  type: z.enum(["http", "sse"]).exactOptional(),
  url: z.string().refine(isWebUrl, "it must be an http or https URL without a user name in it"),
  headers: z
    .record(
      z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, "it is not a header name"),
      z.string().regex(/^[^\r\n\0]*$/, "a header is one line"),
    )
    .exactOptional(),
  timeout,
});

/** Only checks the value: zod would drop a server that is called __proto__. */
const fileSchema = z.strictObject({
  mcpServers: z.custom<object>(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    "it must be an object in { }",
  ),
});

/**
 * Reads `{ "mcpServers": { name: { … } } }`. With `variables`, for example `process.env`, `${NAME}` and
 * `${NAME:-default}` are replaced. Throws McpConfigError.
 */
export function readMcpConfig(
  json: unknown,
  { variables }: { readonly variables?: Variables } = {},
): McpServerConfigs {
  const file = fileSchema.safeParse(json);
  if (!file.success) {
    throw new McpConfigError(
      `The MCP servers cannot be read: ${firstProblem(file.error, fileSchema)}. No server was started. Write { "mcpServers": { "name": { "command": … } } }.`,
      placeOf(file.error),
    );
  }
  const entries = Object.entries(file.data.mcpServers);
  const read = (name: string, config: unknown): McpServerConfig =>
    variables ? readExpanded(name, config, variables) : readServer(name, config);
  return Object.fromEntries(entries.map(([name, config]) => [name, read(name, config)]));
}

function readExpanded(name: string, json: unknown, variables: Variables): McpServerConfig {
  const expanded = expandVariables(json, variables);
  if (!expanded.ok) {
    const { variable, place } = expanded;
    throw unusable(
      name,
      `the variable ${variable} in "${oneLine(place.join("."), 80)}" is not set; set it, or write \${${variable}:-default}`,
      place,
    );
  }
  const config = readServer(name, expanded.value);
  const hasVariables = JSON.stringify(expanded.value) !== JSON.stringify(json);
  // The schema has accepted the same fields with their variables replaced.
  return hasVariables ? { ...config, written: json as StdioServerConfig | HttpServerConfig } : config;
}

/** Reads one server's configuration. Throws McpConfigError. */
export function readServer(name: string, json: unknown): McpServerConfig {
  const problem = nameProblem(name);
  if (problem !== undefined) throw unusable(name, `its name ${problem}`);
  const hasUrl = typeof json === "object" && json !== null && Object.hasOwn(json, "url");
  const schema = hasUrl ? httpSchema : stdioSchema;
  const read = schema.safeParse(json);
  if (!read.success) throw unusable(name, firstProblem(read.error, schema), placeOf(read.error));
  if ("url" in read.data) return read.data;
  const { type: _type, ...config } = read.data;
  return config;
}

function unusable(name: string, why: string, place: McpConfigError["path"] = []): McpConfigError {
  return new McpConfigError(
    `The MCP server "${oneLine(name, 60)}" cannot be used: ${why}. The server was not started. Correct its configuration.`,
    ["mcpServers", name, ...place],
  );
}

/** Prefers the issue of a misspelled field to that of the missing right one. */
const shownIssue = ({ issues }: z.ZodError): z.core.$ZodIssue | undefined =>
  issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0];

function placeOf(error: z.ZodError): McpConfigError["path"] {
  const issue = shownIssue(error);
  const path = (issue?.path ?? []).filter((step) => typeof step !== "symbol");
  return issue?.code === "unrecognized_keys" ? [...path, ...issue.keys.slice(0, 1)] : path;
}

function firstProblem(error: z.ZodError, { shape }: z.ZodObject): string {
  const issue = shownIssue(error);
  if (!issue) return "it is not what it should be";
  if (issue.code === "unrecognized_keys")
    return `nobody knows the field "${oneLine(issue.keys[0] ?? "", 60)}", only ${Object.keys(shape)
      .map((field) => `"${field}"`)
      .join(", ")}`;
  const place = issue.path.map(String).join(".");
  return `${place === "" ? "" : `"${oneLine(place, 80)}": `}${oneLine(issue.message, 200)}`;
}

function isWebUrl(text: string): boolean {
  return webUrl(text) !== undefined;
}

/** The URL, when it may be requested: http or https, without a user name or password. */
export function webUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isWeb = url.protocol === "https:" || url.protocol === "http:";
  return isWeb && url.username === "" && url.password === "" ? url : undefined;
}
