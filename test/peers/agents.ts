/** Foreign agents behind `toolgate run --agent`: how each is installed, started and pointed at a provider on loopback. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { anthropic } from "../fakes/anthropic.js";
import type { Dialect } from "../fakes/dialect.js";
import { openAiChat } from "../fakes/openai-chat.js";
import { openAiResponses } from "../fakes/openai-responses.js";
import { newerNode, npmPackage, pythonPackage } from "./install.js";
import type { Place } from "./peer-home.js";
import { PROVIDER_KEY } from "./scripted-provider.js";
import type { ModelCall } from "./scripted-provider.js";

/** The command line for `--agent`, the environment that it needs, and folders for its path. */
type Started = {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly programs?: readonly string[];
};

/** The agent's own tools for the acts of the journeys. */
type OwnTools = {
  readonly read: (path: string) => ModelCall;
  readonly edit: (path: string, oldText: string, newText: string) => readonly ModelCall[];
  readonly run: (command: string) => ModelCall;
};

export type PeerAgent = {
  readonly name: string;
  readonly version: string;
  readonly dialect: Dialect;
  readonly tools: OwnTools;
  /** `no` ends the agent's turn, so that no reason can reach its model. */
  readonly endsAtNo?: true;
  /** How a command that was cancelled ends: as the agent reports it, as unknown if it reports nothing. */
  readonly cancelledAs?: "done" | "failed" | "unknown";
  readonly start: (place: Place, url: string) => Promise<Started>;
};

const write = (file: string, text: string): void => {
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text);
};

const nodeProgram = async (name: string, version: string, file: string): Promise<readonly string[]> => [
  join(await newerNode(), "node"),
  join(await npmPackage(name, version), file),
];

const fastAgent: PeerAgent = {
  name: "fast-agent",
  version: "0.10.46",
  cancelledAs: "failed",
  dialect: openAiChat,
  tools: {
    read: (path) => ({ tool: "read_text_file", input: { path } }),
    edit: (path, oldText, newText) => [
      { tool: "write_text_file", input: { path, content: `milk\n${newText}\n`.replace(oldText, newText) } },
    ],
    run: (command) => ({ tool: "execute", input: { command } }),
  },
  start: async ({ home }, url) => {
    const config = join(home, "fastagent.config.yaml");
    write(
      config,
      `default_model: generic.fake\ngeneric:\n  api_key: ${PROVIDER_KEY}\n  base_url: ${url}/v1\n`,
    );
    const bin = await pythonPackage("fast-agent-mcp", "0.10.46");
    return { command: [join(bin, "fast-agent-acp"), "-c", config, "-x", "--model", "generic.fake"] };
  },
};

export const opencode: PeerAgent = {
  name: "opencode",
  version: "1.18.33",
  cancelledAs: "done",
  dialect: openAiChat,
  tools: {
    read: (filePath) => ({ tool: "read", input: { filePath } }),
    edit: (filePath, oldString, newString) => [
      { tool: "read", input: { filePath } },
      { tool: "edit", input: { filePath, oldString, newString } },
    ],
    run: (command) => ({ tool: "bash", input: { command, description: "Runs it" } }),
  },
  start: async ({ home }, url) => {
    const config = join(home, "opencode.json");
    const provider = {
      npm: "@ai-sdk/openai-compatible",
      name: "Fake",
      options: { baseURL: `${url}/v1`, apiKey: PROVIDER_KEY },
      models: { fake: { name: "Fake", tool_call: true, limit: { context: 200_000, output: 8000 } } },
    };
    const settings = {
      provider: { fake: provider },
      model: "fake/fake",
      small_model: "fake/fake",
      permission: { edit: "ask", bash: "ask" },
      autoupdate: false,
      share: "disabled",
    };
    write(config, JSON.stringify(settings));
    const folder = await npmPackage("opencode-ai", "1.18.33");
    const env = {
      OPENCODE_CONFIG: config,
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
    };
    return { command: [join(folder, "bin", "opencode.exe"), "acp"], env };
  },
};

const claude: PeerAgent = {
  name: "claude-agent-acp",
  version: "0.99.1",
  cancelledAs: "failed",
  dialect: anthropic,
  tools: {
    read: (path) => ({ tool: "Read", input: { file_path: path } }),
    edit: (path, oldText, newText) => [
      { tool: "Read", input: { file_path: path } },
      { tool: "Edit", input: { file_path: path, old_string: oldText, new_string: newText } },
    ],
    run: (command) => ({ tool: "Bash", input: { command, description: "Runs it" } }),
  },
  start: async (_, url) => ({
    command: await nodeProgram("@agentclientprotocol/claude-agent-acp", "0.99.1", "dist/index.js"),
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: PROVIDER_KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    },
  }),
};

/** Codex asks about commands that the model wants to run outside of its sandbox. */
const ESCALATED = { sandbox_permissions: "require_escalated", justification: "It writes a file." };

const codex: PeerAgent = {
  name: "codex-acp",
  version: "2.6.0",
  cancelledAs: "unknown",
  dialect: openAiResponses,
  tools: {
    read: (path) => ({ tool: "exec_command", input: { cmd: `cat ${path}` } }),
    edit: (path, oldText, newText) => [
      {
        tool: "exec_command",
        input: {
          ...ESCALATED,
          cmd: `apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: ${path}\n@@\n milk\n-${oldText}\n+${newText}\n*** End Patch\nEOF`,
        },
      },
    ],
    run: (command) => ({ tool: "exec_command", input: { ...ESCALATED, cmd: command } }),
  },
  start: async ({ home }, url) => {
    write(
      join(home, ".codex", "config.toml"),
      [
        'model = "gpt-5"',
        'model_provider = "fake"',
        'approval_policy = "on-request"',
        'approvals_reviewer = "user"',
        'sandbox_mode = "read-only"',
        "[model_providers.fake]",
        'name = "Fake"',
        `base_url = "${url}/v1"`,
        'env_key = "FAKE_KEY"',
        'wire_api = "responses"',
        "",
      ].join("\n"),
    );
    return {
      command: await nodeProgram("@agentclientprotocol/codex-acp", "2.6.0", "dist/index.js"),
      // In its first mode, "Auto review", Codex answers its questions itself.
      env: { FAKE_KEY: PROVIDER_KEY, CODEX_HOME: join(home, ".codex"), INITIAL_AGENT_MODE: "read-only" },
    };
  },
};

const qwen: PeerAgent = {
  name: "qwen-code",
  version: "0.24.4",
  cancelledAs: "failed",
  dialect: openAiChat,
  tools: {
    read: (path) => ({ tool: "read_file", input: { file_path: path } }),
    edit: (path, oldText, newText) => [
      { tool: "read_file", input: { file_path: path } },
      { tool: "edit", input: { file_path: path, old_string: oldText, new_string: newText } },
    ],
    run: (command) => ({ tool: "run_shell_command", input: { command, is_background: false } }),
  },
  start: async (_, url) => ({
    command: [
      ...(await nodeProgram("@qwen-code/qwen-code", "0.24.4", "cli-entry.js")),
      "--acp",
      "--auth-type=openai",
      "--approval-mode=default",
    ],
    env: { OPENAI_API_KEY: PROVIDER_KEY, OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "fake" },
  }),
};

export const AGENTS: readonly PeerAgent[] = [fastAgent, opencode, claude, codex, qwen];
