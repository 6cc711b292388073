/** Runs one scene and records its messages. Whatever happens, the agent has ended afterwards. */
import { lastLines } from "../../process/index.js";
import { AgentProcess } from "./agent-process.js";
import type { AgentCommand } from "./agent-process.js";
import type { SceneRecord, Turn } from "./evidence.js";
import type { Scene, SceneContext } from "./scenes/scene.js";
import { SceneOver, TestClient } from "./test-client.js";
import type { TestClientSettings } from "./test-client.js";
import type { Reply } from "./transcript.js";

export type RunSceneSettings = TestClientSettings & {
  readonly agent: AgentCommand;
  readonly signal?: AbortSignal;
} & Pick<SceneContext, "prompt" | "cancelPrompt" | "holdsQuestions">;

/** Thrown when the agent's program does not exist or may not be run. */
class AgentNotStarted extends Error {
  readonly code = "AGENT_NOT_STARTED";
}

export async function runScene(scene: Scene, settings: RunSceneSettings): Promise<SceneRecord> {
  const { agent: command, signal, cwd, prompt, cancelPrompt, holdsQuestions } = settings;
  const replies = new Map<string, Reply>();
  const turns = new Map<string, Turn>();
  const processes: AgentProcess[] = [];
  let endedByItself: boolean | undefined;
  let stopped: string | undefined;
  const killAll = () => Promise.all(processes.map((one) => one.kill()));
  const onAbort = () => void killAll();
  signal?.addEventListener("abort", onAbort);
  try {
    await scene.run({
      cwd,
      prompt,
      cancelPrompt,
      holdsQuestions,
      start: () => {
        if (signal?.aborted) throw new SceneOver("the suite was stopped");
        const agent = new AgentProcess(command);
        processes.push(agent);
        return new TestClient(agent, settings, { replies, turns });
      },
      leave: async () => {
        endedByItself = await processes.at(-1)?.closeInput(Math.max(settings.responseTimeoutMs / 3, 1000));
        await processes.at(-1)?.kill();
      },
    });
  } catch (error) {
    if (!(error instanceof SceneOver)) throw error;
    const reason = processes.at(-1)?.notStarted;
    if (reason !== undefined)
      throw new AgentNotStarted(
        `The agent could not be started (${reason}). Nothing was tested; look at the command after --.`,
      );
    stopped = error.message + stderrNote(processes.at(-1));
  } finally {
    signal?.removeEventListener("abort", onAbort);
    await killAll();
  }
  return {
    name: scene.name,
    conversations: processes.map(({ lines }) => lines),
    replies,
    turns,
    stopped,
    endedByItself,
    stderrBytes: processes.reduce((sum, one) => sum + one.stderrBytes, 0),
  };
}

/** An agent that crashed mostly writes the reason to stderr. */
function stderrNote(agent: AgentProcess | undefined): string {
  const words = agent?.gone === undefined ? "" : lastLines(agent.stderrEnd);
  return words === "" ? "" : `, and it last wrote to stderr:\n${words}`;
}
