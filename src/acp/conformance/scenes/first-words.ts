/** Initialization and sessions without a prompt, other versions, and lines that are no requests. */
import { isJsonObject } from "../../json.js";
import type { JsonObject } from "../../json.js";
import type { Talk } from "../talk.js";
import type { Scene, Stage } from "./scene.js";

const NOWHERE = "/toolgate-conformance/no-session-was-ever-here";

/** Without a session, so that an agent which wants a login first can show them too. */
const manners: Scene = {
  name: "manners",
  play: async (stage) => {
    const talk = stage.start();
    await talk.hello();
    await talk.ask("unknown method", "toolgate_conformance/no_such_method", {});
    await talk.ask("custom method", "_toolgate.dev/conformance", { value: 1 });
    // A string as id, where all others are numbers: both must come back as they are.
    await talk.ask("bad params", "session/new", { cwd: 5 }, { id: "toolgate-conformance-1" });
    talk.tell(NOTE, { value: 1 });
    await talk.quiet();
    await talk.ask("still there", "_toolgate.dev/still_there", {});
    await stage.leave();
  },
};

/** A notification that nobody knows. */
export const NOTE = "_toolgate.dev/conformance_note";

const hello: Scene = {
  name: "hello",
  play: async (stage) => {
    const talk = stage.start();
    await talk.hello();
    const sessionId = await talk.open("new");
    const second = await talk.open("new again", talk.can("session") ? { mcpServers: [] } : {});
    if (talk.can("sessionCapabilities.additionalDirectories") || talk.can("session.additionalDirectories"))
      await talk.ask("new with directories", "session/new", {
        cwd: stage.cwd,
        mcpServers: [],
        additionalDirectories: [stage.cwd],
      });
    await changeSettings(talk, sessionId);
    // Nothing is under way: there is nothing to cancel, and nobody to answer.
    talk.tell("session/cancel", { sessionId });
    await listAndEnd(talk, stage, { sessionId, second });
  },
};

async function changeSettings(talk: Talk, sessionId: string): Promise<void> {
  const reply = talk.replies.get("new");
  const opened = reply?.kind === "result" && isJsonObject(reply.result) ? reply.result : {};
  // One of them may be out of reach here, such as one that needs more trust; not all.
  for (const modeId of otherModes(opened["modes"])) {
    const changed = await talk.ask("set mode", "session/set_mode", { sessionId, modeId });
    if (changed.kind !== "error") break;
  }
  const change = otherValue(opened["configOptions"]);
  if (change) await talk.ask("set option", "session/set_config_option", { sessionId, ...change });
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
  talk: Talk,
  { cwd }: Stage,
  { sessionId, second }: { sessionId: string; second: string },
): Promise<void> {
  const isDraft = talk.can("session");
  if (isDraft || talk.can("sessionCapabilities.list")) {
    await talk.ask("list", "session/list", {});
    await talk.ask("list nowhere", "session/list", { cwd: NOWHERE });
    await talk.ask("list here", "session/list", { cwd });
  }
  if (talk.can("sessionCapabilities.delete") || talk.can("session.delete")) {
    await talk.ask("delete", "session/delete", { sessionId: second });
    if (isDraft) await talk.ask("list after delete", "session/list", { cwd });
    await talk.ask("delete again", "session/delete", { sessionId: second });
  }
  if (isDraft || talk.can("sessionCapabilities.close"))
    await talk.ask("close", "session/close", { sessionId });
}

const future: Scene = {
  name: "future",
  play: async (stage) => {
    const talk = stage.start();
    await talk.hello(65_535);
  },
};

const past: Scene = {
  name: "past",
  play: async (stage) => {
    const talk = stage.start();
    await talk.hello(1);
  },
};

const noise: Scene = {
  name: "noise",
  play: async (stage) => {
    const talk = stage.start();
    await talk.hello();
    talk.write("{ this is not JSON");
    await talk.quiet();
    await talk.ask("after bad JSON", "_toolgate.dev/still_there", {});
    talk.write(JSON.stringify({ foo: "bar" }));
    await talk.quiet();
    await talk.ask("after no request", "_toolgate.dev/still_there", {});
    talk.write(
      JSON.stringify([{ jsonrpc: "2.0", id: BATCHED, method: "_toolgate.dev/batched", params: {} }]),
    );
    await talk.quiet();
    await talk.ask("after a batch", "_toolgate.dev/still_there", {});
    await talk.ask("unknown session", "session/prompt", {
      sessionId: "toolgate-conformance-no-such-session",
      prompt: [{ type: "text", text: "hello" }],
    });
  },
};

/** The id of the one request in the array that is sent. */
export const BATCHED = "toolgate-conformance-batched";

export const FIRST_WORDS: readonly Scene[] = [manners, hello, future, past, noise];
