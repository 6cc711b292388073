/** A foreign client, the ACP SDK's own, and our agent in one process, over the very bytes that pipes would carry. */
import { PassThrough, Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { onTestFinished } from "vitest";
import { serveWire, stdioWire } from "../src/acp/index.js";
import type { AcpHost, ServeWireOptions } from "../src/acp/index.js";
import { schemaCheck, VERSIONS } from "../src/acp/codec.samples.js";

export type Answer = (
  request: acp.RequestPermissionRequest,
) => Promise<acp.RequestPermissionResponse> | acp.RequestPermissionResponse;

export type Editor = {
  readonly agent: acp.ClientContext;
  readonly hello: acp.InitializeResponse;
  readonly updates: acp.SessionUpdate[];
  readonly questions: acp.RequestPermissionRequest[];
  /** Ends the client's side; comes back when the agent has closed everything. */
  readonly leave: () => Promise<void>;
};

export type EditorOptions = {
  readonly answer?: Answer;
  readonly capabilities?: acp.ClientCapabilities;
  readonly serve?: Partial<ServeWireOptions>;
  /** More that the client can be asked for. */
  readonly serves?: (app: acp.ClientApp) => acp.ClientApp;
};

const isValid = schemaCheck(VERSIONS[0]);

export const choose =
  (kind: acp.PermissionOptionKind, _meta?: Record<string, unknown>): Answer =>
  ({ options }) => ({
    outcome: {
      outcome: "selected",
      optionId: options.find((option) => option.kind === kind)?.optionId ?? "none",
    },
    ...(_meta && { _meta }),
  });

/** Checks every update that it receives against the schema; one that does not fit fails the test. */
export async function editor(host: AcpHost, options: EditorOptions = {}): Promise<Editor> {
  const { answer = choose("allow_once"), capabilities = {}, serve = {}, serves = (app) => app } = options;
  const toAgent = new PassThrough();
  const toClient = new PassThrough();
  const served = serveWire(stdioWire(toAgent, toClient), {
    name: "tester",
    version: "1.0.0",
    openHost: async () => host,
    ...serve,
  });
  const updates: acp.SessionUpdate[] = [];
  const questions: acp.RequestPermissionRequest[] = [];
  const app = serves(
    acp
      .client({ name: "an editor" })
      .onNotification(acp.methods.client.session.update, ({ params }) => {
        const problem = isValid(params.update);
        if (problem !== null) throw new Error(`not of the schema: ${JSON.stringify(problem)}`);
        updates.push(params.update);
      })
      .onRequest(acp.methods.client.session.requestPermission, ({ params }) => {
        questions.push(params);
        return answer(params);
      }),
  );
  const stream = acp.ndJsonStream(
    Writable.toWeb(toAgent),
    // The same stream by its other name.
    Readable.toWeb(toClient) as ReadableStream<Uint8Array>,
  );
  const { agent } = app.connect(stream);
  const hello = await agent.request(acp.methods.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientInfo: { name: "editor", title: "The Editor", version: "1" },
    clientCapabilities: capabilities,
  });
  const leave = async () => {
    toAgent.end();
    await served;
  };
  onTestFinished(leave);
  return { agent, hello, updates, questions, leave };
}

export const says = (text: string) => [{ type: "text" as const, text }];

/** The last update of a kind. */
export function lastOf<Kind extends acp.SessionUpdate["sessionUpdate"]>(
  updates: readonly acp.SessionUpdate[],
  kind: Kind,
): Extract<acp.SessionUpdate, { sessionUpdate: Kind }> | undefined {
  return updates.findLast(
    (update): update is Extract<acp.SessionUpdate, { sessionUpdate: Kind }> => update.sessionUpdate === kind,
  );
}
