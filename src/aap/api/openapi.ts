/**
 * The server's description of itself, as OpenAPI 3.1, made from the table of endpoints. Requests are described by the
 * very schemas that check them.
 */
import { z } from "zod";
import { ENDPOINTS } from "./endpoints.js";
import type { Endpoint } from "./endpoints.js";
import { RESPONSES } from "./responses.js";

const refTo = (name: string): string => `#/components/schemas/${name}`;

/** Endpoints of another API on the same server, with the schemas of its answers. */
export type MoreEndpoints = {
  readonly endpoints: Readonly<Record<string, Endpoint<string>>>;
  readonly responses: Readonly<Record<string, z.ZodType>>;
};

export function openApi(version = "0.0.0", more: MoreEndpoints = { endpoints: {}, responses: {} }): object {
  const paths = new Map<string, Record<string, object>>();
  for (const [operationId, endpoint] of Object.entries<Endpoint<string>>({ ...ENDPOINTS, ...more.endpoints }))
    paths.set(endpoint.path, {
      ...paths.get(endpoint.path),
      [endpoint.method]: { operationId, ...operation(endpoint) },
    });
  return {
    openapi: "3.1.0",
    info: {
      title: "Toolgate",
      version,
      description:
        "Agents for apps: the Agent Application Protocol, version 3, and what apps need beside it.",
    },
    security: [{ token: [] }],
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: responseSchemas({ ...RESPONSES, ...more.responses }),
    },
  };
}

/** Responses refer to each other by their names. */
function responseSchemas(responses: MoreEndpoints["responses"]): Readonly<Record<string, object>> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(responses)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { io: "input", uri: refTo });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _schema, $id: _id, id: _name, ...schema }]) => [
      name,
      schema,
    ]),
  );
}

function operation({
  path,
  summary,
  answer,
  body,
  query,
  headers,
  isOpen = false,
}: Endpoint<string>): object {
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: "path",
      required: true,
      schema: { type: "string" },
    })),
    ...(query ? parametersOf(query, "query") : []),
    ...(headers ? parametersOf(headers, "header") : []),
  ];
  return {
    summary,
    ...(isOpen && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: { required: true, content: { "application/json": { schema: schemaOf(body) } } },
    }),
    responses: { [answer.status ?? 200]: response(answer), default: PROBLEM },
  };
}

function parametersOf(schema: z.ZodObject, place: "query" | "header"): readonly object[] {
  const { properties = {}, required = [] } = schemaOf(schema);
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = typeof property === "object" ? property : {};
    return { name, in: place, description, required: required.includes(name), schema: rest };
  });
}

const contentOf = (name: string): object => ({ schema: { $ref: refTo(name) } });

const PROBLEM = {
  description: "Why the request was refused.",
  content: { "application/json": contentOf("Problem") },
};

function response({ description, json, frames, isText }: Endpoint<string>["answer"]): object {
  const content = {
    ...(json && { "application/json": contentOf(json) }),
    ...(frames && { "text/event-stream": { schema: framesOf(frames) } }),
    ...(isText && { "text/plain": { schema: { type: "string" } } }),
  };
  return { description, ...(Object.keys(content).length > 0 && { content }) };
}

/** Frames are text; the data of each type has its own schema. */
const framesOf = (name: string): object => ({
  type: "string",
  description: `Server-sent events. Each frame has an "id", an "event" and, as JSON, its "data": see ${refTo(name)}.`,
});

/** The form in which a request is sent: a field with a default may be left out. */
function schemaOf(body: z.ZodType): z.core.JSONSchema.BaseSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(body, { io: "input" });
  return schema;
}
