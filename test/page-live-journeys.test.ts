/** A session in the page while its turn is under way: output as it comes, prompts at the wrong moment, a stop. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { deleteSession } from "../src/aap/sessions/delete-session.js";
import type { ScriptStep } from "../src/model/index.js";
import type { ServeClient } from "../src/serve/client/index.js";
import { opened } from "./opened-page.js";
import { browserOfFile, startSession } from "./page-browser-kit.js";
import { until } from "./until.js";

/** Prints more when the test lets it. */
const PRINTS =
  "w() { until test -e $1; do sleep 0.05; done; }; seq 1 12; w go; seq 13 40; w end; printf '\\033[1;31mred\\033[0m\\033[31m!\\033[0m\\n'";

const TABLE = [
  "| Option | Default | Since | Type | Meaning |",
  "|---|---|---|---|---|",
  `| \`--retry-on-network-error\` | false | 2.5.1 | boolean | ${"How long it waits. ".repeat(8)} |`,
].join("\n");

const STEPS: readonly ScriptStep[] = [
  { say: `I print.\n\n${TABLE}`, calls: [{ tool: "terminal", input: { command: PRINTS } }] },
  { say: "I ask.", calls: [{ tool: "terminal", input: { command: "touch asked" } }] },
  { say: "Again.", calls: [{ tool: "terminal", input: { command: "touch asked" } }] },
  { say: "Done." },
];

/** Allows the question that is open next, without the page. */
async function allowNext(client: ServeClient): Promise<void> {
  let questionId: string | undefined;
  await until(async () => {
    const { questions } = await client.questions();
    questionId = questions.find(({ state }) => state.status === "open")?.questionId;
    return questionId !== undefined;
  });
  const { intentHash } = await client.question(questionId ?? "");
  await client.answer(questionId ?? "", { reply: "once", intentHash });
}

const browserOf = browserOfFile();

test("shows the output of a command as it comes and whole at its end, and says what sending a prompt does", async () => {
  const { page, context, troubles, url, root, ledger, login } = await opened(browserOf(), STEPS);
  const client = await login("all");
  await startSession(page, url, "Go");
  await allowNext(client);
  const card = page.getByRole("article", { name: /^Call 1/ });
  const lines = async () => (await card.locator(".term").last().innerText()).trim().split("\n");
  // A table that is too wide scrolls; its words stay whole.
  const heads = await page.locator(".md th").evaluateAll((all) => all.map((one) => one.clientHeight));
  expect(Math.max(...heads)).toBeLessThan(40);
  await card.getByRole("button", { name: /^Open terminal/ }).click();
  await expect.poll(lines).toEqual(numbers(1, 12));
  writeFileSync(join(root, "go"), "");
  await expect.poll(lines).toEqual(numbers(1, 40));
  // A turn at work takes no prompt. The draft stays, and a command runs.
  const box = page.getByRole("textbox", { name: "Write the next prompt" });
  await box.fill("/stop");
  expect(await page.getByRole("button", { name: /^Run/ }).isEnabled()).toBe(true);
  await box.fill("Then this");
  expect(await page.getByRole("button", { name: /^Send/ }).isEnabled()).toBe(false);
  await page.getByText("Not sent yet: a turn is under way.").waitFor();
  writeFileSync(join(root, "end"), "");
  await expect.poll(lines).toEqual([...numbers(1, 40), "red!"]);

  // Bold text keeps its colour.
  const colourOf = (selector: string) =>
    page.evaluate<string>(`getComputedStyle(document.querySelector(".term ${selector}")).color`);
  expect(await colourOf(".t-b.t-31")).toBe(await colourOf(".t-31:not(.t-b)"));

  // While a question is open, the box says what sending does; afterwards the own prompt is in sight.
  await page
    .getByRole("article", { name: /^Call 2/ })
    .getByText("Why you are asked")
    .waitFor();
  const log = page.getByRole("log");
  await log.hover();
  await page.mouse.wheel(0, -2_000);
  await page.getByRole("button", { name: /^To the end/ }).waitFor();
  expect(await box.inputValue()).toBe("Then this");
  await page.getByRole("button", { name: "Send, and drop the question" }).click();
  await page.locator(".said", { hasText: "Then this" }).waitFor();
  await page.getByText("Turn stopped: ").waitFor();
  await expect
    .poll(() => log.evaluate((area) => area.scrollHeight - area.scrollTop - area.clientHeight))
    .toBeLessThan(2);
  expect(existsSync(join(root, "asked"))).toBe(false);
  await page
    .getByRole("article", { name: /^Call 3/ })
    .getByText("Why you are asked")
    .waitFor();
  await stoppedByTwoClicks(page);
  const session = page.url();
  await toastGoes(page);

  // Deleted by a program, while it is on the screen.
  await page.goto(session);
  await page.locator(".said", { hasText: "Then this" }).waitFor();
  const sessionId = decodeURIComponent(new URL(page.url()).pathname.replace("/s/", ""));
  await deleteSession(ledger, sessionId);
  await page.getByText("This session was deleted").waitFor();
  await expect(client.prompt(sessionId, { prompt: [{ type: "text", text: "Go" }] })).rejects.toThrow(
    `There is no session ${sessionId}: it was deleted, or never was.`,
  );
  expect(troubles).toEqual([]);
  await context.close();
});

test("reads a call and a replay again that could not be read while the network was away", async () => {
  const { page, context, url } = await opened(browserOf());
  await startSession(page, url, "Go");
  await page.locator('[data-status="waiting"]').waitFor();
  await page.goto(`${url}/history`);
  const row = page.getByRole("row", { name: "Waiting" }).getByRole("link");
  await row.waitFor();
  await context.setOffline(true);
  await row.click();
  await page.getByText("This call could not be read").waitFor();
  await context.setOffline(false);
  // Nobody has to ask for it.
  const replay = page.getByRole("link", { name: "Replay the session from here" });
  await replay.waitFor();
  await context.setOffline(true);
  await replay.click();
  await page.getByText("This session could not be read").waitFor();
  await context.setOffline(false);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("log").waitFor();
  expect(await page.getByText("This session could not be read").count()).toBe(0);
  await context.close();
});

const numbers = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

/** Nothing else lies where the button was. */
async function stoppedByTwoClicks(page: Page): Promise<void> {
  const stop = page.getByRole("button", { name: "Stop turn" });
  const { x, y, width, height } = (await stop.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  await stop.click();
  await page.getByRole("button", { name: "Undo turn" }).waitFor();
  await page.mouse.click(x + width / 2, y + height / 2);
  await page.locator(".bar").getByText("Stopped", { exact: true }).waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
}

/** A toast lies neither over the prompt nor over the button to the end, and does not follow to another view. */
async function toastGoes(page: Page): Promise<void> {
  const toast = page.locator(".toast");
  const box = await toast.boundingBox();
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(200);
  const views = ["Rules", "Devices"];
  const next = async (): Promise<number> => {
    await page.getByRole("link", { name: views[0] ?? "", exact: true }).click();
    views.reverse();
    return toast.count();
  };
  await expect.poll(next, { timeout: 4_000 }).toBe(0);
}
