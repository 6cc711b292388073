/** An agent: a model, its tools, and the rules for them. Sessions are opened with it. */
import { join } from "node:path";
import {
  AMOUNT,
  POSITIVE,
  BadOption,
  checkOptions,
  either,
  FUNCTION,
  having,
  LIST,
  listOf,
  OBJECT,
  required,
  STRING,
  TEXT,
  TOOLS,
} from "../call/check-options.js";
import type { OptionChecks } from "../call/check-options.js";
import type { LanguageModelV3 } from "../model/index.js";
import type { Policy, Rule, Verdict } from "../policy/index.js";
import { mustBeRules } from "../run/index.js";
import type { GateOptions, RememberedGrant } from "../run/index.js";
import { ToolFailure } from "../tools/index.js";
import type { Tool, ToolSource, Workspace } from "../tools/index.js";

export type AgentOptions = {
  readonly name: string;
  readonly model: LanguageModelV3;
  readonly tools: readonly Tool[];
  /** Calls that no rule covers ask a person first. */
  readonly rules?: readonly Rule[];
  /** Instead of fixed rules: returns the rules in force for a session, read again for each decision. */
  readonly policy?: PolicyFor;
  /** Called for each call that a rule allowed, to count how often the rule is used. */
  readonly onCleared?: (verdict: Verdict, place: Place) => void;
  /** Tools that come and go: MCP servers. */
  readonly toolSources?: readonly ToolSource[];
  /** Stores the grant of an "always" answer. Without it no question offers "always". */
  readonly remember?: (grant: RememberedGrant, place: Place) => Promise<void>;
  /** Subscribes to changes of the rules, so that a rule stored in one session settles the open questions of others. */
  readonly onRulesChanged?: GateOptions["onRulesChanged"];
  /** The system prompt, or a function that makes it for a session's workspace and mode. */
  readonly instructions?: string | ((place: Place) => string);
  /** A file of the workspace whose text joins the system prompt: `AGENTS.md`. The first one counts where there are several. */
  readonly projectFile?: string | readonly string[];
  /** A turn stops after this many responses of the model. */
  readonly maxSteps?: number;
  /** The size of the model's window, in tokens. The session is summarized before the window is full. */
  readonly contextWindow?: number;
  /** The model gets only the beginning and the end of a result that is longer than this many characters. */
  readonly maxResultCharacters?: number;
  /** How long questions and tools may take, and how often a call may be made again. */
  readonly limits?: Pick<GateOptions, "questionLifetime" | "timeLimit" | "stopGraceMs" | "loopLimit">;
};

/** The rules in force for a session in a workspace. The session itself adds its roots, home and clock. */
export type PolicyFor = (place: Place) => Omit<Policy, "roots" | "home" | "now">;

/** A session and its workspace. `modeId` is the mode that was chosen in the session, if one was. */
export type Place = { readonly root: string; readonly sessionId: string; readonly modeId?: string };

type Optional = "instructions" | "projectFile" | "onCleared" | "remember" | "onRulesChanged" | "limits";

export type Agent = Required<Omit<AgentOptions, "rules" | Optional>> & Pick<AgentOptions, Optional>;

const MAX_STEPS = 200;
const CONTEXT_WINDOW = 128_000;
/** Limits one result to about a quarter of the window. */
const RESULT_CHARACTERS_PER_TOKEN = 0.8;

export const resultCharactersFor = (contextWindow: number): number =>
  Math.floor(contextWindow * RESULT_CHARACTERS_PER_TOKEN);

const AGENT_OPTIONS: OptionChecks<AgentOptions> = {
  name: required(TEXT),
  model: required(having("a model (openModel, scriptedModel, or a provider's LanguageModelV3)", "doStream")),
  tools: required(TOOLS),
  rules: LIST,
  policy: FUNCTION,
  onCleared: FUNCTION,
  toolSources: listOf(OBJECT),
  remember: FUNCTION,
  onRulesChanged: FUNCTION,
  instructions: either(STRING, FUNCTION),
  projectFile: either(TEXT, LIST),
  maxSteps: POSITIVE,
  contextWindow: POSITIVE,
  maxResultCharacters: POSITIVE,
  limits: OBJECT,
};
const LIMITS: OptionChecks<NonNullable<AgentOptions["limits"]>> = {
  questionLifetime: AMOUNT,
  timeLimit: AMOUNT,
  stopGraceMs: AMOUNT,
  loopLimit: AMOUNT,
};

/** Throws when a rule has a mistake, since it would not do what its author meant. */
export function createAgent(given: AgentOptions): Agent {
  checkOptions("createAgent", given, AGENT_OPTIONS);
  mustBeUnique(given.tools);
  if (given.limits) checkOptions("createAgent, limits", given.limits, LIMITS);
  const { rules = [], ...options } = given;
  mustBeRules(rules);
  const { contextWindow = CONTEXT_WINDOW } = options;
  return {
    policy: () => ({ rules }),
    maxSteps: MAX_STEPS,
    toolSources: [],
    contextWindow,
    maxResultCharacters: resultCharactersFor(contextWindow),
    ...options,
  };
}

/** Without it the first session would fail, and not the call that is wrong. */
function mustBeUnique(tools: readonly Tool[]): void {
  const names = tools.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined)
    throw new BadOption(
      `createAgent: "tools" has two tools named "${twice}"; calls are made by the name, so it must be unique.`,
      "tools",
    );
}

const MAX_PROJECT_CHARACTERS = 32_000;

/** The agent's system prompt, then the text of its project file. A file that is missing or not text adds nothing. */
export async function instructionsFor(
  { instructions, projectFile: files = [] }: Agent,
  place: Place,
  projectFiles: Workspace,
): Promise<string | undefined> {
  const own = typeof instructions === "function" ? instructions(place) : instructions;
  const { file, text } = await firstText(typeof files === "string" ? [files] : files, projectFiles);
  if (text.trim() === "") return own;
  const bounded =
    text.length > MAX_PROJECT_CHARACTERS
      ? `${text.slice(0, MAX_PROJECT_CHARACTERS)}\n[The rest of ${file} is left out.]`
      : text;
  const project = `The project's own instructions, from ${file}:\n\n${bounded}`;
  return own === undefined ? project : `${own}\n\n${project}`;
}

async function firstText(
  files: readonly string[],
  workspace: Workspace,
): Promise<{ readonly file: string; readonly text: string }> {
  for (const file of files) {
    const text = await textOf(file, workspace);
    if (text !== undefined) return { file, text };
  }
  return { file: "", text: "" };
}

async function textOf(file: string, workspace: Workspace): Promise<string | undefined> {
  try {
    return await workspace.readText(join(workspace.root, file));
  } catch (error) {
    if (error instanceof ToolFailure) return undefined;
    throw error;
  }
}
