/** The agent that the commands run, and the ledger it writes to, from the command line's options. */
import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { createAgent, taskTool } from "../agent/index.js";
import type { Agent, AgentOptions } from "../agent/index.js";
import type { Ledger } from "../call/index.js";
import type { SharedTexts } from "../call/shared-texts.js";
import { ledgerFileOf, openLedger as openStore, redactingLedger } from "../history/index.js";
import { openModel, parseScript } from "../model/index.js";
import type { ModelPrice, Script } from "../model/index.js";
import { playScript } from "../model/scripted-model.js";
import { inMode, isMode } from "../policy/index.js";
import type { Mode, Rule } from "../policy/index.js";
import { createFolder, RuleSource, settingsFolder } from "../settings/index.js";
import { builtInTools } from "../tools/index.js";
import type { ToolSource } from "../tools/index.js";
import { withDefaultModel } from "./default-model.js";
import { defaultScript } from "./default-script.js";
import { instructions } from "./instructions.js";
import { ledgerAddress } from "./ledger-address.js";
import { loggedLedger } from "./logged-ledger.js";
import { openLog } from "./open-log.js";
import type { LogFlags } from "./open-log.js";
import type { AgentFlags } from "./commands/agent-options.js";
import { readRedaction } from "./redaction.js";
import { readText } from "./read-text.js";
import { rememberIn } from "./remember-in.js";
import { sharedSettings } from "./shared-settings.js";
import { codeCacheFolder, stateFolder } from "../tools/state-folder.js";
import { note } from "./stderr.js";

/** An agent, and the rules that apply to it in a folder at this time. */
export type OpenedAgent = {
  readonly agent: Agent;
  readonly rulesIn: (root: string) => readonly Rule[];
  /** The mode of the folder, unless a session has chosen another. */
  readonly modeIn: (root: string) => Mode;
  /** Toolgate's own files and folders. */
  readonly own: readonly string[];
  /** The price of the model, where it is known. */
  readonly price?: ModelPrice;
};

/** Applies the mode and the user's, the project's and the remembered rules; each problem goes to stderr once. */
export async function openAgent(
  flags: AgentFlags,
  toolSources: readonly ToolSource[] = [],
  shared?: SharedTexts,
): Promise<OpenedAgent> {
  const folder = settingsFolder();
  const own = ownPlaces([folder, stateFolder(), codeCacheFolder(), ...ledgerPlace(flags)]);
  const source = new RuleSource({ folder, onProblem: note, ...sharedSettings(shared) });
  shared?.onChange(() => source.changed());
  // Keyed by the rule objects that decided: the file may have changed since.
  const granted = new WeakMap<Rule, string | undefined>();
  const { price, ...model } = await openFlaggedModel(flags);
  if (flags.mode === "allow-all") warnOnce();
  const agent = createAgent({
    name: "toolgate",
    ...model,
    tools: [...builtInTools, taskTool()],
    toolSources,
    ...(flags.loopLimit !== undefined && { limits: { loopLimit: flags.loopLimit } }),
    instructions,
    projectFile: ["AGENTS.md", "CLAUDE.md"],
    policy: ({ root, sessionId, modeId }) => {
      const { rules, mode: written, origins, programs } = source.current(root, sessionId);
      for (const [rule, origin] of origins) if (origin.from === "grant") granted.set(rule, origin.grantId);
      const mode = [modeId, flags.mode].find(isMode) ?? written;
      if (mode === "allow-all") warnOnce();
      const inForce = inMode(mode, rules);
      return {
        ...inForce,
        rules: [...HARMLESS, ...inForce.rules],
        own,
        ...(programs && { programs }),
      };
    },
    remember: rememberIn(source),
    onRulesChanged: (onChange) => source.onChange(onChange),
    onCleared: ({ by = [] }) => {
      for (const grantId of new Set(by.map((rule) => granted.get(rule))))
        // A use that cannot be pluralize must not stop the call.
        if (grantId !== undefined) source.grants.countUse(grantId).catch(() => undefined);
    },
  });
  // Asked late: a session that is only open has not loaded the rules' room.
  const flagged = () => (flags.mode !== undefined && isMode(flags.mode) ? flags.mode : undefined);
  return {
    agent,
    own,
    rulesIn: (root) => source.current(root).rules,
    modeIn: (root) => flagged() ?? source.current(root).mode,
    ...(price && { price }),
  };
}

/** A provider's model by its name, or the scripted one, which needs no key. */
export async function openFlaggedModel(
  given: AgentFlags,
): Promise<Pick<AgentOptions, "model" | "contextWindow"> & Pick<OpenedAgent, "price">> {
  const flags = withDefaultModel(given, resolve(given.cwd ?? process.cwd()));
  const { model: name, baseUrl, script } = flags;
  const set = flags.contextWindow === undefined ? {} : { contextWindow: flags.contextWindow };
  if (name === undefined)
    return { model: playScript(script === undefined ? defaultScript : await readScript(script)), ...set };
  const log = await openLog(flags);
  const { model, contextWindow, price } = await openModel(name, {
    keyFile: join(settingsFolder(), "keys.json"),
    ...(baseUrl !== undefined && { baseUrl }),
    retry: {
      onRetry: ({ attempt, waitMs, reason }) => {
        note(`${reason.replace(/\.?$/, ".")} Retrying in ${Math.ceil(waitMs / 1000)} s (retry ${attempt}).`);
        log?.to.warn({ model: name, attempt, waitMs, error: log.redacted(reason) }, "model request retried");
      },
    },
  });
  return { model, contextWindow, ...set, ...(price && { price }) };
}

function ledgerPlace(flags: Pick<AgentFlags, "ledger">): readonly string[] {
  const file = ledgerFileOf(ledgerAddress(flags));
  return file === undefined ? [] : [file];
}

/** Both names of a place that a link leads to: the gate decides by real paths. */
function ownPlaces(places: readonly string[]): readonly string[] {
  return [...new Set(places.flatMap((place) => [place, realPlace(place)]))];
}

function realPlace(place: string): string {
  try {
    return realpathSync(place);
  } catch {
    // The file does not exist yet; its folder may still be a link.
    const folder = dirname(place);
    return folder === place ? place : join(realPlace(folder), basename(place));
  }
}

/** A plan changes nothing. Starting a sub-agent changes nothing either: the gate decides on each of its calls. */
const HARMLESS: readonly Rule[] = [
  { allow: "todo_write" },
  { allow: "todo_read" },
  { allow: "read_output" },
  { allow: "task" },
];

let isWarned = false;

function warnOnce(): void {
  if (isWarned) return;
  isWarned = true;
  note("allow-all mode: anything no rule denies runs without asking.");
}

async function readScript(file: string): Promise<Script> {
  const text = await readText(file);
  try {
    return parseScript(JSON.parse(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw Object.assign(new Error(`${file} is not JSON (${error.message}). Nothing was started.`), {
      code: "BAD_SCRIPT",
    });
  }
}

/** The ledger that the options name, redacting and logging as the settings say. */
export async function openLedger(
  flags: Pick<AgentFlags, "ledger"> & LogFlags,
  options: { readonly place?: string } = {},
): Promise<Ledger> {
  const { atRest, patterns } = readRedaction();
  const log = await openLog(flags);
  // A ledger that the user names gets no new folders.
  if (flags.ledger === undefined) createFolder(stateFolder());
  const exact = await openStore(ledgerAddress(flags), { ...options, onLockWait: note });
  const ledger = atRest ? redactingLedger(exact, { patterns }) : exact;
  return log ? loggedLedger(ledger, log) : ledger;
}
