/** The needs of known agents beside the workspace: the folders of their own settings and sessions, and their variables. */
import { existsSync } from "node:fs";
import { join } from "node:path";

type KnownAgent = {
  /** Found in the words of its command. */
  readonly name: RegExp;
  /** In the home folder. */
  readonly folders: readonly string[];
  readonly variables: RegExp;
};

const AGENTS: readonly KnownAgent[] = [
  { name: /claude/, folders: [".claude", ".claude.json"], variables: /^(?:CLAUDE|ANTHROPIC)_/ },
  { name: /codex/, folders: [".codex"], variables: /^(?:CODEX|OPENAI)_/ },
  { name: /gemini/, folders: [".gemini"], variables: /^(?:GEMINI|GOOGLE)_/ },
  { name: /qwen/, folders: [".qwen"], variables: /^(?:QWEN|DASHSCOPE|OPENAI)_/ },
  {
    name: /opencode/,
    folders: [".config/opencode", ".local/share/opencode", ".local/state/opencode"],
    variables: /^(?:OPENCODE|ANTHROPIC|OPENAI|GEMINI)_/,
  },
  {
    name: /goose/,
    folders: [".config/goose", ".local/share/goose", ".local/state/goose"],
    variables: /^(?:GOOSE|ANTHROPIC|OPENAI|GEMINI)_/,
  },
  { name: /cursor/, folders: [".cursor", ".config/cursor"], variables: /^CURSOR_/ },
  { name: /copilot/, folders: [".copilot", ".config/github-copilot"], variables: /^COPILOT_/ },
  { name: /kimi/, folders: [".kimi"], variables: /^(?:KIMI|MOONSHOT)_/ },
  { name: /vibe/, folders: [".vibe"], variables: /^(?:VIBE|MISTRAL)_/ },
];

export type AgentPlaces = {
  readonly folders: readonly string[];
  readonly env: { readonly [name: string]: string };
};

/** Nothing for an agent that is not known. */
export function agentPlaces(argv: readonly string[], home: string, ours: NodeJS.ProcessEnv): AgentPlaces {
  const known = AGENTS.filter(({ name }) => argv.some((word) => name.test(word)));
  const folders = known
    .flatMap((agent) => agent.folders.map((folder) => join(home, folder)))
    .filter(existsSync);
  const env = Object.entries(ours).flatMap(([name, value]) =>
    value !== undefined && known.some(({ variables }) => variables.test(name))
      ? [[name, value] as const]
      : [],
  );
  return { folders, env: Object.fromEntries(env) };
}
