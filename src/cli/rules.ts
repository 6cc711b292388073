/** `toolgate rules …`: lists, adds and revokes rules, checks a file, trusts a project. */
import { realpathSync } from "node:fs";
import { pluralize, visibleText } from "../call/index.js";
import { inMode, isMode } from "../policy/index.js";
import { fixedWords, hasWildcard } from "../policy/match-command.js";
import { findProgram } from "../policy/programs/known-programs.js";
import type { GrantScope, Rule } from "../policy/index.js";
import {
  GrantStore,
  projectOf,
  readRuleFile,
  rulesFromAuths,
  RuleSource,
  ruleWarning,
  settingsFolder,
} from "../settings/index.js";
import type { ListedGrant } from "../settings/index.js";
import { builtInTools } from "../tools/index.js";
import { readText } from "./read-text.js";
import type { StoredSettings } from "./shared-settings.js";
import { note } from "./stderr.js";
import { localTime } from "./local-time.js";

/** Rules and folder names may come from others: their control characters must not reach the terminal. */
const write = (text: string): void => void process.stdout.write(visibleText(text, { keepNewlines: true }));

const shown = (rule: Rule): string => visibleText(JSON.stringify(rule));

export function listRules(cwd: string, settings: StoredSettings = {}): number {
  const { text, rules, problems } = rulesIn(cwd, undefined, settings);
  write(`${text}\n`);
  warnOf(rules);
  for (const problem of problems) note(problem);
  return problems.length === 0 ? 0 : 1;
}

/** The rules in force in a folder, or in a session there, as text without control characters. */
/** `modeId`: the mode of the session, where it is not that of the settings. */
export const rulesText = (cwd: string, sessionId?: string, modeId?: string): string =>
  rulesIn(cwd, sessionId, {}, modeId).text;

function rulesIn(cwd: string, sessionId?: string, settings: StoredSettings = {}, modeId?: string) {
  const source = new RuleSource({ folder: settingsFolder(), ...settings });
  const { rules, mode: written, problems, ignored, origins } = source.current(cwd, sessionId);
  const mode = isMode(modeId) ? modeId : written;
  source.close();
  const remembered = source.grants.list();
  const own = inMode(mode, []);
  const inForce = new Set(inMode(mode, rules).rules);
  const lines = [
    `mode: ${mode}, which ${WITHOUT_RULE[own.default]} anything no rule covers`,
    ...own.rules.map((rule) => `  ${shown(rule)}  (the mode's)`),
    ...(rules.length > 0 ? [] : [`${remembered.length > 0 ? NONE_HERE : NO_RULES} ${WRITE_SOME}`]),
    ...rules.map((rule) =>
      inForce.has(rule)
        ? `  ${shown(rule)}  (${originText(origins.get(rule))})`
        : `  not in force: ${shown(rule)}  (${originText(origins.get(rule))}; in this mode only rules that deny are)`,
    ),
    ...ignored.map(({ rule, why }) => `  not in force: ${shown(rule)}  (${why})`),
    ...(remembered.length > 0 ? ["remembered:"] : []),
    ...remembered.map(
      (grant) =>
        `  ${grant.grantId}  ${grant.sentence}${placeText(grant, sessionId)}${endText(grant)}, used ${pluralize(grant.uses, "time")}`,
    ),
  ];
  return { text: lines.map((line) => visibleText(line)).join("\n"), rules, problems };
}

const WITHOUT_RULE = { allow: "allows", ask: "asks about", deny: "refuses" } as const;

const NO_RULES = "No rules beside the mode's.";
const NONE_HERE = "No rules beside the mode's are in force here.";
const WRITE_SOME = "Write some into rules.json in your settings folder, or: toolgate rules add";

/** Warns of valid rules that may not say what their author meant. */
function warnOf(rules: readonly Rule[]): void {
  const tools = builtInTools.map(({ name }) => name);
  for (const rule of rules) {
    const warning = ruleWarning(rule, tools);
    if (warning !== undefined) note(visibleText(`${JSON.stringify(rule)}: ${warning}`));
  }
}

type Origin = { readonly from: string; readonly file: string; readonly grantId?: string };

function originText(origin: Origin | undefined): string {
  return origin?.grantId === undefined ? (origin?.file ?? "built in") : `remembered, ${origin.grantId}`;
}

function scopeText(scope: GrantScope): string {
  if (scope.type === "project") return `in ${scope.root}`;
  return scope.type === "user" ? "everywhere" : `in session ${scope.sessionId}`;
}

/** The sentence of a session's grant ends with "in this session", which is true in that session only. */
const placeText = ({ scope }: ListedGrant, sessionId: string | undefined): string =>
  scope.type === "session" && scope.sessionId === sessionId ? "" : `, ${scopeText(scope)}`;

function endText({ expiresAt, isOver }: ListedGrant): string {
  if (expiresAt === undefined) return "";
  const end = localTime(expiresAt);
  return isOver ? `, expired ${end}` : `, until ${end}`;
}

