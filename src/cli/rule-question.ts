/** One action to decide on, with the rules that apply: shared by `rules test`, `rules explain` and `rules suggest`. */
import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { z } from "zod";
import { inferToolKind } from "../call/index.js";
import { FORCED_GIT_SETTINGS } from "../policy/forced-git-settings.js";
import { plannedCommand } from "../policy/intent.js";
import { inMode } from "../policy/index.js";
import type { Intent, ModeRules, Policy, Rule, Verdict } from "../policy/index.js";
import { projectOf, readRuleFile, RuleSource, settingsFolder } from "../settings/index.js";
import { outsideLinks } from "../tools/built-in/outside-links.js";
import { runContents } from "../tools/built-in/run-contents.js";
import { executorFor } from "../tools/git/executor-for.js";
import { builtInTools, LocalWorkspace } from "../tools/index.js";
import type { Workspace } from "../tools/index.js";
import { sessionWorkspace } from "../tools/scratch/session-workspace.js";
import { temporaryPaths } from "../tools/scratch/temporary-paths.js";
import { notContained } from "./open-workspace.js";
import { readText } from "./read-text.js";
import { withSettingsOf } from "./shared-settings.js";

/** A case: the action, and the rules to apply. */
export const ruleQuestion = z.object({
  rules: z.array(z.custom<Rule>((rule) => typeof rule === "object" && rule !== null)).default([]),
  default: z.enum(["allow", "ask", "deny"]).default("ask"),
  cwd: z.string().optional(),
  command: z.union([z.string(), z.array(z.string())]).optional(),
  env: z.record(z.string(), z.string()).optional(),
  read: z.string().optional(),
  write: z.string().optional(),
  delete: z.string().optional(),
  url: z.string().optional(),
  tool: z.string().optional(),
  server: z.string().optional(),
  input: z.unknown().optional(),
});

export type RuleQuestion = z.output<typeof ruleQuestion>;

export class BadQuestion extends Error {
  readonly code = "BAD_QUESTION";
}

/** The rules of a file with its mode; without a file, those in force in the folder. Described programs count either way. */
export async function rulesToTry(
  file: string | undefined,
  cwd: string,
  ledger?: string,
): Promise<ModeRules & Pick<Policy, "programs">> {
  const { mode, rules, programs } = await withSettingsOf(ledger, (settings) => {
    const source = new RuleSource({ folder: settingsFolder(), ...settings });
    const inForce = source.current(cwd);
    source.close();
    return inForce;
  });
  const described = programs && { programs };
  if (file === undefined) return { ...inMode(mode, rules), ...described };
  const reading = readRuleFile(await readText(file), file, projectOf(file));
  if (!reading.ok) throw new BadQuestion(reading.problem);
  return { ...inMode(reading.file.mode ?? "ask", reading.file.rules), ...described };
}

/** The intent of the action, and the policy that decides on it. */
export async function readQuestion(
  asked: RuleQuestion,
  open: OpenWorkspace,
  programs?: Policy["programs"],
): Promise<{ readonly intent: Intent; readonly policy: Policy }> {
  const cwd = resolve(asked.cwd ?? process.cwd());
  const policy: Policy = {
    rules: asked.rules,
    default: asked.default,
    roots: [cwd],
    home: homedir(),
    now: Date.now(),
    ...(programs && { programs }),
  };
  return { intent: await intentOf(asked, cwd, open), policy };
}

/** The policy of a session on this machine, which may have a sandbox. */
export const withSandbox = (policy: Policy): Policy => ({
  ...policy,
  canContain: notContained() === undefined,
});

/** The third way beside allow and ask. */
export const outcomeOf = ({ effect, contained }: Verdict): string => (contained ? "contained" : effect);

export const IN_SANDBOX = "runs unasked in the sandbox if the sandbox works here; otherwise Toolgate asks";

