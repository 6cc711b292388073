/** An agent: a model, its tools, and the rules for them. Sessions are opened with it. */
import type { LanguageModelV3 } from "../model/index.js";
import type { Policy, Rule, Verdict } from "../policy/index.js";
import { mustBeRules } from "../run/index.js";
import type { GateOptions, RememberedGrant } from "../run/index.js";
import type { Tool, ToolSource } from "../tools/index.js";

export type AgentOptions = {
  readonly name: string;
  readonly model: LanguageModelV3;
  readonly tools: readonly Tool[];
  /** What no rule speaks of is asked. */
  readonly rules?: readonly Rule[];
  /** Instead of fixed rules: those in force for a session, asked for anew with each decision. */
  readonly policy?: PolicyFor;
  /** Hears of each call that a rule let through, to count how often a rule is used. */
  readonly onCleared?: (verdict: Verdict, place: Place) => void;
  /** Tools that come and go: MCP servers. */
  readonly toolSources?: readonly ToolSource[];
  /** Stores what an "always" says. Without it no question offers one. */
  readonly remember?: (grant: RememberedGrant, place: Place) => Promise<void>;
  /** Told to the model before everything else; a function of where it works, where that matters. */
  readonly instructions?: string | ((place: Place) => string);
  /** A file of the workspace whose text is told to the model too: `AGENTS.md`. */
  readonly projectFile?: string;
  /** A turn that has taken this many answers of the model is stopped. */
  readonly maxSteps?: number;
  /** How much the model's window holds, in tokens. Before it is full, what happened so far is summed up. */
  readonly contextWindow?: number;
  /** Of a result that is longer than this many characters, the model is told the beginning and the end. */
  readonly longestResult?: number;
  /** How long questions and tools may take, and how often a call may be made again. */
  readonly limits?: Pick<GateOptions, "questionLifetime" | "timeLimit" | "stopGraceMs" | "loopLimit">;
};

/** The rules in force for a session in a workspace, without what the session itself knows. */
export type PolicyFor = (place: Place) => Omit<Policy, "roots" | "home" | "now">;

/** A session and its workspace. `modeId` is the mode that was chosen in the session, if one was. */
export type Place = { readonly root: string; readonly sessionId: string; readonly modeId?: string };

type Optional = "instructions" | "projectFile" | "onCleared" | "remember" | "limits";

export type Agent = Required<Omit<AgentOptions, "rules" | Optional>> & Pick<AgentOptions, Optional>;

const MAX_STEPS = 200;
const CONTEXT_WINDOW = 128_000;
/** One result may take about a quarter of the window. */
const CHARACTERS_OF_A_TOKEN = 0.8;

/** Throws when a rule has a mistake: it would not hold as it was meant. */
export function createAgent({ rules = [], ...options }: AgentOptions): Agent {
  mustBeRules(rules);
  const { contextWindow = CONTEXT_WINDOW } = options;
  return {
    policy: () => ({ rules }),
    maxSteps: MAX_STEPS,
    toolSources: [],
    contextWindow,
    longestResult: Math.floor(contextWindow * CHARACTERS_OF_A_TOKEN),
    ...options,
  };
}
