/** The agent of the demo: it plays a script with real tools, in the terminal and on the page. */
import { createAgent } from "../agent/index.js";
import type { Agent } from "../agent/index.js";
import { scriptedModel } from "../model/index.js";
import type { NewDemo } from "../serve/index.js";
import { builtInTools, LocalWorkspace } from "../tools/index.js";
import { sampleScript, writeSampleProject } from "./sample-project.js";

/** A pace at which a person can read along. */
export const PAUSE_MS = 25;

export const DEMO_PROMPT = "The test fails. Please fix it.";

export const demoAgent = (pauseMs = PAUSE_MS): Agent =>
  createAgent({
    name: "demo",
    model: scriptedModel(sampleScript, { pauseMs }),
    tools: builtInTools,
    // The folder is new and its commands are ours, so they run without asking; the edit needs approval.
    rules: [{ allow: "read" }, { allow: "execute" }, { allow: "todo_write" }],
  });

/** A demo in a new folder. Any server can continue it from its record. */
export async function newDemo(): Promise<NewDemo> {
  const workspace = await LocalWorkspace.open(await writeSampleProject());
  return {
    agent: demoAgent(),
    workspace,
    info: {
      cwd: workspace.root,
      agent: "demo",
      title: "Demo: fix a failing test",
      _meta: { toolgate: { door: "demo" } },
    },
    prompt: [{ type: "text", text: DEMO_PROMPT }],
  };
}