/** A built-in tool computes its intent from the input, as it does for a real call. */
async function intentOfTool({ tool: name, input }: RuleQuestion, cwd: string): Promise<Intent | undefined> {
  const tool = builtInTools.find((one) => one.name === name);
  if (!tool || input === undefined) return undefined;
  const parsed = tool.parse(input);
  if (!parsed.ok)
    throw new BadQuestion(`${parsed.problem.replace(/ Nothing was run\.$/, "")} Nothing was decided.`);
  const workspace = await LocalWorkspace.open(cwd);
  const own = (await tool.intent?.(parsed.input, workspace)) ?? {};
  return {
    tool: tool.name,
    kind: tool.kind,
    input,
    cwd: workspace.root,
    paths: [],
    hosts: [],
    baseHashes: {},
    ...own,
  };
}

async function intentOf(asked: RuleQuestion, cwd: string, open: OpenWorkspace): Promise<Intent> {
  const called = await intentOfTool(asked, cwd);
  if (called) return called;
  const { command, env, url, tool, server, input } = asked;
  const touched = (["read", "write", "delete"] as const).flatMap((access) => {
    const path = asked[access];
    return path === undefined ? [] : [{ access, named: resolve(cwd, path) }];
  });
  const paths = await Promise.all(
    touched.map(async ({ access, named }) => {
      const path = await realPath(named);
      return path === named ? { path, access } : { path, named, access };
    }),
  );
  const [first] = touched;
  const name =
    tool ?? (command !== undefined ? "terminal" : url !== undefined ? "fetch" : (first?.access ?? "tool"));
  return {
    tool: name,
    kind: kindOf(asked, name),
    input: input ?? {},
    cwd,
    paths,
    hosts: url === undefined ? [] : [url],
    baseHashes: {},
    ...(command !== undefined && (await commandIntent(await open(cwd), command, env))),
    ...(env !== undefined && { env }),
    ...(server !== undefined && { server }),
  };
}

export type OpenWorkspace = (cwd: string) => Promise<Workspace | undefined>;

/** Opens each workspace once: finding its shell is slow, and a batch has many cases in one folder. */
export function openOnce(): OpenWorkspace {
  const opened = new Map<string, ReturnType<OpenWorkspace>>();
  return (cwd) => {
    const workspace = opened.get(cwd) ?? openIn(cwd).catch(() => undefined);
    opened.set(cwd, workspace);
    return workspace;
  };
}

const openIn = async (cwd: string): Promise<Workspace> =>
  sessionWorkspace(await LocalWorkspace.open(cwd), "rules test");

/** The intent as our terminal tool would have it; a missing folder has no repository and no scripts. */
async function commandIntent(
  workspace: Workspace | undefined,
  command: string | readonly string[],
  env: RuleQuestion["env"],
): Promise<Pick<Intent, "command" | "executor" | "contents" | "outsideLinks" | "temporary">> {
  if (!workspace) return { command, executor: { language: "bash", forced: FORCED_GIT_SETTINGS } };
  const planned = { command, cwd: workspace.root, ...(env && { env }) };
  const executor = await executorFor(planned, workspace);
  const links = await outsideLinks({ ...planned, executor }, workspace);
  const temporary = await temporaryPaths(plannedCommand({ ...planned, executor }), workspace);
  return {
    command,
    executor,
    contents: await runContents({ ...planned, executor }, workspace),
    ...(links.length > 0 && { outsideLinks: links }),
    ...(temporary.length > 0 && { temporary }),
  };
}

function kindOf(
  { command, url, read, write, delete: deleted, input }: RuleQuestion,
  name: string,
): Intent["kind"] {
  if (command !== undefined) return "execute";
  if (url !== undefined) return "fetch";
  if (deleted !== undefined) return "delete";
  if (write !== undefined) return "edit";
  return read !== undefined ? "read" : inferToolKind(name, input).kind;
}

/** Follows links as far as the path exists. */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return dirname(path) === path ? path : join(await realPath(dirname(path)), basename(path));
  }
}
