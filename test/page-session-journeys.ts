/** A session in the page: prompts with files, images and commands, changes undone one by one, running commands, replay. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { expect, test } from "vitest";
import { readAll } from "../src/call/index.js";
import type { ScriptStep } from "../src/model/index.js";
import { allowOnce, openPage, ready } from "./page-browser-kit.js";
import { serving } from "./page-serving.js";
import { until } from "./until.js";

const fixture = (name: string): string => readFileSync(new URL(`fixtures/${name}`, import.meta.url), "utf8");

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const BEFORE = Array.from({ length: 30 }, (_, line) => `line ${line + 1}\n`).join("");
const AFTER = BEFORE.replace("line 2\n", "line two\n").replace("line 25\n", "line 25 b\n");

const todo = (status: string) => ({
  tool: "todo_write",
  input: { todos: [{ content: "Change the lines", status }] },
});

const STEPS: readonly ScriptStep[] = [
  { say: "I plan.", calls: [todo("in_progress")] },
  { say: "I change it.", calls: [{ tool: "write_file", input: { path: "a.txt", content: AFTER } }] },
  {
    say: "A server.",
    calls: [{ tool: "terminal", input: { command: "echo up; exec sleep 300", background: true } }],
  },
  { say: "It is up.", calls: [todo("completed")] },
  { say: "Done." },
];

/** A server in this process with the built page, and a browser that is logged in. */
async function opened(browser: Browser) {
  const served = await serving({ steps: STEPS, isWhole: true });
  writeFileSync(join(served.root, "a.txt"), BEFORE);
  const { page, context, troubles } = await openPage({ browser, url: () => served.url });
  const { code } = await served.devices.createCode({ role: "all", lifetimeMs: 60_000 });
  await page.goto(`${served.url}/login#${code}`);
  await page.getByText("Connected, live").waitFor();
  return { ...served, page, context, troubles };
}

export function sessionJourneys(browserOf: () => Browser): void {
  test("takes files, images and commands in a prompt, undoes one change of two, stops a command, and replays it all", async () => {
    const { page, context, troubles, url, root, ledger } = await opened(browserOf());
    await page.goto(`${url}/s`);
    await page.getByRole("textbox", { name: /^Start / }).fill("Change @a.t");
    await page.getByRole("option", { name: "a.txt" }).waitFor();
    await page.keyboard.press("Enter");
    // An image that is still being read when the prompt is sent is sent with it.
    await page.evaluate((lateMs) => {
      File.prototype.arrayBuffer = async function late() {
        await new Promise((resolve) => setTimeout(resolve, lateMs));
        return new Response(this).arrayBuffer();
      };
    }, 500);
    await page.locator('input[type="file"]').setInputFiles({
      name: "pixel.png",
      mimeType: "image/png",
      buffer: Buffer.from(PIXEL, "base64"),
    });
    await page.keyboard.press("Control+Enter");
    await page.waitForURL(/\/s\/./);
    const session = page.url();
    await page.getByAltText("Sent with the prompt").waitFor();

    await allowAll(page, session);
    const sessionId = decodeURIComponent(new URL(session).pathname.replace("/s/", ""));
    const sent = (await readAll(ledger, sessionId)).flatMap(({ event }) =>
      event.type === "message-chunk" && event.role === "user" ? [event.block.type] : [],
    );
    expect(sent.sort()).toEqual(["image", "resource", "text"]);

    await besideIt(page);
    await undoneByHunks(page, root);
    await replayed(page);
    expect(troubles).toEqual([]);
    await context.close();
  });

  test("logs in, follows and pairs over TLS with a certificate of one's own", async () => {
    const tls = { cert: fixture("listen-tls.cert.pem"), key: fixture("listen-tls.key.pem") };
    const served = await serving({ isWhole: true, tls });
    expect(served.url).toMatch(/^https:/);
    // The browser does not know who signed it; a person installs the certificate or accepts it.
    const context = await browserOf().newContext({ ignoreHTTPSErrors: true });
    const page = await context.newPage();
    const { code } = await served.devices.createCode({ role: "all", lifetimeMs: 60_000 });
    await page.goto(`${served.url}/login#${code}`);
    await page.getByText("Connected, live").waitFor();
    expect(await context.cookies(`${served.url}/api/me`)).toMatchObject([
      { secure: true, httpOnly: true, sameSite: "Strict", path: "/api" },
    ]);
    const { code: paired } = await served.devices.createCode({ role: "answer", lifetimeMs: 60_000 });
    const phone = await browserOf().newContext({ ignoreHTTPSErrors: true });
    const other = await phone.newPage();
    await other.goto(`${served.url}/login#${paired}`);
    await other.getByText("Connected, live").waitFor();
    await expect.poll(() => served.devices.list().length).toBe(2);
    await context.close();
    await phone.close();
  });

  test("goes from the prompt to the answer by keyboard alone", async () => {
    const { page, context, url, root } = await opened(browserOf());
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.waitForURL(`${url}/s`);
    const box = page.getByRole("textbox", { name: /^Start / });
    await box.waitFor();
    for (let tabs = 0; tabs < 20 && !(await isFocused(page, "textarea")); tabs += 1)
      await page.keyboard.press("Tab");
    await page.keyboard.type("Go");
    await page.keyboard.press("Control+Enter");
    await page.waitForURL(/\/s\/./);
    await page.locator('[data-status="waiting"]').waitFor();
    // Out of the prompt box, where letters are letters.
    await page.keyboard.press("Escape");
    await page.keyboard.press("i");
    await ready(page);
    // While a dialog is open, its keys are its own.
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "All keys" }).waitFor();
    await page.keyboard.press("y");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByText("Update the plan").first().waitFor();
    await page.keyboard.press("y");
    // The next question takes its place.
    await page.getByText("Write a.txt").first().waitFor();
    await ready(page);
    await page.keyboard.press("y");
    await expect.poll(() => readFileSync(join(root, "a.txt"), "utf8")).toBe(AFTER);
    await context.close();
  });
}

