// Toolgate itself: the intents of the built-in tools, the rules in the mode accept-edits, and the questions with the
// "always" that they offer, by the same functions that the gate uses.
import { homedir } from "node:os";
import { join } from "node:path";
import { decide, inMode, readShell } from "toolgate/policy";
import { builtInTools, LocalWorkspace } from "toolgate/tools";
import { matchPath } from "../../dist/policy/paths/match-path.js";
import { questionOptions } from "../../dist/run/question-options.js";
import { ForwardingWorkspace } from "../../dist/tools/forwarding-workspace.js";
import { temporaryPaths } from "../../dist/tools/scratch/temporary-paths.js";
import { placed, stepsOf, touchFile } from "./sessions.mjs";

const tools = new Map(builtInTools.map((tool) => [tool.name, tool]));

/** A step as a call of a built-in tool. */
function callOf(step) {
  if (step.shell !== undefined) return ["terminal", { command: step.shell }];
  if (step.read !== undefined) return ["read_file", { path: step.read }];
  if (step.list !== undefined) return ["list_directory", { path: step.list }];
  if (step.edit !== undefined) return ["edit_file", { path: step.edit, oldText: "a", newText: "b" }];
  if (step.write !== undefined) return ["write_file", { path: step.write, content: "" }];
  if (step.grep !== undefined) return ["grep", { pattern: step.grep, path: step.path }];
  if (step.find !== undefined) return ["find_path", { pattern: step.find, path: step.path }];
  if (step.fetch !== undefined) return ["fetch", { url: step.fetch }];
  throw new Error(`unknown step ${JSON.stringify(step)}`);
}

/** The intent of a call; undefined when the tool refuses its input. */
export async function intentOf(step, workspace) {
  const [name, rawInput] = callOf(step);
  const tool = tools.get(name);
  const parsed = tool.parse(rawInput);
  if (!parsed.ok) return undefined;
  const own = await tool.intent(parsed.input, workspace).catch(() => undefined);
  if (own === undefined) return undefined;
  const base = { cwd: workspace.root, paths: [], hosts: [], baseHashes: {} };
  const intent = { ...base, tool: name, kind: tool.kind, input: rawInput, ...own };
  const temporary = await temporaryPaths(intent, workspace);
  return temporary.length === 0 ? intent : { ...intent, temporary };
}

/**
 * The session's calls in order, with their intents as the disk then is. `first` is the verdict without any rule of the
 * person's; a call that it allows stays allowed, since grants only add rules that allow.
 */
export async function readCalls(session, project, { folder, home }) {
  const workspace = new SessionOfBench(await LocalWorkspace.open(folder), scratchIn(home));
  const calls = [];
  const judged = new Map();
  for (const step of stepsOf(session, project)) {
    const call = JSON.parse(placed(JSON.stringify(step), home));
    const intent = await intentOf(call, workspace);
    const key = JSON.stringify(intent);
    const first = judged.get(key) ?? (intent ? decide(intent, policyOf([], folder)) : { effect: "allow" });
    judged.set(key, first);
    calls.push({ call, intent, first });
    workspace.made(intent?.temporary ?? []);
    for (const path of changedBy(call, folder)) touchFile(path, home);
  }
  return calls;
}

/** The scratch folder of every session, as the gate gives it to commands. */
const scratchIn = (home) => `${home}/.scratch/session`;

/** A session's workspace in which nothing is in /tmp but what the session's own calls put there. */
class SessionOfBench extends ForwardingWorkspace {
  #made = new Set();
  #scratch;

  constructor(inner, scratch) {
    super(inner);
    this.#scratch = scratch;
  }

  async executor(...words) {
    const executor = await super.executor?.(...words);
    return executor && { ...executor, known: { ...executor.known, TMPDIR: this.#scratch } };
  }

  async ownTemporary(path, isMade) {
    const found = [...this.#made].filter((name) => matchPath(path, name));
    return isMade || found.length > 0 ? [path, ...found] : [];
  }

  made(paths) {
    for (const path of paths) this.#made.add(path);
  }
}

function changedBy(call, folder) {
  if (call.shell === undefined) return [call.edit ?? call.write ?? []].flat();
  return readShell(call.shell, { language: "bash" }).commands.flatMap(({ writes, after }) => {
    const cwd = after.reduce(
      (here, change) => (change.startsWith("/") ? change : join(here, change)),
      folder,
    );
    return writes.map((path) => (path.startsWith("/") ? path : join(cwd, path)));
  });
}

export const policyOf = (rules, folder, canContain = false, staying = NOT_SERVING) => ({
  ...inMode("accept-edits", rules),
  canContain,
  ...(canContain && { staying }),
  roots: [folder],
  home: homedir(),
  scratch: scratchIn(homedir()),
  own: [`${homedir()}/.config/toolgate`, `${homedir()}/.local/state/toolgate`],
  now: Date.now(),
});

const NOT_SERVING = { isRunning: false, isOutside: () => false };

/**
 * The servers of a session, as its contained commands leave and end them. A port at which none of them was requested
 * is somebody's outside: a written session requests what answers there.
 */
class SessionServers {
  #isRunning = false;
  #own = new Set();

  /** As the rules see it before this call. */
  before(call) {
    const ports = portsIn(call.shell ?? "");
    if (this.#isRunning || leavesServer(call)) for (const port of ports) this.#own.add(port);
    const outside = new Set(ports.filter((port) => !this.#own.has(port)));
    return { isRunning: this.#isRunning, isOutside: (port) => outside.has(port) };
  }

  after(call, verdict) {
    if (!verdict.contained?.stays) return;
    this.#isRunning = leavesServer(call) || !/\b(?:p?kill|killall)\b/.test(call.shell);
  }
}

const portsIn = (text) =>
  [...text.matchAll(/(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]):(\d+)/g)].map(([, port]) => Number(port));

const leavesServer = ({ shell }) =>
  shell !== undefined &&
  readShell(shell, { language: "bash" }).commands.some(
    ({ isBackground, argv }) => isBackground || /\b(?:server?|start) .*-d\b/.test(argv.join(" ")),
  );

/**
 * Answers every question with the first "always" that it offers, or with none of them. `canContain`: a command that may
 * run in the sandbox is not asked about.
 */
export function replayOurs(calls, { folder, starter, takesAlways, canContain = false }) {
  const rules = [...starter];
  const asked = [];
  const servers = new SessionServers();
  for (const { call, intent, first } of calls) {
    if (first.effect === "allow") continue;
    const isFirst = rules.length === 0 && !canContain;
    const verdict = isFirst
      ? first
      : decide(intent, policyOf(rules, folder, canContain, servers.before(call)));
    servers.after(call, verdict);
    if (verdict.effect === "allow" || verdict.contained) continue;
    const grant = takesAlways && verdict.effect === "ask" ? grantFor(intent, folder, rules) : undefined;
    if (grant) rules.push(...grant.rules);
    asked.push({
      call,
      reason: verdict.reason,
      saw: verdict.saw,
      sentence: grant?.sentence,
      effect: verdict.effect,
    });
  }
  return { asked, grants: rules.slice(starter.length) };
}

/** The first "always" that the question offers. */
function grantFor(intent, folder, rules) {
  const judge = (one, also) => decide(one, policyOf([...rules, ...also], folder)).effect;
  const { options } = questionOptions({ intent, roots: [folder], isNamedByRunner: false, judge });
  return options.find(({ kind }) => kind === "allow_always")?.grant;
}
