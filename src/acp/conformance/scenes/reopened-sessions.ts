/** A session of a process that has ended, opened again in another one: as an editor does after a restart. */
import { SceneOver } from "../test-client.js";
import type { Scene, SceneContext } from "./scene.js";

/** Holds a turn, lets the agent end, and starts it again. In v2 every agent with sessions can be asked. */
async function comeBack(context: SceneContext, capability: string) {
  const before = context.start();
  await before.initialize();
  const sessionId = await before.openSession();
  if (!before.can(capability) && !before.can("session"))
    throw new SceneOver(`${capability} is not advertised`);
  await before.runTurn("prompt", sessionId, context.prompt);
  await context.leave();
  const client = context.start();
  await client.initialize();
  return { client, sessionId };
}

const loaded: Scene = {
  name: "loaded",
  run: async (context) => {
    const { client, sessionId } = await comeBack(context, "loadSession");
    if (client.can("session"))
      await client.request("load", "session/resume", {
        sessionId,
        cwd: context.cwd,
        replayFrom: { type: "start" },
      });
    else await client.request("load", "session/load", { sessionId, cwd: context.cwd, mcpServers: [] });
    await client.waitQuietly();
  },
};

const resumed: Scene = {
  name: "resumed",
  run: async (context) => {
    const { client, sessionId } = await comeBack(context, "sessionCapabilities.resume");
    await client.request("resume", "session/resume", { sessionId, cwd: context.cwd });
    if (client.can("session.additionalDirectories"))
      await client.request("resume with directories", "session/resume", {
        sessionId,
        cwd: context.cwd,
        additionalDirectories: [context.cwd],
      });
  },
};

export const REOPENED_SESSION_SCENES: readonly Scene[] = [loaded, resumed];
