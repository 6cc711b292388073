/**
 * The decisions on the attacks of test/fixtures/adversarial: commands and paths that try to get around a rule set. No
 * attack of the first tier is allowed unasked, every control is, and at least 95 % of the second tier are not.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MemoryLedger } from "../src/history/index.js";
import { decide, inMode, proposeDenials, proposeGrants } from "../src/policy/index.js";
import type { Intent, Rule } from "../src/policy/index.js";
import { exactGrant } from "../src/policy/grants/grants.samples.js";
import { normalisePath } from "../src/policy/paths/match-path.js";
import { openGate } from "../src/run/index.js";
import { GrantStore, RuleSource } from "../src/settings/index.js";
import { builtInTools, LocalWorkspace } from "../src/tools/index.js";

type Generated = {
  readonly concat: readonly (string | { readonly repeat: string; readonly times: number })[];
};

type Case = {
  readonly id: string;
  readonly family: string;
  readonly control: boolean;
  readonly tier: 1 | 2 | 3;
  readonly default: "allow" | "ask" | "deny";
  readonly rules: readonly Rule[];
  readonly input: {
    readonly tool: "execute" | "read" | "edit" | "delete";
    readonly cwd?: string;
    readonly command?: string;
    readonly command_gen?: Generated;
    readonly args?: readonly string[];
    readonly env?: readonly { readonly name: string; readonly value: string }[];
    readonly path?: string;
  };
  readonly accept: readonly string[];
  readonly why: string;
};

const fixtures = fileURLToPath(new URL("fixtures/adversarial/", import.meta.url));
const cases: readonly Case[] = JSON.parse(readFileSync(join(fixtures, "decisions.json"), "utf8"));

let root = "";

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "toolgate-cases-")));
  execFileSync("sh", [join(fixtures, "tree.sh"), root], { stdio: "ignore" });
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Puts the /ws, /outside … of the fixtures below a folder of ours. */
const placed = (text: string): string =>
  text.replaceAll(/(?<![\w.~-])\/(ws-evil|ws2|ws_link|ws|outside)(?![\w-])/g, `${root}/$1`);

/** Files that a case only names: Toolgate's own. */
const OWN = new Map([
  ["<product policy file, existing>", "/home/user/.config/toolgate/rules.json"],
  ["<product history DB>", "/home/user/.local/state/toolgate/ledger.sqlite"],
]);

/** The outcome of the call: the rules' decision, or an error when the workspace has no such file. */
async function outcomeOf({ input, rules, default: effect }: Case): Promise<string> {
  const { tool, cwd = "/ws", command, command_gen: generated, args, env, path } = input;
  const text = generated ? generated.concat.map(expanded).join("") : command;
  const workspace = await LocalWorkspace.open(`${root}/ws`);
  const written = path === undefined ? undefined : (OWN.get(path) ?? placed(path));
  const touched = written === undefined ? undefined : await pathAccess(workspace, written, tool);
  if (touched === "error") return "error";
  const intent: Intent = {
    tool,
    kind: tool,
    input: {},
    cwd: placed(cwd),
    paths: touched ? [touched] : [],
    hosts: [],
    baseHashes: {},
    ...(text !== undefined && { command: args ? [text, ...args] : placed(text) }),
    ...(env && { env: Object.fromEntries(env.map(({ name, value }) => [name, value])) }),
  };
  const policy = {
    rules: rules.map((rule): Rule => JSON.parse(placed(JSON.stringify(rule)))),
    default: effect,
    roots: [`${root}/ws`],
    home: "/home/user",
    own: ["/home/user/.config/toolgate", "/home/user/.local/state/toolgate"],
  };
  const decision = decide(intent, policy).effect;
  if (decision !== "allow" || tool !== "read" || !touched) return decision;
  // Allowed, but there must be a text file to read.
  const read = await workspace.readText(touched.path).catch(() => undefined);
  return read === undefined ? "error" : decision;
}

const expanded = (piece: string | { repeat: string; times: number }): string =>
  typeof piece === "string" ? piece : piece.repeat.repeat(piece.times);

const ACCESS = { read: "read", edit: "write", delete: "delete", execute: "read" } as const;

/**
 * The workspace's resolution: the real path, and the written path when they differ. The rules decide about the
 * outside.
 */
async function pathAccess(
  workspace: LocalWorkspace,
  written: string,
  tool: keyof typeof ACCESS,
): Promise<Intent["paths"][number] | "error"> {
  const access = ACCESS[tool];
  const named = normalisePath(`${root}/ws`, written);
  if (named === undefined) return "error";
  try {
    const path = await workspace.resolve(named);
    return path === named ? { path, access } : { path, named, access };
  } catch {
    // The path leads out of the workspace: the rules judge it by its name and by the place outside.
    return { path: named.startsWith(`${root}/ws/`) ? `${root}/outside` : named, named, access };
  }
}

const attacks = (tier: number) => cases.filter((one) => !one.control && one.tier === tier);
const holds = async (one: Case) => one.accept.includes(await outcomeOf(one));

/** The action of a case, for the name of its test. */
const named = ({ input: { command, path, tool }, why }: Case) => `${command ?? path ?? tool} (${why})`;

