/**
 * The conformance suite against agents by hand: one that does everything right in both versions, the same one
 * with each requirement broken in turn, and some that do what no agent should.
 *
 * The long mode breaks every requirement, the short one every twenty-fourth in each version, beginning at a random one.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { ConformanceOptions } from "../src/acp/conformance/index.js";
import { requirementsOf, runConformance } from "../src/acp/conformance/index.js";

const child = (name: string) => fileURLToPath(new URL(`children/broken-agents/${name}`, import.meta.url));
const state = mkdtempSync(join(tmpdir(), "toolgate-sample-agent-"));
afterAll(() => rmSync(state, { recursive: true, force: true }));

const EVERY = process.env["TOOLGATE_LONG"] ? 1 : 24;
const SEED = fc.readConfigureGlobal().seed ?? Date.now();

/** The sample agent: asked to work it calls a tool and asks first; asked to wait it lasts. */
const run = (version: 1 | 2, breaks: string, more: Partial<ConformanceOptions> = {}) =>
  runConformance({
    agent: {
      command: process.execPath,
      args: [child("agent.mjs")],
      env: { STATE: state, DIALECT: String(version), BREAK: breaks },
    },
    version,
    prompt: "work",
    cancelPrompt: "wait",
    responseTimeoutMs: 2500,
    quietMs: 200,
    ...more,
  });

const hostile = (how: string, more: Partial<ConformanceOptions> = {}) =>
  runConformance({
    agent: { command: process.execPath, args: [child("hostile.mjs"), how] },
    version: 1,
    responseTimeoutMs: 500,
    startTimeoutMs: 1500,
    ...more,
  });

test("a requirement that could not be tested names what was missing", async () => {
  const { requirements } = await run(1, "", {
    prompt: "say nothing",
    cancelPrompt: "say nothing",
    only: ["ACP-CANCEL", "TOOLGATE-CALL", "TOOLGATE-PERM"],
  });
  const whys = requirements.flatMap(({ finding }) => (finding.verdict === "not tested" ? [finding.why] : []));
  expect(whys.length).toBeGreaterThan(5);
  for (const why of whys) expect(why).toMatch(/give (?:it )?a .*--(?:cancel-)?prompt/);
});

describe.each([1, 2] as const)("ACP v%s", (version) => {
  const requirements = requirementsOf(version);

  test("an agent that does everything right passes everything", async () => {
    const report = await run(version, "", { responseTimeoutMs: 15_000 });
    expect(report.requirements.filter(({ finding }) => finding.verdict !== "pass")).toEqual([]);
    expect(report.isConformant).toBe(true);
  });

  test("an array that answers an array is no violation", async () => {
    const { isConformant, requirements: found } = await run(version, "nothing: an array answers an array", {
      only: ["ACP-TRANSPORT", "TOOLGATE-BATCH"],
      responseTimeoutMs: 15_000,
    });
    expect(found.filter(({ finding }) => finding.verdict !== "pass")).toEqual([]);
    expect(isConformant).toBe(true);
  });

  const judged = requirements.filter(({ level }) => level !== "info");
  // Other ones for each version: a check that both share is broken more often.
  const isInSample = (index: number): boolean => (index + SEED + version) % EVERY === 0;

  test.concurrent.each(judged.filter((_, index) => isInSample(index)))(
    "an agent that breaks $id fails it",
    async ({ id, level }) => {
      const { requirements: findings, isConformant } = await run(version, id, { only: [id] });
      expect(findings).toMatchObject([{ id, finding: { verdict: "fail", seen: expect.any(String) } }]);
      expect(isConformant).toBe(level === "advisory");
    },
  );

  test("every id is there once, and its text is one sentence", () => {
    const ids = requirements.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id, text } of requirements) {
      expect(id).toMatch(/^(?:ACP|TOOLGATE)-(?:[A-Z]+-)+\d{3}$/);
      expect(text).toMatch(/^(?:(?!\. ).)+\.$/);
    }
  });
});

test("an agent without what it does not advertise is not asked for it, and still conformant", async () => {
  const only = ["ACP-LOAD-001", "ACP-MODES-001", "ACP-INIT-001"];
  const { requirements, isConformant } = await run(1, "BARE", { only });
  expect(requirements.map(({ id, finding }) => [id, finding.verdict])).toEqual([
    ["ACP-INIT-001", "pass"],
    ["ACP-LOAD-001", "not tested"],
    ["ACP-MODES-001", "not tested"],
  ]);
  expect(isConformant).toBe(true);
});

test("is not conformant when a mandatory requirement could not be tested", async () => {
  const { requirements, isConformant } = await run(1, "", { cancelPrompt: "be short", only: ["ACP-CANCEL"] });
  expect(requirements.map(({ finding }) => finding.verdict)).toEqual(["not tested", "not tested"]);
  expect(isConformant).toBe(false);
});

describe("an agent that", () => {
  test("never says a word costs its time, and fails", async () => {
    const { requirements, isConformant } = await hostile("silent", { only: ["ACP-INIT", "ACP-PROMPT"] });
    expect(isConformant).toBe(false);
    expect(requirements[0]?.finding).toMatchObject({
      verdict: "fail",
      seen: expect.stringContaining("1.5 s"),
    });
    expect(requirements.find(({ id }) => id === "ACP-PROMPT-001")?.finding.verdict).toBe("not tested");
  });

  test("exits at once fails, and its last stderr lines are shown", async () => {
    const { requirements } = await hostile("gone", { only: ["ACP-INIT-001", "ACP-PROMPT-001"] });
    expect(requirements[0]?.finding).toMatchObject({ seen: expect.stringContaining("exit code 3") });
    expect(requirements[1]?.finding).toMatchObject({
      why: expect.stringContaining("no model is configured"),
    });
  });

  test("floods us with one endless line is stopped", async () => {
    const { requirements } = await hostile("flood", { only: ["ACP-INIT-001"], startTimeoutMs: 60_000 });
    expect(requirements[0]?.finding).toMatchObject({ seen: expect.stringContaining("was stopped") });
  });

  test("answers everything with shapes that nothing expects is judged, not believed", async () => {
    const { isConformant, requirements } = await hostile("odd");
    expect(isConformant).toBe(false);
    expect(requirements.filter(({ finding }) => finding.verdict === "fail").length).toBeGreaterThan(3);
  });

  test("cannot be started is said so", async () => {
    const agent = { command: "/no/such/program", args: [] };
    await expect(runConformance({ agent, version: 1 })).rejects.toMatchObject({ code: "AGENT_NOT_STARTED" });
  });

  test("will not end is killed, with what it started", async () => {
    const { requirements } = await hostile("stubborn", { only: ["ACP-INIT-001"] });
    expect(requirements[0]?.finding.verdict).toBe("fail");
    // The pipes of its child were ours: were it still there, the run would not have come to its end.
  });
});

test("refuses an unknown requirement by its name", async () => {
  await expect(run(1, "", { only: ["ACP-STATE-201"] })).rejects.toThrow(
    "There is no requirement ACP-STATE-201 for protocol version 1. Nothing was tested",
  );
});
