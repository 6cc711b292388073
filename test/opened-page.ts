/** A server in the test's process with the built page, and a browser that is logged in. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import type { ScriptStep } from "../src/model/index.js";
import { openPage } from "./page-browser-kit.js";
import { serving, type ServingOptions } from "./page-serving.js";

export const BEFORE = Array.from({ length: 30 }, (_, line) => `line ${line + 1}\n`).join("");
/** Two changes, which are two hunks. */
export const AFTER = BEFORE.replace("line 2\n", "line two\n").replace("line 25\n", "line 25 b\n");

const todo = (status: string) => ({
  tool: "todo_write",
  input: { todos: [{ content: "Change the lines", status }] },
});

export const STEPS: readonly ScriptStep[] = [
  { say: "I plan.", calls: [todo("in_progress")] },
  { say: "I change it.", calls: [{ tool: "write_file", input: { path: "a.txt", content: AFTER } }] },
  {
    say: "A server.",
    calls: [{ tool: "terminal", input: { command: "echo up; exec sleep 300", background: true } }],
  },
  { say: "It is up.", calls: [todo("completed")] },
  { say: "Done." },
];

export async function opened(
  browser: Browser,
  steps = STEPS,
  options: Pick<ServingOptions, "remembers" | "now" | "calls"> = {},
) {
  const served = await serving({ steps, isWhole: true, ...options });
  writeFileSync(join(served.root, "a.txt"), BEFORE);
  const { page, context, troubles } = await openPage({ browser, url: () => served.url });
  const { code } = await served.devices.createCode({ role: "all", lifetimeMs: 60_000 });
  await page.goto(`${served.url}/login#${code}`);
  await page.getByText("Connected, live").waitFor();
  return { ...served, page, context, troubles };
}
