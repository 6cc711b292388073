/** A conversation with an agent for the checks: each scene starts processes of its own. */
import type { SceneName } from "../requirement.js";
import type { TestClient } from "../test-client.js";

export type SceneContext = {
  /** Starts the agent. A scene that starts it again closes the first one's stdin before. */
  readonly start: () => TestClient;
  /** Closes stdin of the one that runs, and notes whether it ended by itself. */
  readonly leave: () => Promise<void>;
  readonly cwd: string;
  /** A prompt that makes the agent call tools and ask. */
  readonly prompt: string;
  /** A prompt that takes long enough to cancel; the same as `prompt` when none was given. */
  readonly cancelPrompt: string;
  /** Whether questions of the lasting prompt are left open, since they are what makes it last. */
  readonly holdsQuestions: boolean;
};

export type Scene = { readonly name: SceneName; readonly run: (context: SceneContext) => Promise<void> };
