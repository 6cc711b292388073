/** Words that somebody writes on the page: where they go, and when they are gone. */
import { expect, test } from "vitest";
import { browserOfFile, ready, startSession } from "./page-browser-kit.js";
import { opened } from "./opened-page.js";

const browserOf = browserOfFile();

test("keeps a half-written prompt while its writer answers elsewhere, and drops it once it is sent", async () => {
  const { page, context, url, troubles } = await opened(browserOf());
  const session = await startSession(page, url, "Go");
  const prompt = page.getByRole("textbox", { name: "Write the next prompt" });
  const card = page.locator('[data-status="waiting"]');
  await card.waitFor();
  await prompt.fill("and then the tests");
  await page.getByRole("link", { name: "Answer in Inbox" }).press("Enter");
  await ready(page);
  await page.goBack();
  await expect.poll(() => prompt.inputValue()).toBe("and then the tests");
  await page.reload();
  await expect.poll(() => prompt.inputValue()).toBe("and then the tests");
  await page.getByRole("button", { name: /^Send, and drop/ }).click();
  await expect.poll(() => prompt.inputValue()).toBe("");
  await page.goto(`${url}/s`);
  const first = page.getByRole("textbox", { name: /^Start / });
  // The prompt that began the session is no draft of the next one.
  expect(await first.inputValue()).toBe("");
  await first.fill("Another");
  await page.goto(session);
  await prompt.waitFor();
  expect(await prompt.inputValue()).toBe("");
  expect(troubles).toEqual([]);
  await context.close();
});

test("keeps the words that somebody writes while the prompt before them is sent", async () => {
  const { page, context, url } = await opened(browserOf(), [{ say: "One." }, { say: "Two." }]);
  await startSession(page, url, "Go");
  await page.getByText("Finished").waitFor();
  const prompt = page.getByRole("textbox", { name: "Write the next prompt" });
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/prompt", async (route) => {
    await held;
    await route.continue();
  });
  await prompt.fill("first");
  await prompt.press("Control+Enter");
  await prompt.fill("second");
  release();
  await page.getByText("Two.", { exact: true }).waitFor();
  expect(await prompt.inputValue()).toBe("second");
  await context.close();
});

test("writes into the input and into the rule at once", async () => {
  const { page, context, url } = await opened(browserOf(), undefined, { remembers: true });
  await startSession(page, url, "Go");
  await page.getByRole("link", { name: "Answer in Inbox" }).press("Enter");
  await ready(page);
  await page.keyboard.press("e");
  await page.locator(".q-answer label:first-of-type textarea:focus").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("a");
  await page.getByRole("button", { name: "Edit rule" }).press("Enter");
  await page.locator("textarea:focus").and(page.getByLabel("The rule, as you want it stored")).waitFor();
  expect(await page.locator("textarea").count()).toBe(1);
  await context.close();
});

test("shows the filters of the address, and no calls of other filters when the search fails", async () => {
  let isBroken = false;
  const call = { sessionId: "s", tool: "terminal", kind: "execute", outputSize: 0, at: 1, toolCallId: "c" };
  const { page, context, url } = await opened(browserOf(), undefined, {
    calls: () =>
      isBroken
        ? Promise.reject(new Error("the disk is gone"))
        : Promise.resolve({
            items: [{ ...call, title: "Run ls", status: "done" as const, decidedBy: "rule" as const }],
          }),
  });
  await page.goto(`${url}/history?text=zebra&path=src`);
  const words = page.locator("#history-search");
  expect(await words.inputValue()).toBe("zebra");
  await page.getByRole("link", { name: "History" }).first().click();
  await expect.poll(() => words.inputValue()).toBe("");
  await expect.poll(() => page.getByLabel("Path or pattern").inputValue()).toBe("");
  const row = page.getByRole("link", { name: "Run ls" });
  await row.waitFor();
  // A task has no run time of its own, and was done.
  expect(await page.getByText("not run").count()).toBe(0);
  isBroken = true;
  await page.getByLabel("Decided by").selectOption("rule");
  await page.getByText("The history could not be read").waitFor();
  expect(await row.count()).toBe(0);
  isBroken = false;
  await page.getByRole("button", { name: "Try again" }).click();
  await row.waitFor();
  await context.close();
});

test("keeps the older sessions in the list when a newer one comes", async () => {
  const { page, context, url, ledger, park } = await opened(browserOf());
  // More than the server sends at once.
  for (let number = 1; number <= 70; number += 1) {
    const lease = await ledger.claim(`s${number}`, "test", { milliseconds: Infinity });
    const info = { title: `Session ${number}`, agent: "tester" };
    await ledger.append(lease, [{ type: "info-changed", at: number, info }], { durable: true });
    await ledger.release(lease);
  }
  await page.goto(`${url}/s`);
  const rows = page.locator(".sess-t tbody tr");
  await expect.poll(() => rows.count()).toBe(50);
  await page.getByRole("button", { name: "More sessions" }).click();
  await expect.poll(() => rows.count()).toBe(70);
  await park({ title: "A new one", agent: "tester" });
  await page.getByRole("cell", { name: "A new one" }).waitFor();
  expect(await rows.count()).toBe(71);
  await context.close();
});
