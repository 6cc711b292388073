import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { McpServers } from "./mcp-servers.js";

test("whoever is asked may take longer than a server: its time begins when they have answered", async () => {
  const gone = { command: "nosuch-program" };
  const hangs = { command: "sleep", args: ["1000"] };
  let answered = false;
  const servers = await McpServers.start(
    { gone, hangs },
    {
      startTimeout: 100,
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