/** Allows each question of the session until its turn is over. */
async function allowAll(page: Page, session: string): Promise<void> {
  const question = page.getByRole("link", { name: "Answer in Inbox" });
  const end = page.getByText("Done.", { exact: true });
  for (;;) {
    await question.or(end).first().waitFor();
    if ((await end.count()) > 0) return;
    await question.first().click();
    await allowOnce(page);
    await page.getByText(/^Allowed once by/).waitFor();
    await page.goto(session);
  }
}

const isFocused = (page: Page, selector: string): Promise<boolean> =>
  page
    .locator(`${selector}:focus`)
    .count()
    .then((count) => count > 0);

/** The plan with its calls, the file that was touched, and the command that runs. */
async function besideIt(page: Page): Promise<void> {
  const rail = page.getByRole("complementary", { name: "Plan and facts" });
  await rail.getByText("Change the lines").waitFor();
  await rail.getByRole("link", { name: /^Call 2,/ }).waitFor();
  await rail
    .getByRole("list", { name: /touched last/ })
    .getByText("a.txt")
    .waitFor();
  const card = page.getByRole("article", { name: /echo up/ });
  await card.getByRole("button", { name: /Output so far/ }).click();
  await card.getByText("up", { exact: true }).last().waitFor();
  await card.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByText("The command is stopped").waitFor();
  await card.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });
}

async function undoneByHunks(page: Page, root: string): Promise<void> {
  const box = page.getByRole("textbox", { name: "Write the next prompt" });
  await box.fill("/");
  await page.getByRole("option", { name: /^\/?compact/ }).waitFor();
  await box.fill("/undo");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("dialog", { name: "Undo this turn" }).waitFor();
  await page.getByRole("button", { name: "Leave it" }).click();
  await page
    .getByRole("article", { name: /a\.txt/ })
    .getByRole("button", { name: "Undo" })
    .click();
  await page.getByLabel("Change 1").uncheck();
  await page.getByRole("button", { name: "Put back 1 change" }).click();
  await until(() => readFileSync(join(root, "a.txt"), "utf8") === BEFORE.replace("line 2\n", "line two\n"));
}

/** The session as it was: nothing of what came later, and nothing to answer or undo. */
async function replayed(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Replay" }).click();
  await page.getByText("The prompt").waitFor();
  const log = page.getByRole("log", { name: "Session as it was" });
  expect(await log.getByRole("article").count()).toBe(0);
  const steps = page.getByRole("button", { name: "Step forward" });
  while ((await log.locator('[data-status="waiting"]').count()) === 0) await steps.click();
  expect(await log.getByText("A server.").count()).toBe(0);
  expect(await log.getByRole("link", { name: "Answer in Inbox" }).count()).toBe(0);
  await page.getByLabel("Moment of the session").press("End");
  await log.getByText("Done.", { exact: true }).waitFor();
  expect(await log.getByRole("button", { name: "Undo" }).count()).toBe(0);
}
