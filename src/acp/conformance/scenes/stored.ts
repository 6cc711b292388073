/** A session of a process that has ended, opened again in another one: as an editor does after a restart. */
import { SceneOver } from "../talk.js";
import type { Scene, Stage } from "./scene.js";

/** Holds a turn, lets the agent end, and starts it again. In v2 every agent with sessions can be asked. */
async function comeBack(stage: Stage, capability: string) {
  const before = stage.start();
  await before.hello();
  const sessionId = await before.open();
  if (!before.can(capability) && !before.can("session"))
    throw new SceneOver(`${capability} is not advertised`);
  await before.turn("prompt", sessionId, stage.prompt);
  await stage.leave();
  const talk = stage.start();
  await talk.hello();
  return { talk, sessionId };
}

const loaded: Scene = {
  name: "loaded",
  play: async (stage) => {
    const { talk, sessionId } = await comeBack(stage, "loadSession");
    if (talk.can("session"))
      await talk.ask("load", "session/resume", { sessionId, cwd: stage.cwd, replayFrom: { type: "start" } });
    else await talk.ask("load", "session/load", { sessionId, cwd: stage.cwd, mcpServers: [] });
    await talk.quiet();
  },
};

const resumed: Scene = {
  name: "resumed",
  play: async (stage) => {
    const { talk, sessionId } = await comeBack(stage, "sessionCapabilities.resume");
    await talk.ask("resume", "session/resume", { sessionId, cwd: stage.cwd });
    if (talk.can("session.additionalDirectories"))
      await talk.ask("resume with directories", "session/resume", {
        sessionId,
        cwd: stage.cwd,
        additionalDirectories: [stage.cwd],
      });
  },
};

export const STORED: readonly Scene[] = [loaded, resumed];
