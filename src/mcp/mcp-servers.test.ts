import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { McpServers } from "./mcp-servers.js";

test("starts a server's time limit only when the person has approved it", async () => {
  const gone = { command: "nosuch-program" };
  const hangs = { command: "sleep", args: ["1000"] };
  let answered = false;
  const servers = await McpServers.start(
    { gone, hangs },
    {
      startTimeoutMs: 100,
      approve: async ({ name }) => {
        if (name === "gone") await setTimeout(400);
        if (name === "gone") answered = true;
        return true;
      },
    },
  );
  onTestFinished(() => servers.close());
  expect(answered).toBe(true);
  // And one that never answers is not waited for, whatever was asked.
  expect(servers.status().map(({ status }) => status)).toContain("starting");
});

test("asks again before each start when files of the workspace choose what the server runs", async () => {
  const asked: { readonly fingerprint: string; readonly isLasting: boolean }[] = [];
  const servers = await McpServers.start(
    { dies: { command: "sh", args: ["-c", "exit 3; npm run mcp"] } },
    {
      startTimeoutMs: 100,
      approve: async ({ fingerprint, isLasting }) => {
        asked.push({ fingerprint, isLasting });
        return asked.length === 1;
      },
    },
  );
  onTestFinished(() => servers.close());
  await vi.waitFor(() => expect(asked).toHaveLength(2), 120_000);
  expect(asked.map(({ isLasting }) => isLasting)).toEqual([false, false]);
  expect(asked[0]?.fingerprint).not.toBe(asked[1]?.fingerprint);
});
