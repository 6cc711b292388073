/**
 * Shared by the attacks: the tree of test/fixtures/adversarial below a folder of ours, a gate on it with real tools, and
 * the two checks at the end of each: how the call ended, and that nothing outside has changed.
 */
import { execFileSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Question, ToolCall } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import type { Policy, Rule } from "../src/policy/index.js";
import { openGate } from "../src/run/index.js";
import type { Ask, Gate } from "../src/run/index.js";
import { builtInTools } from "../src/tools/index.js";
import type { Tool } from "../src/tools/index.js";

export const fixtures = fileURLToPath(new URL("fixtures/adversarial/", import.meta.url));

/** The contents of the file outside, of the one that rules deny and of .env. None of them may appear anywhere. */
export const SECRETS = ["outside-7f3a91", "denied-9c1d42", "environment-5e2b08"] as const;

/** A folder with an empty /ws in it, gone when the test is over. */
export function anEmptyTree(): string {
  const root = aRoot();
  onTestFinished(() => removed(root));
  mkdirSync(join(root, "ws"));
  return root;
}

/** The catalogue's /ws, /outside …, gone when the test is over. */
export function aTree(): string {
  const root = builtTree();
  onTestFinished(() => removed(root));
  return root;
}

/** The same for several tests, who remove it themselves. */
export function builtTree(): string {
  const root = aRoot();
  execFileSync("sh", [join(fixtures, "tree.sh"), root], { stdio: "ignore" });
  const [outside, denied, environment] = SECRETS;
  writeFileSync(join(root, "outside/secret"), `${outside}\n`);
  writeFileSync(join(root, "ws/secrets/key.pem"), `${denied}\n`);
  for (const name of ["ws/.env", "ws/sub/.env"]) writeFileSync(join(root, name), `KEY=${environment}\n`);
  return root;
}

export const removed = (root: string): void => rmSync(root, { recursive: true, force: true });

const aRoot = (): string => realpathSync(mkdtempSync(join(tmpdir(), "toolgate-attacks-")));

/** The catalogue's paths, as they lie below the tree. */
export const placed = (root: string, text: string): string =>
  text.replaceAll(/(?<![\w.~-])\/(ws-evil|ws2|ws_link|ws|outside)(?![\w-])/g, `${root}/$1`);

type Place = {
  readonly rules?: readonly Rule[];
  readonly default?: Policy["default"];
  readonly own?: readonly string[];
  readonly tools?: readonly Tool[];
  readonly workspace?: string;
  /** Who is asked; without it everyone says no. */
  readonly ask?: Ask;
};

/** allow: it ran unasked; ask: someone was asked; deny: a rule said no; error: it failed before or while it ran. */
export type Outcome = "allow" | "ask" | "deny" | "error";

export type Tried = {
  readonly call: ToolCall;
  readonly outcome: Outcome;
  readonly asked: readonly Question[];
};

export async function gateOn(root: string, place: Place = {}) {
  const { rules = [], own, tools = builtInTools, workspace = "/ws", ask = no } = place;
  const asked: Question[] = [];
  // Rules are plain data with paths in them.
  const inForce = JSON.parse(placed(root, JSON.stringify(rules))) as readonly Rule[];
  const policy = {
    rules: inForce,
    ...(place.default && { default: place.default }),
    ...(own && { own }),
  };
  const gate: Gate = await openGate({
    workspace: placed(root, workspace),
    ledger: new MemoryLedger(),
    tools,
    policy: () => policy,
    ask: (question, signal) => {
      asked.push(question);
      return ask(question, signal);
    },
    loopLimit: Number.MAX_SAFE_INTEGER,
  });
  onTestFinished(() => gate.close());
  const attempt = async (name: string, input: object, signal?: AbortSignal): Promise<Tried> => {
    const before = asked.length;
    const given: unknown = JSON.parse(placed(root, JSON.stringify(input)));
    const call = await gate.call({ name, input: given }, signal);
    return { call, outcome: outcomeOf(call, asked.length > before), asked: asked.slice(before) };
  };
  return { gate, asked, attempt };
}

export const no: Ask = () =>
  Promise.resolve({ outcome: { type: "selected", optionId: "reject_once" }, by: "person", who: "ann" });

export const yes: Ask = () =>
  Promise.resolve({ outcome: { type: "selected", optionId: "allow_once" }, by: "person", who: "ann" });

function outcomeOf({ state }: ToolCall, wasAsked: boolean): Outcome {
  if (wasAsked) return "ask";
  if (state.status === "done") return "allow";
  return state.status === "refused" ? "deny" : "error";
}

/** Which secrets came to light by a call. A diff is left out: it is for the person who is asked about it. */
export function secretsIn(call: ToolCall): readonly string[] {
  const shown = JSON.stringify({ ...call, content: call.content.filter(({ type }) => type !== "diff") });
  return SECRETS.filter((secret) => shown.includes(secret));
}

/** All that lies beside the workspace, as text: to be the same before and after. */
export function outsideOf(root: string): string {
  return readdirSync(root)
    .filter((name) => name !== "ws")
    .toSorted()
    .flatMap((name) => entries(root, name))
    .join("\n");
}

function entries(root: string, path: string): readonly string[] {
  const full = join(root, path);
  const stats = lstatSync(full);
  const head = `${path} ${stats.mode.toString(8)}`;
  if (stats.isSymbolicLink()) return [`${head} -> ${readlinkSync(full)}`];
  if (!stats.isDirectory()) return [`${head} ${readFileSync(full, "utf8")}`];
  return [
    head,
    ...readdirSync(full)
      .toSorted()
      .flatMap((name) => entries(root, join(path, name))),
  ];
}
