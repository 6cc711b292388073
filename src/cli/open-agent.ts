/** The agent that the commands run, and the ledger it writes to, from the command line's options. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { createAgent } from "../agent/index.js";
import type { Agent, AgentOptions, Place } from "../agent/index.js";
import type { Ledger } from "../call/index.js";
import { openSqliteLedger } from "../history/index.js";
import { openModel, parseScript, scriptedModel } from "../model/index.js";
import type { Script } from "../model/index.js";
import { inMode, isMode } from "../policy/index.js";
import type { GrantScope, Rule } from "../policy/index.js";
import { RuleSource, settingsFolder } from "../settings/index.js";
import { builtInTools } from "../tools/index.js";
import type { ToolSource } from "../tools/index.js";
import { defaultScript } from "./default-script.js";
import type { AgentFlags } from "./program.js";

/** An agent, and the rules that hold for it in a folder by now. */
export type OpenedAgent = { readonly agent: Agent; readonly rulesIn: (root: string) => readonly Rule[] };

/** What the mode and the user's, the project's and the remembered rules say; problems go to stderr once. */
export async function openAgent(
  flags: AgentFlags,
  toolSources: readonly ToolSource[] = [],
): Promise<OpenedAgent> {
  const folder = settingsFolder();
  const source = new RuleSource({ folder, onProblem: tell });
  // By the rules that were decided with: a file that has changed since would bring others.
  const granted = new WeakMap<Rule, string | undefined>();
  const agent = createAgent({
    name: "toolgate",
    ...(await openFlaggedModel(flags, folder)),
    tools: builtInTools,
    toolSources,
    projectFile: "AGENTS.md",
    policy: ({ root, sessionId, modeId }) => {
      const { rules, mode: written, origins } = source.current(root, sessionId);
      for (const [rule, origin] of origins) if (origin.from === "grant") granted.set(rule, origin.grantId);
      const mode = [modeId, flags.mode].find(isMode) ?? written;
      if (mode === "allow-all") warnOnce();
      const inForce = inMode(mode, rules);
      return { ...inForce, rules: [...OWN_NOTES, ...inForce.rules], own: [folder, stateFolder()] };
    },
    remember: async ({ grantId, scope, expiresAt, ...proposal }, place) => {
      await source.grants.add(proposal, grantScope(scope, place), {
        // As short as one can type it to `rules revoke`.
        grantId: createHash("sha256").update(grantId).digest("hex").slice(0, 12),
        ...(expiresAt !== undefined && { expiresAt }),
      });
    },
    onCleared: ({ matched }) => {
      const grantId = matched && granted.get(matched);
      // A count that cannot be written down is no reason to stop.
      if (grantId !== undefined) source.grants.countUse(grantId).catch(() => undefined);
    },
  });
  return { agent, rulesIn: (root) => source.current(root).rules };
}

const tell = (problem: string): void => void process.stderr.write(`toolgate: ${problem}\n`);

/** A provider's model by its name, or the scripted one, which needs no key. */
async function openFlaggedModel(
  { model: name, baseUrl, script }: AgentFlags,
  folder: string,
): Promise<Pick<AgentOptions, "model" | "contextWindow">> {
  if (name === undefined)
    return { model: scriptedModel(script === undefined ? defaultScript : await readScript(script)) };
  const { model, contextWindow } = await openModel(name, {
    keyFile: join(folder, "keys.json"),
    ...(baseUrl !== undefined && { baseUrl }),
    retry: {
      onRetry: ({ waitMs, reason }) => tell(`${reason} It is asked again in ${Math.ceil(waitMs / 1000)} s.`),
    },
  });
  return { model, contextWindow };
}

/** A plan is the agent's own note to itself. */
const OWN_NOTES: readonly Rule[] = [{ allow: "todo_write" }, { allow: "todo_read" }];

function grantScope(scope: GrantScope["type"], { root, sessionId }: Place): GrantScope {
  if (scope === "session") return { type: scope, sessionId };
  return scope === "project" ? { type: scope, root } : { type: scope };
}

let isWarned = false;

function warnOnce(): void {
  if (isWarned) return;
  isWarned = true;
  process.stderr.write(
    "toolgate: the mode is allow-all: what no rule forbids runs unasked, with your rights.\n",
  );
}

async function readScript(file: string): Promise<Script> {
  const text = await readFile(file, "utf8");
  try {
    return parseScript(JSON.parse(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw Object.assign(new Error(`${file} is not JSON (${error.message}). Nothing was started.`), {
      code: "BAD_SCRIPT",
    });
  }
}

/** In the user's state folder, unless they say otherwise: never inside a project, where an agent's tools write. */
export async function openLedger({ ledger }: Pick<AgentFlags, "ledger">): Promise<Ledger> {
  return openSqliteLedger(ledgerFile({ ledger }));
}

export function ledgerFile({ ledger }: { readonly ledger?: string | undefined }): string {
  return ledger === undefined ? join(stateFolder(), "ledger.sqlite") : resolve(ledger);
}

function stateFolder(): string {
  return join(process.env["XDG_STATE_HOME"] ?? join(homedir(), ".local", "state"), "toolgate");
}
