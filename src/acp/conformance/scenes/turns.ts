/** Prompts: with questions allowed, refused and answered wrongly, with all kinds of content, and cut short. */
import { pathToFileURL } from "node:url";
import type { JsonObject } from "../../json.js";
import type { Policy } from "../test-client.js";
import type { Scene } from "./scene.js";

const turn: Scene = {
  name: "turn",
  run: async (context) => {
    const client = context.start();
    await client.initialize();
    const sessionId = await client.openSession();
    await client.runTurn("prompt", sessionId, context.prompt);
    // The same session: the second turn's calls must not reuse the ids of the first turn's calls.
    await client.runTurn("prompt again", sessionId, context.prompt);
    await client.waitQuietly();
  },
};

const SHORT = "Answer with the single word yes. Use no tools.";
// One white pixel, and a tenth of a second of silence.
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII=";
const SILENT_WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

const contents: Scene = {
  name: "contents",
  run: async (context) => {
    const client = context.start();
    await client.initialize();
    const sessionId = await client.openSession();
    client.policy = "reject";
    const uri = pathToFileURL(`${context.cwd}/notes.txt`).href;
    const text = { type: "text", text: SHORT };
    const withBlock = (block: JsonObject): readonly JsonObject[] => [text, block];
    await client.runTurn("prompt with meta", sessionId, SHORT, {
      _meta: { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" },
    });
    await client.runTurn(
      "prompt with link",
      sessionId,
      withBlock({ type: "resource_link", name: "notes.txt", uri }),
    );
    const can = (what: string): boolean =>
      client.can(`promptCapabilities.${what}`) || client.can(`session.prompt.${what}`);
    if (can("image"))
      await client.runTurn(
        "prompt with image",
        sessionId,
        withBlock({ type: "image", data: PIXEL, mimeType: "image/png" }),
      );
    if (can("audio"))
      await client.runTurn(
        "prompt with audio",
        sessionId,
        withBlock({ type: "audio", data: SILENT_WAV, mimeType: "audio/wav" }),
      );
    if (can("embeddedContext"))
      await client.runTurn(
        "prompt with embeddedContext",
        sessionId,
        withBlock({ type: "resource", resource: { uri, mimeType: "text/plain", text: "Some notes." } }),
      );
  },
};

const answeredWith = (name: "refused" | "unoffered", ...policies: readonly Policy[]): Scene => ({
  name,
  run: async (context) => {
    const client = context.start();
    await client.initialize();
    for (const policy of policies) {
      // A new session: some agents stop asking for the rest of a session after a refusal.
      const sessionId = await client.openSession(`new for ${policy}`);
      client.policy = policy;
      await client.runTurn(policy, sessionId, context.prompt);
    }
  },
});

const cancelled: Scene = {
  name: "cancelled",
  run: async (context) => {
    const client = context.start();
    await client.initialize();
    const sessionId = await client.openSession();
    client.policy = context.holdsQuestions ? "hold" : "allow";
    await client.runInterruptedTurn(
      "prompt",
      { sessionId, prompt: context.cancelPrompt, until: "under way" },
      () => client.notify("session/cancel", { sessionId }),
    );
    await client.request("after the cancel", "session/new", { cwd: context.cwd, mcpServers: [] });
  },
};

const cancelledQuestion: Scene = {
  name: "cancelled-question",
  run: async (context) => {
    const client = context.start();
    await client.initialize();
    const sessionId = await client.openSession();
    client.policy = "hold";
    await client.runInterruptedTurn("prompt", { sessionId, prompt: context.prompt, until: "question" }, () =>
      client.notify("session/cancel", { sessionId, _meta: { "toolgate.dev/why": "a conformance test" } }),
    );
  },
};

const closed: Scene = {
  name: "closed",
  run: async (context) => {
    const client = context.start();
    await client.initialize();
    const sessionId = await client.openSession();
    if (!client.can("sessionCapabilities.close") && !client.can("session")) return;
    client.policy = context.holdsQuestions ? "hold" : "allow";
    await client.runInterruptedTurn(
      "prompt",
      { sessionId, prompt: context.cancelPrompt, until: "under way" },
      () => client.request("close", "session/close", { sessionId }),
    );
  },
};

export const TURN_SCENES: readonly Scene[] = [
  turn,
  contents,
  answeredWith("refused", "reject"),
  answeredWith("unoffered", "unoffered", "unknown-outcome"),
  cancelled,
  cancelledQuestion,
  closed,
];
