/** The parts of the command line that the page's server needs: agents, rules, the demo, and the functions of `toolgate rules`. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Archive, Ledger, SessionInfo } from "../call/index.js";
import type { SharedTexts } from "../call/shared-texts.js";
import { MemoryArchive, MemoryLedger, openArchive } from "../history/index.js";
import { storeAddress } from "../history/store-address.js";
import { costOf, knownPrice } from "../model/index.js";
import { explain } from "../policy/explain.js";
import { inMode, isMode } from "../policy/index.js";
import { suggestRules } from "../policy/suggest-rules.js";
import { readUserConfig, RuleSource, settingsFolder } from "../settings/index.js";
import { Devices } from "../serve/index.js";
import type { PageOptions, RunsSession } from "../serve/index.js";
import { LocalWorkspace } from "../tools/index.js";
import type { Workspace } from "../tools/index.js";
import { demoAgent, newDemo } from "./demo-agent.js";
import { OFFERED_MODES } from "./offered-modes.js";
import type { ServeFlags } from "./commands/serve.js";
import { ledgerAddress } from "./ledger-address.js";
import { reachableModels } from "./models.js";
import type { OpenedAgent } from "./open-agent.js";
import { flaggedKeeper } from "./kept-commands.js";
import { notContained, openWorkspace, SWITCHED_OFF } from "./open-workspace.js";
import { packageVersion } from "./package-version.js";
import { projectCommands } from "./project-commands.js";
import { recordedCommands } from "./recorded-commands.js";
import { readRedaction } from "./redaction.js";
import { openOnce, readQuestion, ruleQuestion } from "./rule-question.js";
import { sharedSettings } from "./shared-settings.js";
import { flagsToKeep } from "./session-flags.js";
import { note } from "./stderr.js";

export type PageSetting = {
  readonly flags: ServeFlags;
  readonly opened: OpenedAgent;
  /** The same agent with another model. */
  readonly openWith: (model: string) => Promise<OpenedAgent>;
  readonly workspace: Workspace;
  readonly ledger: Ledger;
  readonly shared: SharedTexts | undefined;
  /** Names of external agents that are served. */
  readonly external: readonly string[];
};

export async function pageOptions({
  flags,
  opened,
  openWith,
  workspace,
  ledger,
  shared,
  external,
}: PageSetting): Promise<PageOptions> {
  const folder = settingsFolder();
  const { open } = sharedSettings(shared);
  const rules = new RuleSource({ folder, onProblem: note, open });
  shared?.onChange(() => rules.changed());
  const { patterns } = readRedaction();
  const openPlain = once((cwd: string) => LocalWorkspace.open(cwd, withKeeper(flags)));
  const page = fileURLToPath(new URL("../web/", import.meta.url));
  return {
    ledger,
    archive: await openPageArchive(flags, ledger),
    rules,
    devices: new Devices(folder, Date.now, open),
    notify: { folder, ...readUserConfig(folder).notify },
    redactPatterns: patterns,
    folder: workspace.root,
    version: packageVersion(),
    startedWith: flagsToKeep(flags),
    agents: [
      { name: opened.agent.name, title: "Toolgate", type: "own", takesImages: true },
      ...external.map((name) => ({ name, type: "external" as const, takesImages: false })),
    ],
    modes: OFFERED_MODES.map(({ value, name, description }) => ({ id: value, name, description })),
    modeIn: opened.modeIn,
    models: reachableModels,
    notContained: () => (flags.contain === false ? SWITCHED_OFF : notContained(folder)),
    agentFor: agentFor({ flags, opened, openWith, workspace, rules }),
    openWorkspace: openPlain,
    demo: () => newDemo(rules),
    costOf: (model, usage) =>
      costOf(usage, (model === flags.model ? opened.price : undefined) ?? knownPrice(model)),
    explain: explainIn(rules, flags),
    suggest: suggestIn(rules, flags),
    pageFolder: existsSync(page) ? page : undefined,
  };
}

