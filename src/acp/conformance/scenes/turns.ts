/** Prompts: with questions allowed, refused and answered wrongly, with all kinds of content, and cut short. */
import { pathToFileURL } from "node:url";
import type { JsonObject } from "../../json.js";
import type { Policy } from "../talk.js";
import type { Scene } from "./scene.js";

const turn: Scene = {
  name: "turn",
  play: async (stage) => {
    const talk = stage.start();
    await talk.hello();
    const sessionId = await talk.open();
    await talk.turn("prompt", sessionId, stage.prompt);
    // In the same session: what the second turn calls must not take the ids of the first one's calls.
    await talk.turn("prompt again", sessionId, stage.prompt);
    await talk.quiet();
  },
};

const SHORT = "Answer with the single word yes. Use no tools.";
// One white pixel, and a tenth of a second of nothing.
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII=";
const SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

const contents: Scene = {
  name: "contents",
  play: async (stage) => {
    const talk = stage.start();
    await talk.hello();
    const sessionId = await talk.open();
    talk.policy = "reject";
    const uri = pathToFileURL(`${stage.cwd}/notes.txt`).href;
    const text = { type: "text", text: SHORT };
    const withBlock = (block: JsonObject): readonly JsonObject[] => [text, block];
    await talk.turn("prompt with meta", sessionId, SHORT, {
      _meta: { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" },
    });
    await talk.turn(
      "prompt with link",
      sessionId,
      withBlock({ type: "resource_link", name: "notes.txt", uri }),
    );
    const can = (what: string): boolean =>
      talk.can(`promptCapabilities.${what}`) || talk.can(`session.prompt.${what}`);
    if (can("image"))
      await talk.turn(
        "prompt with image",
        sessionId,
        withBlock({ type: "image", data: PIXEL, mimeType: "image/png" }),
      );
    if (can("audio"))
      await talk.turn(
        "prompt with audio",
        sessionId,
        withBlock({ type: "audio", data: SILENCE, mimeType: "audio/wav" }),
      );
    if (can("embeddedContext"))
      await talk.turn(
        "prompt with embeddedContext",
        sessionId,
        withBlock({ type: "resource", resource: { uri, mimeType: "text/plain", text: "Some notes." } }),
      );
  },
};

const answeredWith = (name: "refused" | "unoffered", ...policies: readonly Policy[]): Scene => ({
  name,
  play: async (stage) => {
    const talk = stage.start();
    await talk.hello();
    for (const policy of policies) {
      // A session of its own: an agent may take a refusal to heart for the rest of one.
      const sessionId = await talk.open(`new for ${policy}`);
      talk.policy = policy;
      await talk.turn(policy, sessionId, stage.prompt);
    }
  },
});

const cancelled: Scene = {
  name: "cancelled",
  play: async (stage) => {
    const talk = stage.start();
    await talk.hello();
    const sessionId = await talk.open();
    talk.policy = stage.holdsQuestions ? "hold" : "allow";
    await talk.interrupted("prompt", { sessionId, prompt: stage.cancelPrompt, until: "under way" }, () =>
      talk.tell("session/cancel", { sessionId }),
    );
    await talk.ask("after the cancel", "session/new", { cwd: stage.cwd, mcpServers: [] });
  },
};

const cancelledQuestion: Scene = {
  name: "cancelled-question",
  play: async (stage) => {
    const talk = stage.start();
    await talk.hello();
    const sessionId = await talk.open();
    talk.policy = "hold";
    await talk.interrupted("prompt", { sessionId, prompt: stage.prompt, until: "question" }, () =>
      talk.tell("session/cancel", { sessionId, _meta: { "toolgate.dev/why": "a conformance test" } }),
    );
  },
};

const closed: Scene = {
  name: "closed",
  play: async (stage) => {
    const talk = stage.start();
    await talk.hello();
    const sessionId = await talk.open();
    if (!talk.can("sessionCapabilities.close") && !talk.can("session")) return;
    talk.policy = stage.holdsQuestions ? "hold" : "allow";
    await talk.interrupted("prompt", { sessionId, prompt: stage.cancelPrompt, until: "under way" }, () =>
      talk.ask("close", "session/close", { sessionId }),
    );
  },
};

export const TURNS: readonly Scene[] = [
  turn,
  contents,
  answeredWith("refused", "reject"),
  answeredWith("unoffered", "unoffered", "unknown-outcome"),
  cancelled,
  cancelledQuestion,
  closed,
];
