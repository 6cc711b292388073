/** `toolgate config`: what holds in this folder, and from where. Names and places only, never a key. */
import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { visibleText } from "../call/index.js";
import { RuleSource, SettingsError, settingsFolder, userConfigFile } from "../settings/index.js";
import { jsonText } from "./json-text.js";
import { ledgerFile } from "./open-agent.js";
import { readRedaction } from "./redaction.js";
import { tell } from "./tell.js";

type Setting = { readonly name: string; readonly value: string; readonly from: string };

const KEY_VARIABLES = [
  "ANTHROPIC_API_KEY",
  "OPENAI_API_KEY",
  "GOOGLE_GENERATIVE_AI_API_KEY",
  "GEMINI_API_KEY",
  "TOOLGATE_MODEL_KEY",
];

export function showConfig({
  json = false,
  cwd,
}: {
  readonly json?: boolean;
  readonly cwd?: string;
}): number {
  const root = realpathSync(resolve(cwd ?? process.cwd()));
  const folder = settingsFolder();
  const source = new RuleSource({ folder });
  const { rules, mode, origins, problems, project } = source.current(root);
  source.close();
  const count = (from: string) => rules.filter((rule) => origins.get(rule)?.from === from).length;
  const { redaction, redactionProblems } = redactionIn(folder);
  const keys = KEY_VARIABLES.filter((name) => (process.env[name] ?? "") !== "");
  const settings: readonly Setting[] = [
    { name: "workspace", value: root, from: "the folder you are in, or --cwd" },
    { name: "mode", value: mode, from: "rules.json; --mode overrules it" },
    { name: "your rules", value: String(count("user")), from: there(join(folder, "rules.json")) },
    {
      name: "project rules",
      value: String(count("project")),
      from: project
        ? `${project.file}, ${project.isTrusted ? "trusted" : "not trusted: they only tighten"}`
        : "none in this project",
    },
    { name: "remembered", value: String(count("grant")), from: there(join(folder, "grants.json")) },
    { name: "history", value: there(ledgerFile({})), from: "XDG_STATE_HOME, or --ledger" },
    ...redaction,
    { name: "MCP servers", value: there(join(folder, "mcp.json")), from: "your settings, and --mcp" },
    {
      name: "model keys",
      value: keys.length > 0 ? keys.join(", ") : "none in the environment",
      from: there(join(folder, "keys.json")),
    },
    {
      name: "project instructions",
      value: existsSync(join(root, "AGENTS.md")) ? "AGENTS.md" : "none",
      from: "the workspace",
    },
  ];
  const found = [...problems, ...redactionProblems];
  process.stdout.write(
    json ? `${jsonText({ settings, problems: found })}\n` : `${settings.map(line).join("\n")}\n`,
  );
  for (const problem of found) tell(problem);
  return found.length === 0 ? 0 : 1;
}

/** A file with a mistake is told of, and what else holds is shown all the same. */
function redactionIn(folder: string): {
  readonly redaction: readonly Setting[];
  readonly redactionProblems: readonly string[];
} {
  const from = there(userConfigFile(folder));
  try {
    const { atRest, patterns } = readRedaction(folder);
    const value = atRest
      ? "before anything is stored; no call can be undone"
      : "where history leaves the store: exports, search, logs";
    const own = patterns.map(({ source }) => source).join(", ");
    return {
      redaction: [
        { name: "secrets taken out", value, from: `redactAtRest in ${from}` },
        {
          name: "further secrets",
          value: own === "" ? "none of yours" : own,
          from: `redactPatterns in ${from}`,
        },
      ],
      redactionProblems: [],
    };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { redaction: [], redactionProblems: [error.message] };
  }
}

const line = ({ name, value, from }: Setting): string =>
  `${name.padEnd(22)}${visibleText(value)}\n${"".padEnd(22)}  from ${visibleText(from)}`;

const there = (path: string): string => (existsSync(path) ? path : `${path} (not there)`);