/** The history of a ledger in memory ends with the process. */
async function openPageArchive(flags: ServeFlags, ledger: Ledger): Promise<Archive> {
  const address = ledgerAddress(flags);
  const { patterns } = readRedaction();
  if (storeAddress(address).type !== "memory") return openArchive(address, { patterns });
  return new MemoryArchive(ledger instanceof MemoryLedger ? ledger : new MemoryLedger(), { patterns });
}

function withKeeper(flags: ServeFlags) {
  const keeper = flaggedKeeper(flags);
  return keeper ? { keeper } : {};
}

type OwnSetting = Pick<PageSetting, "flags" | "opened" | "openWith" | "workspace"> & {
  readonly rules: RuleSource;
};

/** Flags that a session was started with and that this server must share to continue it. */
const CONDITIONS = ["sandbox", "contain"] as const;
const OF_MODEL = ["model", "baseUrl", "script"] as const;

/** Our agent continues its own sessions, under the conditions that they were started with; the demo its own. */
function agentFor({
  flags,
  opened,
  openWith,
  workspace,
  rules,
}: OwnSetting): (info: SessionInfo) => Promise<RunsSession | undefined> {
  const openIn = once((cwd: string) => openWorkspace(cwd, flags, opened));
  const openOther = once(openWith);
  const own = flagsToKeep(flags);
  const withModelOf = async (started: { readonly [name: string]: unknown }) => {
    const { model, baseUrl, script } = started;
    if (OF_MODEL.every((name) => started[name] === own[name])) return opened;
    if (typeof model !== "string" || baseUrl !== undefined || script !== undefined) return undefined;
    return (await isReachable(model)) ? openOther(model) : undefined;
  };
  return async ({ agent, cwd, _meta }) => {
    const ours = objectOf(_meta?.["toolgate"]);
    if (cwd === undefined || _meta?.["aap"] !== undefined || ours["agentSession"] !== undefined)
      return undefined;
    if (!existsSync(cwd)) return undefined;
    if (ours["door"] === "demo")
      return { agent: demoAgent({ remembered: rules }), workspace: await openIn(cwd) };
    if (agent !== opened.agent.name) return undefined;
    const started = objectOf(ours["flags"]);
    // Without them the session may have had another model, or a sandbox.
    const isSame = ours["flags"] !== undefined && CONDITIONS.every((name) => started[name] === own[name]);
    const runs = isSame ? await withModelOf(started) : undefined;
    return runs && { agent: runs.agent, workspace: cwd === workspace.root ? workspace : await openIn(cwd) };
  };
}

const isReachable = async (model: string): Promise<boolean> =>
  (await reachableModels()).some(({ name }) => name === model);

const objectOf = (value: unknown): { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null ? { ...value } : {};

/** Opens each name once: finding the shell of a folder is slow. */
function once<Value>(open: (name: string) => Promise<Value>): (name: string) => Promise<Value> {
  const opened = new Map<string, Promise<Value>>();
  return (name) => {
    const known = opened.get(name) ?? open(name);
    opened.set(name, known);
    known.catch(() => opened.delete(name));
    return known;
  };
}

function explainIn(rules: RuleSource, flags: ServeFlags): PageOptions["explain"] {
  const open = openOnce();
  return async ({ folder, ...action }, modeId) => {
    const { mode: written, rules: inForce, programs } = rules.current(folder);
    const mode = [modeId, flags.mode].find(isMode) ?? written;
    const asked = ruleQuestion.parse({ ...inMode(mode, inForce), ...action, cwd: folder });
    const { intent, policy } = await readQuestion(asked, open, programs);
    return explain(intent, {
      ...policy,
      canContain: flags.contain !== false && notContained() === undefined,
    });
  };
}

const DAY_MS = 86_400_000;

function suggestIn(rules: RuleSource, flags: ServeFlags): PageOptions["suggest"] {
  return async (folder, days) => {
    const record = await recordedCommands(folder, Date.now() - days * DAY_MS, flags);
    const { mode, rules: inForce, programs } = rules.current(folder);
    const policy = {
      ...inMode(mode, inForce),
      roots: [folder],
      home: process.env["HOME"] ?? "/",
      now: Date.now(),
      ...(programs && { programs }),
    };
    return { commands: record.length, suggestions: suggestRules(projectCommands(folder), record, policy) };
  };
}