/** Parses the rule as strictly as a rule file. */
export async function addRule(
  json: string,
  { user, cwd }: { readonly user: boolean; readonly cwd: string },
  settings: StoredSettings = {},
): Promise<number> {
  const reading = readRuleFile(`{ "rules": [${json}] }`, "the rule");
  if (!reading.ok) return trouble(`${reading.mistake} Nothing was stored.`);
  const [rule, ...others] = reading.file.rules;
  if (!rule) return trouble("That is not a rule. Nothing was stored.");
  if (others.length > 0) return trouble("That is more than one rule. Nothing was stored; add one at a time.");
  if (rule.until !== undefined && Date.parse(rule.until) <= Date.now()) {
    return trouble(`That rule ended on ${rule.until}. Nothing was stored.`);
  }
  warnOf([rule]);
  noteUnknownProgram(rule, cwd);
  const scope: GrantScope = user ? { type: "user" } : { type: "project", root: realpathSync(cwd) };
  const { grantId } = await new GrantStore(settingsFolder(), settings).add(
    { rules: [rule], sentence: shown(rule) },
    scope,
  );
  write(
    `${shown(rule)} applies from now on, ${scopeText(scope)}. Revoke it with: toolgate rules revoke ${grantId}\n`,
  );
  return 0;
}

/** A rule for a program that nobody described covers less than its words seem to say. */
function noteUnknownProgram(rule: Rule, cwd: string): void {
  const { command } = rule;
  if (!("allow" in rule) || command === undefined || rule.anyFlags === true) return;
  const [program = ""] = fixedWords(command);
  if (program === "" || !hasWildcard(command)) return;
  const source = new RuleSource({ folder: settingsFolder() });
  const { programs } = source.current(cwd);
  source.close();
  if (findProgram(program, programs)) return;
  note(
    visibleText(
      `Toolgate does not know ${program}. The rule covers its plain words: no code, host, secret or path outside of the workspace, and no option such as --exec, --config or -c. Anything else still asks. To describe it: toolgate rules describe ${program}`,
    ),
  );
}

export async function revokeRule(wanted: string, settings: StoredSettings = {}): Promise<number> {
  const { isRevoked, text } = await revoked(wanted, settings);
  if (!isRevoked) return trouble(text);
  write(`${text}\n`);
  return 0;
}

/** Revokes by id or by the start of it, which must match one rule only. Says what was done. */
export async function revoked(
  wanted: string,
  settings: StoredSettings = {},
): Promise<{ readonly isRevoked: boolean; readonly text: string }> {
  const store = new GrantStore(settingsFolder(), settings);
  const known = store.list().filter(({ grantId }) => grantId.startsWith(wanted));
  const meant = known.find(({ grantId }) => known.length === 1 || grantId === wanted);
  if (meant && wanted !== "" && (await store.revoke(meant.grantId))) {
    const text = `${visibleText(meant.grantId)} is revoked: ${visibleText(meant.sentence)}`;
    return { isRevoked: true, text };
  }
  const shownId = visibleText(wanted);
  if (known.length > 1)
    return {
      isRevoked: false,
      text: `"${shownId}" matches ${known.length} remembered rules. Nothing was changed; type more of the id that you mean:\n${known.map(({ grantId, sentence }) => visibleText(`${grantId}  ${sentence}`)).join("\n")}`,
    };
  const text = `Nothing is remembered under "${shownId}". Nothing was changed. Try: toolgate rules list`;
  return { isRevoked: false, text };
}

export async function checkRules(file: string): Promise<number> {
  const reading = readRuleFile(await readText(file), file, projectOf(file));
  if (!reading.ok) return trouble(reading.problem);
  warnOf(reading.file.rules);
  write(`${file}: ${pluralize(reading.file.rules.length, "rule")}, no mistakes found.\n`);
  return 0;
}

/** fast-agent's remembered permissions, for this project. */
export async function importRules(file: string, cwd: string, settings: StoredSettings = {}): Promise<number> {
  const { rules, skipped } = rulesFromAuths(await readText(file));
  const store = new GrantStore(settingsFolder(), settings);
  const scope: GrantScope = { type: "project", root: realpathSync(cwd) };
  for (const rule of rules) await store.add({ rules: [rule], sentence: shown(rule) }, scope);
  write(
    `${pluralize(rules.length, "rule")} from ${file} ${rules.length === 1 ? "applies" : "apply"} from now on, ${scopeText(scope)}.\n`,
  );
  for (const why of skipped) note(`left out: ${visibleText(why)}`);
  return 0;
}

export async function trustRules(cwd: string, settings: StoredSettings = {}): Promise<number> {
  const source = new RuleSource({ folder: settingsFolder(), ...settings });
  const { file, sha256 } = await source.trustProjectRules(cwd);
  source.close();
  write(
    `${file} is trusted as it is now (SHA-256 ${sha256}). When it changes, its rules only deny and ask until you trust it again.\n`,
  );
  return 0;
}

function trouble(text: string): number {
  note(text);
  return 1;
}