test.each(cases.filter(({ control }) => control).map((one) => [named(one), one] as const))(
  "lets a harmless call through: %s",
  async (_, one) => {
    expect(one.accept, `${one.input.command ?? one.input.path}: ${one.why}`).toContain(await outcomeOf(one));
  },
);

test.each(attacks(1).map((one) => [named(one), one] as const))(
  "does not let an attack of the first tier through: %s",
  async (_, one) => {
    expect(one.accept, `${one.input.command ?? one.input.path}: ${one.why}`).toContain(await outcomeOf(one));
  },
);

test("holds at least 95 % of the attacks of the second tier", async () => {
  const all = attacks(2);
  const through: string[] = [];
  for (const one of all)
    if (!(await holds(one))) through.push(`${one.id} ${one.input.command ?? one.input.path}: ${one.why}`);
  expect(through.length / all.length, through.join("\n")).toBeLessThanOrEqual(0.05);
});

describe("a remembered answer", () => {
  const places = () => ({ roots: [`${root}/ws`], home: "/home/user" });
  const run = (command: string): Intent => ({
    tool: "execute",
    kind: "execute",
    input: {},
    cwd: `${root}/ws`,
    command: placed(command),
    paths: [],
    hosts: [],
    baseHashes: {},
  });
  const effect = (intent: Intent, rules: readonly Rule[]) => decide(intent, { ...places(), rules }).effect;

  test.each([
    ["git commit -m x && rm -rf build", "rm -rf /ws/src"],
    ["bash -c 'ls'", "bash -c 'touch PWNED'"],
    ["python3 -c 'print(1)'", `python3 -c 'open("PWNED","w")'`],
    ["ls .*", "ls ; touch PWNED"],
  ])("always for %j does not allow %j", (first, second) => {
    const granted = proposeGrants(run(first), places()).flatMap(({ rules }) => rules);
    expect(effect(run(second), granted)).not.toBe("allow");
  });

  test.each([
    ["without rules", [], "git   push"],
    ["beside a rule that allows it", [{ allow: "execute", command: "git push" }], "git push"],
  ] as const)("never for git push, %s, is a no", (_, preset, second) => {
    const denied = proposeDenials(run("git push"), places())[0]?.rules ?? [];
    expect(effect(run(second), [...preset, ...denied])).toBe("deny");
  });

  test("always for reading a file does not allow to edit it", () => {
    const touch = (tool: "read" | "edit", access: "read" | "write"): Intent => ({
      ...run(""),
      command: [],
      tool: `${tool}_file`,
      kind: tool,
      paths: [{ path: `${root}/ws/a`, access }],
    });
    const { command: _, ...first } = touch("read", "read");
    const { command: __, ...second } = touch("edit", "write");
    const granted = exactGrant(first, places())?.rules ?? [];
    expect(effect(first, granted)).toBe("allow");
    expect(effect(second, granted)).toBe("ask");
  });

  test("a yes for this once is not remembered", async () => {
    let asked = 0;
    const gate = await openGate({
      workspace: `${root}/ws`,
      ledger: new MemoryLedger(),
      tools: builtInTools,
      ask: () => {
        asked += 1;
        return Promise.resolve({ outcome: { type: "selected", optionId: "allow_once" }, by: "person" });
      },
    });
    for (const times of [1, 2]) {
      const call = await gate.call({ name: "terminal", input: { command: "touch once.txt" } });
      expect([call.state.status, asked]).toEqual(["done", times]);
    }
    await gate.close();
  });

  test.each(["edit", "*", "edit_file"])("read-only refuses an edit that %j allows", (pattern) => {
    const { command: _, ...edit } = run("");
    const call: Intent = {
      ...edit,
      tool: "edit_file",
      kind: "edit",
      paths: [{ path: `${root}/ws/a`, access: "write" }],
    };
    const rules: readonly Rule[] = [{ allow: pattern, path: `${root}/ws/**` }];
    expect(effect(call, rules)).toBe("allow");
    expect(decide(call, { ...places(), ...inMode("read-only", rules) }).effect).toBe("deny");
  });

  test("always holds in its own project only", async () => {
    const store = new GrantStore(join(root, "settings"));
    await store.add(exactGrant(run("npm test"), places())!, { type: "project", root: `${root}/ws` });
    const rulesIn = (projectRoot: string) =>
      store.rulesFor({ projectRoot, now: Date.now() }).map(({ rule }) => rule);
    expect(effect(run("npm test"), rulesIn(`${root}/ws`))).toBe("allow");
    expect(effect(run("npm test"), rulesIn(`${root}/ws2`))).toBe("ask");
  });

  test("a rule that is taken out of its file stops at once", () => {
    const folder = join(root, "settings");
    const source = new RuleSource({ folder });
    writeFileSync(join(folder, "rules.json"), '{"rules":[{"allow":"execute","command":"npm test"}]}');
    expect(effect(run("npm test"), source.current(`${root}/ws2`).rules)).toBe("allow");
    writeFileSync(join(folder, "rules.json"), '{"rules":[]}');
    expect(effect(run("npm test"), source.current(`${root}/ws2`).rules)).toBe("ask");
    source.close();
  });
});
