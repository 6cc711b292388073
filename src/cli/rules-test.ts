/**
 * `toolgate rules test`: shows what a set of rules decides on a command, a path or a URL, and what it saw. With
 * `--batch` it reads one case a line and writes one verdict a line, in order.
 */
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { visibleText } from "../call/index.js";
import { decide } from "../policy/index.js";
import type { Verdict } from "../policy/index.js";
import { jsonText } from "./json-text.js";
import {
  BadQuestion,
  IN_SANDBOX,
  openOnce,
  outcomeOf,
  readQuestion,
  ruleQuestion,
  rulesToTry,
  withSandbox,
} from "./rule-question.js";
import type { OpenWorkspace } from "./rule-question.js";

export type RulesTestFlags = {
  readonly rules?: string;
  readonly cwd?: string;
  readonly ledger?: string;
  readonly json?: boolean;
  readonly batch?: boolean;
  readonly read?: string;
  readonly write?: string;
  readonly delete?: string;
  readonly url?: string;
  readonly tool?: string;
  readonly input?: string;
};

export async function testRules(words: readonly string[], flags: RulesTestFlags): Promise<number> {
  if (flags.batch) return testBatch();
  const cwd = resolve(flags.cwd ?? process.cwd());
  const { programs, ...inForce } = await rulesToTry(flags.rules, cwd, flags.ledger);
  const asked = ruleQuestion.parse({
    ...flags,
    ...inForce,
    cwd,
    input: flags.input === undefined ? undefined : parsedInput(flags.input),
    command: words.length === 0 ? undefined : words.length === 1 ? words[0] : [...words],
  });
  if (
    [asked.command, asked.read, asked.write, asked.delete, asked.url, asked.tool].every(
      (given) => given === undefined,
    )
  ) {
    throw new BadQuestion(
      "There is nothing to decide. Put a command after --, or name a path, a URL or a tool.",
    );
  }
  const { intent, policy } = await readQuestion(asked, openOnce(), programs);
  const verdict = decide(intent, withSandbox(policy));
  process.stdout.write(
    flags.json ? `${line(verdict)}\n` : visibleText(explained(verdict), { keepNewlines: true }),
  );
  return 0;
}

function parsedInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadQuestion("--input is not JSON. Nothing was decided.");
  }
}

async function testBatch(): Promise<number> {
  const open = openOnce();
  for await (const text of createInterface({ input: process.stdin })) {
    if (text.trim() === "") continue;
    process.stdout.write(`${await batchLine(text, open)}\n`);
  }
  return 0;
}

/** An unreadable line gets "ask": nobody knows that it is harmless. */
async function batchLine(text: string, open: OpenWorkspace): Promise<string> {
  try {
    const { intent, policy } = await readQuestion(ruleQuestion.parse(JSON.parse(text)), open);
    return line(decide(intent, policy));
  } catch (error) {
    const problem = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    return jsonText({ decision: "ask", rule: null, saw: [], problem });
  }
}

function line(verdict: Verdict): string {
  const { rule, reason, saw } = verdict;
  return jsonText({
    decision: outcomeOf(verdict),
    rule: rule ?? null,
    saw,
    ...(reason !== undefined && { reason }),
  });
}

function explained(verdict: Verdict): string {
  const { rule, reason, saw } = verdict;
  const why = [
    ...(verdict.contained ? [IN_SANDBOX] : []),
    rule === undefined ? "no rule covers it" : `rule: ${rule}`,
    ...(reason === undefined ? [] : [`because: ${reason}`]),
  ];
  return `${outcomeOf(verdict)}\n${why.map((text) => `  ${text}\n`).join("")}saw:\n${saw.map((text) => `  ${text}\n`).join("")}`;
}
