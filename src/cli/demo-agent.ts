/** The agent of the demo: it plays a script with real tools, in the terminal and on the page. */
import { createAgent } from "../agent/index.js";
import type { Agent, AgentOptions } from "../agent/index.js";
import { playScript } from "../model/scripted-model.js";
import type { Rule } from "../policy/index.js";
import type { NewDemo } from "../serve/index.js";
import type { RuleSource } from "../settings/index.js";
import { builtInTools, LocalWorkspace } from "../tools/index.js";
import { rememberIn } from "./remember-in.js";
import { sampleScript, writeSampleProject } from "./sample-project.js";

/** A pace at which a person can read along. */
export const PAUSE_MS = 25;

export const DEMO_PROMPT = "The test fails. Please fix it.";

/** The folder is new and its commands are ours, so they run without asking; the edit needs approval. */
const RULES: readonly Rule[] = [{ allow: "read" }, { allow: "execute" }, { allow: "todo_write" }];

type DemoOptions = {
  readonly pauseMs?: number;
  /** The store for the rules of answers. Without it no question offers "always". */
  readonly remembered?: RuleSource;
};

export const demoAgent = ({ pauseMs = PAUSE_MS, remembered }: DemoOptions = {}): Agent =>
  createAgent({
    name: "demo",
    model: playScript(sampleScript, { pauseMs }),
    tools: builtInTools,
    ...(remembered ? remembering(remembered) : { rules: RULES }),
  });

/** The rules that a person wrote are for their own projects: the demo takes only those of answers. */
const remembering = (source: RuleSource): Pick<AgentOptions, "policy" | "remember" | "onRulesChanged"> => ({
  policy: ({ root, sessionId }) => {
    const granted = [...source.current(root, sessionId).origins].filter(([, { from }]) => from === "grant");
    return { rules: [...RULES, ...granted.map(([rule]) => rule)], default: "ask" };
  },
  remember: rememberIn(source),
  onRulesChanged: (onChange) => source.onChange(onChange),
});

/** A demo in a new folder. Any server can continue it from its record. */
export async function newDemo(remembered: RuleSource): Promise<NewDemo> {
  const workspace = await LocalWorkspace.open(await writeSampleProject());
  return {
    agent: demoAgent({ remembered }),
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
