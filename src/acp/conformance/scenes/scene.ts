/** A conversation with an agent for the checks: each scene starts processes of its own. */
import type { SceneName } from "../requirement.js";
import type { TestClient } from "../test-client.js";

export type SceneContext = {
  /** Starts the agent. A scene that starts it again closes the first one's stdin before. */
  readonly start: () => TestClient;
  /** Closes stdin of the one that runs, and notes whether it ended by itself. */
  readonly leave: () => Promise<void>;
  readonly cwd: string;
  /** One that makes the agent call tools and ask. */
  readonly prompt: string;
  /** One that lasts; the other one when nobody gave it. */
  readonly cancelPrompt: string;
  /** Whether questions of the lasting prompt are left open, since they are what makes it last. */
  readonly holdsQuestions: boolean;
};

export type Scene = { readonly name: SceneName; readonly run: (context: SceneContext) => Promise<void> };
