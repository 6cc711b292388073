/** Initialization and sessions without a prompt, other versions, and lines that are no requests. */
import { isJsonObject } from "../../json.js";
import type { JsonObject } from "../../json.js";
import type { TestClient } from "../test-client.js";
import type { Scene, SceneContext } from "./scene.js";

const NOWHERE = "/toolgate-conformance/no-session-was-ever-here";

/** Without a session, so that an agent which wants a login first can show them too. */
const manners: Scene = {
  name: "manners",
  run: async (context) => {
    const client = context.start();
    await client.initialize();
    await client.request("unknown method", "toolgate_conformance/no_such_method", {});
    await client.request("custom method", "_toolgate.dev/conformance", { value: 1 });
    // A string as id, where all others are numbers: both must come back as they are.
    await client.request("bad params", "session/new", { cwd: 5 }, { id: "toolgate-conformance-1" });
    client.notify(NOTE, { value: 1 });
    await client.waitQuietly();
    await client.request("still there", "_toolgate.dev/still_there", {});
    await context.leave();
  },
};

/** A notification that nobody knows. */
export const NOTE = "_toolgate.dev/conformance_note";

const hello: Scene = {
  name: "hello",
  run: async (context) => {
    const client = context.start();
    await client.initialize();
    const sessionId = await client.openSession("new");
    const second = await client.openSession("new again", client.can("session") ? { mcpServers: [] } : {});
    if (
      client.can("sessionCapabilities.additionalDirectories") ||
      client.can("session.additionalDirectories")
    )
      await client.request("new with directories", "session/new", {
        cwd: context.cwd,
        mcpServers: [],
        additionalDirectories: [context.cwd],
      });
    await changeSettings(client, sessionId);
    // No turn runs: there is nothing to cancel, and no response.
    client.notify("session/cancel", { sessionId });
    await listAndEnd(client, context, { sessionId, second });
  },
};

async function changeSettings(client: TestClient, sessionId: string): Promise<void> {
  const reply = client.replies.get("new");
  const opened = reply?.kind === "result" && isJsonObject(reply.result) ? reply.result : {};
  // Some modes may be out of reach here, such as one that needs more trust, but not all.
  for (const modeId of otherModes(opened["modes"])) {
    const changed = await client.request("set mode", "session/set_mode", { sessionId, modeId });
    if (changed.kind !== "error") break;
  }
  const change = otherValue(opened["configOptions"]);
  if (change) await client.request("set option", "session/set_config_option", { sessionId, ...change });
}

/** The modes that are not the current one; that one itself when it is alone. */
function otherModes(modes: unknown): readonly unknown[] {
  if (!isJsonObject(modes) || !Array.isArray(modes["availableModes"])) return [];
  const ids = modes["availableModes"].filter(isJsonObject).map(({ id }) => id);
  const others = ids.filter((id) => id !== modes["currentModeId"]);
  return others.length > 0 ? others : ids;
}

/** A change of the first option that has another value. */
function otherValue(options: unknown): JsonObject | undefined {
  for (const option of (Array.isArray(options) ? options : []).filter(isJsonObject)) {
    const configId = option["configId"] ?? option["id"];
    const isDraft = "configId" in option;
    if (option["type"] === "boolean")
      return { configId, type: "boolean", value: option["currentValue"] !== true };
    const value = selectValues(option["options"]).find((one) => one !== option["currentValue"]);
    if (value !== undefined) return { configId, ...(isDraft && { type: "id" }), value };
  }
  return undefined;
}

/** The values of a select, grouped or not. */
export function selectValues(options: unknown): readonly unknown[] {
  return (Array.isArray(options) ? options : [])
    .filter(isJsonObject)
    .flatMap((option) =>
      Array.isArray(option["options"]) ? selectValues(option["options"]) : option["value"],
    );
}

async function listAndEnd(
  client: TestClient,
  { cwd }: SceneContext,
  { sessionId, second }: { sessionId: string; second: string },
): Promise<void> {
  const isDraft = client.can("session");
  if (isDraft || client.can("sessionCapabilities.list")) {
    await client.request("list", "session/list", {});
    await client.request("list nowhere", "session/list", { cwd: NOWHERE });
    await client.request("list here", "session/list", { cwd });
  }
  if (client.can("sessionCapabilities.delete") || client.can("session.delete")) {
    await client.request("delete", "session/delete", { sessionId: second });
    if (isDraft) await client.request("list after delete", "session/list", { cwd });
    await client.request("delete again", "session/delete", { sessionId: second });
  }
  if (isDraft || client.can("sessionCapabilities.close"))
    await client.request("close", "session/close", { sessionId });
}

const future: Scene = {
  name: "future",
  run: async (context) => {
    const client = context.start();
    await client.initialize(65_535);
  },
};

const past: Scene = {
  name: "past",
  run: async (context) => {
    const client = context.start();
    await client.initialize(1);
  },
};

const noise: Scene = {
  name: "noise",
  run: async (context) => {
    const client = context.start();
    await client.initialize();
    client.write("{ this is not JSON");
    await client.waitQuietly();
    await client.request("after bad JSON", "_toolgate.dev/still_there", {});
    client.write(JSON.stringify({ foo: "bar" }));
    await client.waitQuietly();
    await client.request("after no request", "_toolgate.dev/still_there", {});
    client.write(
      JSON.stringify([{ jsonrpc: "2.0", id: BATCHED, method: "_toolgate.dev/batched", params: {} }]),
    );
    await client.waitQuietly();
    await client.request("after a batch", "_toolgate.dev/still_there", {});
    await client.request("unknown session", "session/prompt", {
      sessionId: "toolgate-conformance-no-such-session",
      prompt: [{ type: "text", text: "hello" }],
    });
  },
};

/** The id of the one request in the array that is sent. */
export const BATCHED = "toolgate-conformance-batched";

export const HANDSHAKE_SCENES: readonly Scene[] = [manners, hello, future, past, noise];
