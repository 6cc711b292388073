/** Over ACP a person chooses for how long and for which questions an answer counts, and takes remembered rules back. */
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ScriptStep } from "../src/model/index.js";
import { acpWorld, newSession, select, text } from "./acp-process.js";
import type { AcpProcess, Line } from "./acp-process.js";
import { until } from "./until.js";

const PERMISSION = "session/request_permission";
const write = (path: string) => ({ tool: "write_file", input: { path, content: path } });
const ids = ({ params }: Line) => params?.options?.map(({ optionId }) => optionId) ?? [];
const named = (line: Line, words: RegExp) =>
  line.params?.options?.find(({ name }) => words.test(name))?.optionId ?? "";

const THREE: readonly ScriptStep[] = [
  { calls: [write("one.txt"), write("two.txt"), write("three.txt")] },
  { say: "Done." },
];

async function asked(agent: AcpProcess, count: number): Promise<Line> {
  const all = await agent.asked(PERMISSION, count);
  const last = all.at(-1);
  if (!last) throw new Error("nothing was asked");
  return last;
}

test("an always ends by itself, is listed with its id, and is taken back with /rules revoke", async () => {
  const steps: readonly ScriptStep[] = [
    { calls: [write("one.txt")] },
    { say: "Done." },
    { calls: [write("two.txt")] },
    { say: "Done." },
  ];
  const world = await acpWorld(steps);
  const agent = world.start();
  const sessionId = await newSession(agent);
  const say = (words: string) => agent.begin("session/prompt", { sessionId, prompt: text(words) });
  const first = say("Go");
  const question = await asked(agent, 1);
  expect(question.params?.options?.length).toBeLessThanOrEqual(7);
  expect(ids(question)).toContain("allow_session");
  agent.send(select(question, "toolgate_more_answers"));
  const more = await asked(agent, 2);
  expect(more.params?.toolCall?.toolCallId).toBe(question.params?.toolCall?.toolCallId);
  expect(more.params?.options?.map(({ name }) => name)).toEqual([
    expect.stringMatching(/^Always allow .+, for one hour$/),
    expect.stringMatching(/, until midnight$/),
    expect.stringMatching(/, for 30 days$/),
    "Back to the question",
  ]);
  agent.send(select(more, "toolgate_back"));
  const back = await asked(agent, 3);
  expect(ids(back)).toEqual(ids(question));
  agent.send(select(back, "toolgate_more_answers"));
  const again = await asked(agent, 4);
  agent.send(select(again, named(again, /for one hour/)));
  await agent.answered(first);
  const grants = await readFile(join(world.settings, "grants.json"), "utf8");
  const expiry = /"until":\s*"([^"]+)"|"expiresAt":\s*"?([^",}]+)/.exec(grants);
  expect(expiry, grants).not.toBeNull();

  const said = async (words: string) => {
    const before = agent.updates().length;
    await agent.answered(say(words));
    return JSON.stringify(agent.updates().slice(before));
  };
  const listed = await said("/rules");
  const grantId = /\\n {2}([0-9a-f]{6,}) {2}Always allow/.exec(listed)?.[1] ?? "";
  expect(grantId, listed).not.toBe("");
  expect(await said("/rules revoke nothing")).toContain("Nothing was changed");
  expect(await said("/rules forget it all")).toContain("Nothing was changed");
  expect(await said(`/rules revoke ${grantId}`)).toContain(`${grantId} is revoked`);
  const second = say("Again");
  agent.send(select(await asked(agent, 5), "reject_once"));
  await agent.answered(second);
});

test.each(["allow_always", "reject_always"])(
  "says that the rule of an %s was not stored",
  async (optionId) => {
    const world = await acpWorld([{ calls: [write("one.txt")] }, { say: "Done." }]);
    const agent = world.start();
    const sessionId = await newSession(agent);
    const turn = agent.begin("session/prompt", { sessionId, prompt: text("Go") });
    const question = await asked(agent, 1);
    // A folder in place of the file: nothing can be written there.
    await mkdir(join(world.settings, "grants.json"), { recursive: true });
    agent.send(select(question, optionId));
    await agent.answered(turn);
    const thoughts = agent.updates().filter(({ sessionUpdate }) => sessionUpdate === "agent_thought_chunk");
    expect(thoughts.map(({ content }) => content)).toEqual([
      {
        type: "text",
        text: expect.stringMatching(
          /^The answer holds for this once: its rule was not stored, .*grants\.json/,
        ),
      },
    ]);
  },
);

test("applies one yes to all open questions and withdraws the others", async () => {
  const world = await acpWorld(THREE);
  const agent = world.start();
  const sessionId = await newSession(agent);
  const turn = agent.begin("session/prompt", { sessionId, prompt: text("Go") });
  const [first] = await agent.asked(PERMISSION, 3);
  if (!first) throw new Error("nothing was asked");
  agent.send(select(first, "toolgate_more_answers"));
  const more = await asked(agent, 4);
  expect(named(more, /^Allow once, and 2 other open questions$/)).not.toBe("");
  agent.send(select(more, named(more, /^Allow once, and 2 other/)));
  expect((await agent.answered(turn)).result).toEqual({ stopReason: "end_turn" });
  for (const name of ["one.txt", "two.txt", "three.txt"])
    expect(await readFile(join(agent.cwd, name), "utf8")).toBe(name);
  expect(await agent.asked(PERMISSION, 4)).toHaveLength(4);
  expect(agent.lines.filter(({ method }) => method === "$/cancel_request")).toHaveLength(2);
});

test("applies one no to all open questions and runs nothing", async () => {
  const world = await acpWorld(THREE);
  const agent = world.start();
  const sessionId = await newSession(agent);
  const turn = agent.begin("session/prompt", { sessionId, prompt: text("Go") });
  const [first] = await agent.asked(PERMISSION, 3);
  if (!first) throw new Error("nothing was asked");
  agent.send(select(first, "toolgate_more_answers"));
  const more = await asked(agent, 4);
  agent.send(select(more, named(more, /^Reject, and 2 other open questions$/)));
  await agent.answered(turn);
  await until(() => agent.updates().filter(({ status }) => status === "failed").length === 3);
  await expect(readFile(join(agent.cwd, "one.txt"), "utf8")).rejects.toThrow("ENOENT");
});

test("does not take an answer to the second list for the first", async () => {
  const world = await acpWorld([{ calls: [write("one.txt")] }, { say: "Done." }]);
  const agent = world.start();
  const sessionId = await newSession(agent);
  const turn = agent.begin("session/prompt", { sessionId, prompt: text("Go") });
  agent.send(select(await asked(agent, 1), "toolgate_allow_always_hour"));
  await agent.answered(turn);
  expect(agent.updates().filter(({ status }) => status === "failed")).toHaveLength(1);
  await expect(readFile(join(world.settings, "grants.json"), "utf8")).rejects.toThrow("ENOENT");
});
