/** `toolgate config`: the settings in force in this folder, and where each comes from. Never shows a key. */
import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { visibleText } from "../call/index.js";
import { checkKeyFile } from "../model/key-file.js";
import {
  readUserConfig,
  RuleSource,
  SettingsError,
  settingsFolder,
  userConfigFile,
} from "../settings/index.js";
import type { RuleOrigin, RulesInForce } from "../settings/index.js";
import { defaultModel } from "./default-model.js";
import { jsonText } from "./json-text.js";
import { notContained } from "./open-workspace.js";
import { ledgerAddress } from "./ledger-address.js";
import { readRedaction } from "./redaction.js";
import { projectServerFile, readServers } from "./read-servers.js";
import { note } from "./stderr.js";
import { errorText } from "./error-text.js";

type Setting = { readonly name: string; readonly value: string; readonly from: string };

const KEY_VARIABLES = [
  "ANTHROPIC_API_KEY",
  "OPENAI_API_KEY",
  "GOOGLE_GENERATIVE_AI_API_KEY",
  "GEMINI_API_KEY",
  "TOOLGATE_MODEL_KEY",
];

export async function showConfig({
  json = false,
  cwd,
}: {
  readonly json?: boolean;
  readonly cwd?: string;
}): Promise<number> {
  const root = realpathSync(resolve(cwd ?? process.cwd()));
  const folder = settingsFolder();
  const source = new RuleSource({ folder });
  const inForce = source.current(root);
  source.close();
  const { mode, problems, project, unread } = inForce;
  const { redaction, redactionProblems } = redactionIn(folder);
  const [serverFile, keyFile] = [join(folder, "mcp.json"), join(folder, "keys.json")];
  const serverProblem = await problemOf(readServers({}));
  const keyProblem = await problemOf(checkKeyFile(keyFile));
  const keys = KEY_VARIABLES.filter((name) => (process.env[name] ?? "") !== "");
  const settings: readonly Setting[] = [
    { name: "workspace", value: root, from: "the folder you are in, or --cwd" },
    {
      name: "mode",
      value: mode,
      from: unread.includes(join(folder, "rules.json"))
        ? "the default, because rules.json cannot be used; --mode overrides it"
        : "rules.json; --mode overrides it",
    },
    { name: "your rules", ...ruleCount(inForce, "user", there(join(folder, "rules.json"))) },
    {
      name: "project rules",
      ...ruleCount(
        inForce,
        "project",
        project
          ? `${project.file}, ${project.isTrusted ? "trusted" : "not trusted: they only deny and ask"}`
          : "none in this project",
      ),
    },
    { name: "remembered", ...ruleCount(inForce, "grant", there(join(folder, "grants.json"))) },
    { name: "history", value: there(ledgerAddress({})), from: "XDG_STATE_HOME, or --ledger" },
    ...redaction,
    containedSetting(folder),
    {
      name: "MCP servers",
      value: there(serverFile),
      from: `your settings, and --mcp${serverProblem === undefined ? "" : "; the file cannot be used: run, acp and serve start nothing"}`,
    },
    {
      name: "project MCP servers",
      value: there(projectServerFile(root)),
      from: "the workspace; each starts after your approval",
    },
    {
      name: "model keys",
      value: keys.length > 0 ? keys.join(", ") : "none in the environment",
      from: `${there(keyFile)}${keyProblem === undefined ? "" : ", which cannot be used: only keys in the environment are"}`,
    },
    modelSetting(root, folder),
    {
      name: "project instructions",
      value: ["AGENTS.md", "CLAUDE.md"].find((name) => existsSync(join(root, name))) ?? "none",
      from: "the workspace",
    },
  ];
  const found = [...problems, ...redactionProblems, serverProblem ?? [], keyProblem ?? []].flat();
  process.stdout.write(
    json ? `${jsonText({ settings, problems: found })}\n` : `${settings.map(line).join("\n")}\n`,
  );
  for (const problem of found) note(problem);
  return found.length === 0 ? 0 : 1;
}

function modelSetting(root: string, folder: string): Setting {
  const from = `TOOLGATE_MODEL, or model and projects in ${there(userConfigFile(folder))}; --model overrides it`;
  const setting = (value: string): Setting => ({ name: "model", value, from });
  try {
    return setting(defaultModel(root).model ?? "none: a script plays");
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return setting("none: the file cannot be used");
  }
}

function containedSetting(folder: string): Setting {
  const from = `contained in ${there(userConfigFile(folder))}, or --no-contain`;
  const setting = (value: string): Setting => ({ name: "commands that run code", value, from });
  try {
    const why = notContained(folder)?.why;
    return setting(
      why === undefined ? "run unasked in the sandbox, if it works here" : `asked about: ${why}`,
    );
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return setting("asked about: the file cannot be used");
  }
}

/** The rule that replaces an unusable file does not count as a rule of that file. */
function ruleCount(
  { origins, unread }: RulesInForce,
  of: RuleOrigin["from"],
  from: string,
): Pick<Setting, "value" | "from"> {
  const files = [...origins.values()].filter((origin) => origin.from === of).map(({ file }) => file);
  const unusable = files.find((file) => unread.includes(file));
  return unusable === undefined
    ? { value: String(files.length), from }
    : { value: "0", from: `${unusable}, which cannot be used: every call is asked about` };
}

/** The message for a file that cannot be used. */
async function problemOf(reading: Promise<unknown>): Promise<string | undefined> {
  try {
    await reading;
    return undefined;
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return errorText(error);
  }
}

const UNDONE = {
  contained: "those that run in the sandbox",
  writing: "all that may write",
  never: "none",
} as const;

/** A file with a mistake becomes a problem; the other settings are still shown. */
function redactionIn(folder: string): {
  readonly redaction: readonly Setting[];
  readonly redactionProblems: readonly string[];
} {
  const from = there(userConfigFile(folder));
  try {
    const { atRest, patterns } = readRedaction(folder);
    const { onBreach = "mark", undoCommands = "writing" } = readUserConfig(folder);
    const value = atRest
      ? "before anything is stored; no call can be undone"
      : "when data leaves the history: exports, search, logs";
    const own = patterns.map(({ source }) => source).join(", ");
    return {
      redaction: [
        { name: "redaction", value, from: `redactAtRest in ${from}` },
        {
          name: "own secret patterns",
          value: own === "" ? "none" : own,
          from: `redactPatterns in ${from}`,
        },
        {
          name: "breach of an agent",
          value: onBreach === "end" ? "the call is marked, and the agent is ended" : "the call is marked",
          from: `onBreach in ${from}; --on-breach overrides it`,
        },
        {
          name: "undo of commands",
          value: atRest ? "none, since nothing is stored for it" : UNDONE[undoCommands],
          from: `undoCommands in ${from}; --undo-commands overrides it`,
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

const there = (path: string): string => (existsSync(path) ? path : `${path} (missing)`);
