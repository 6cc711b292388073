/**
 * `toolgate rules suggest`: rules that the project's files and the record of the last days call for, each with its
 * effect on the recorded commands. Nothing is added before a person says yes to that rule.
 */
import { createHash } from "node:crypto";
import { createInterface } from "node:readline/promises";
import { homedir } from "node:os";
import { pluralize, visibleText } from "../call/index.js";
import { inMode } from "../policy/index.js";
import type { Policy } from "../policy/index.js";
import { suggestRules } from "../policy/suggest-rules.js";
import type { RuleSuggestion } from "../policy/suggest-rules.js";
import { GrantStore, RuleSource, settingsFolder } from "../settings/index.js";
import { jsonText } from "./json-text.js";
import { projectCommands } from "./project-commands.js";
import { recordedCommands } from "./recorded-commands.js";
import { withSettingsOf } from "./shared-settings.js";
import type { StoredSettings } from "./shared-settings.js";
import { recordedFolder } from "./shown-folder.js";
import { note } from "./stderr.js";

export type RulesSuggestFlags = {
  readonly days: number;
  readonly ledger?: string;
  readonly json?: boolean;
  readonly take?: readonly string[];
};

type Listed = RuleSuggestion & { readonly id: string };

const DAY_MS = 86_400_000;
/** Commands that a suggestion shows as text. */
const MAX_SHOWN = 3;

export const showSuggestions = (flags: RulesSuggestFlags): Promise<number> =>
  withSettingsOf(flags.ledger, (settings) => showSuggestionsFor(flags, settings));

async function showSuggestionsFor(
  { days, take, json, ...flags }: RulesSuggestFlags,
  settings: StoredSettings,
): Promise<number> {
  const root = recordedFolder(process.cwd());
  const record = await recordedCommands(root, Date.now() - days * DAY_MS, flags);
  const listed = suggestRules(projectCommands(root), record, policyIn(root, settings)).map((one) => ({
    id: idOf(one),
    ...one,
  }));
  const adder = (one: Listed) => add(one, root, settings);
  if (take !== undefined) return takeByIds(take, listed, adder);
  if (json === true) {
    process.stdout.write(`${jsonText({ days, commands: record.length, suggestions: listed })}\n`);
    return 0;
  }
  write(headline(listed.length, record.length, days));
  if (process.stdin.isTTY && process.stdout.isTTY) return takeOneByOne(listed, adder);
  for (const one of listed) write(text(one));
  if (listed.length > 0) write("Take one with: toolgate rules suggest --take ID\n");
  return 0;
}

function policyIn(root: string, settings: StoredSettings): Policy {
  const source = new RuleSource({ folder: settingsFolder(), ...settings });
  const { mode, rules, programs } = source.current(root);
  source.close();
  return {
    ...inMode(mode, rules),
    roots: [root],
    home: homedir(),
    now: Date.now(),
    ...(programs && { programs }),
  };
}

/** The same for the same rule, so that it can be typed after the list was shown. */
const idOf = ({ rule }: RuleSuggestion): string =>
  createHash("sha256").update(JSON.stringify(rule)).digest("hex").slice(0, 8);

function headline(count: number, commands: number, days: number): string {
  const read = `${pluralize(commands, "recorded command")} of the last ${pluralize(days, "day")}, and the files of this project`;
  return count === 0
    ? `No rule to suggest, from ${read}.\n`
    : `${pluralize(count, "rule")} to consider, from ${read}. None installs, publishes, deploys or handles secrets.\n\n`;
}

function text({ id, rule, from, saved, allowed, alsoLets }: Listed): string {
  const sources = from.length === 0 ? "the record" : from.join(", ");
  const effect =
    saved === 0
      ? "no recorded question would have been saved"
      : `allowed ${pluralize(allowed, "time")}, never refused; would have saved ${pluralize(saved, "question")}`;
  const more = alsoLets.length - MAX_SHOWN;
  const also = [
    ...alsoLets.slice(0, MAX_SHOWN).map((command) => `    ${command.replaceAll("\n", " ⏎ ")}\n`),
    more > 0 ? `    and ${pluralize(more, "other command")}: --json has all of them\n` : "",
  ].join("");
  return [
    `${id}  ${rule.command}  (from ${sources})\n  ${effect}\n`,
    alsoLets.length === 0 ? "" : `  would also have let through:\n${also}`,
  ].join("");
}

type Add = (one: Listed) => Promise<void>;

async function takeOneByOne(listed: readonly Listed[], takeOne: Add): Promise<number> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    for (const one of listed) {
      write(text(one));
      const reply = await terminal.question("  Add it for this project? [y/n, q to stop] ");
      if (/^q/i.test(reply)) break;
      if (/^y(?:es)?$/i.test(reply.trim())) await takeOne(one);
    }
  } finally {
    terminal.close();
  }
  return 0;
}

async function takeByIds(ids: readonly string[], listed: readonly Listed[], takeOne: Add): Promise<number> {
  const unknown = ids.filter((id) => !listed.some((one) => one.id === id));
  if (unknown.length > 0) {
    note(
      visibleText(
        `No suggestion has the id ${unknown.join(", ")}. Nothing was added; list them with: toolgate rules suggest`,
      ),
    );
    return 1;
  }
  for (const one of listed.filter(({ id }) => ids.includes(id))) await takeOne(one);
  return 0;
}

async function add({ rule }: Listed, root: string, settings: StoredSettings): Promise<void> {
  const sentence = JSON.stringify(rule);
  const { grantId } = await new GrantStore(settingsFolder(), settings).add(
    { rules: [rule], sentence },
    { type: "project", root },
  );
  write(`${sentence} applies from now on, in ${root}. Revoke it with: toolgate rules revoke ${grantId}\n`);
}

const write = (shown: string): void => void process.stdout.write(visibleText(shown, { keepNewlines: true }));
