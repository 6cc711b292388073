/** `toolgate run --url` without a person to ask: the message names a way that works, on a real Toolgate server. */
import { expect, onTestFinished, test } from "vitest";
import { serveAap } from "../src/aap/index.js";
import { createAgent } from "../src/agent/index.js";
import { scriptedModel } from "../src/model/index.js";
import { builtInTools, LocalWorkspace } from "../src/tools/index.js";
import { folder } from "./agent-kit.js";
import { atHome, command } from "./cli-kit.js";

const KEY = "a-key-of-this-test";
const env = { TOOLGATE_TOKEN: KEY };

async function serving() {
  const steps = [{ calls: [command("ls")] }, { say: "Done." }, { calls: [command("ls")] }, { say: "Done." }];
  const agent = createAgent({ name: "ours", model: scriptedModel({ steps }), tools: builtInTools });
  const workspace = await LocalWorkspace.open(await folder());
  const { url, close } = await serveAap(agent, { port: 0, token: KEY, workspace });
  onTestFinished(close);
  const at = await atHome();
  return async (...words: readonly string[]) => {
    const { status, stdout, stderr } = await at.runHere(["run", "--url", url, ...words], { env });
    return { url, status, text: stdout.replaceAll(/\s+/g, " "), stderr };
  };
}

test("names --trust in a refusal, and not rules, which do not apply on a server", async () => {
  const run = await serving();
  const first = await run("--trust", "list_directory", "go");
  expect(first).toMatchObject({ status: 0, stderr: "" });
  expect(first.text).toContain(
    "run it in one, or let the server run it without asking, if its owner allows that, with: --trust terminal. Nothing was run.",
  );
  // A resumed session keeps the trust that it was opened with.
  const second = await run("--resume", "--", "again");
  expect(second.text).toContain(
    "or start a new session, if the server's owner allows that, with: --trust terminal.",
  );
  for (const { text } of [first, second]) expect(text).not.toContain("rules add");
});

test("reports a trust that the server did not grant", async () => {
  const { text, stderr } = await (await serving())("--trust", "terminal", "go");
  expect(stderr).toBe(
    "toolgate: the server asks about terminal although --trust names it: its owner decides which tools can be trusted.\n",
  );
  expect(text).toContain("run it in one, for the server does not let this be trusted. Nothing was run.");
});

test("quotes an unknown session id and explains how to send it as a prompt", async () => {
  const { url, status, stderr } = await (await serving())("--resume", "again");
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `toolgate: The server has no session "again". Nothing was done. If that is what the agent should do, put it after --: toolgate run --url ${url} --resume -- again\n`,
  });
});
