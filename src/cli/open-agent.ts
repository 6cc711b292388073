/** The agent that the commands run, and the ledger it writes to, from the command line's options. */
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { createAgent } from "../agent/index.js";
import type { Agent } from "../agent/index.js";
import type { Ledger } from "../call/index.js";
import { openSqliteLedger } from "../history/index.js";
import { parseScript, scriptedModel } from "../model/index.js";
import type { Script } from "../model/index.js";
import type { Rule } from "../policy/index.js";
import { builtInTools } from "../tools/index.js";
import { defaultScript } from "./default-script.js";
import type { AgentFlags } from "./program.js";

/** Looking is allowed; everything else is asked. */
const RULES: readonly Rule[] = [
  { allow: "read" },
  { allow: "search" },
  { allow: "think" },
  { allow: "todo_write" },
];

export async function openAgent({ script }: AgentFlags): Promise<Agent> {
  const played = script === undefined ? defaultScript : await readScript(script);
  return createAgent({ name: "toolgate", model: scriptedModel(played), tools: builtInTools, rules: RULES });
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
export async function openLedger({ ledger }: AgentFlags): Promise<Ledger> {
  const state = process.env["XDG_STATE_HOME"] ?? join(homedir(), ".local", "state");
  return openSqliteLedger(ledger === undefined ? join(state, "toolgate", "ledger.sqlite") : resolve(ledger));
}
