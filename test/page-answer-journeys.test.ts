/** Answers in the page: what is shown beside a wide yes is what is stored. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { browserOfFile, ready, startSession, toInbox } from "./page-browser-kit.js";
import { opened } from "./opened-page.js";

const write = (path: string) => ({ tool: "write_file", input: { path, content: "new\n" } });

const browserOf = browserOfFile();

test("stores the rule of the first ticked question of those that are alike, and says what it answers besides", async () => {
  const paths = ["src/1.txt", "src/2.txt", "src/3.txt", "lib/4.txt", `lib/${"long-".repeat(20)}5.txt`];
  const steps = [{ calls: paths.map(write) }, { say: "Done." }];
  const { page, context, troubles, url, root, settings } = await opened(browserOf(), steps, {
    remembers: true,
  });
  await startSession(page, url, "Go");
  await toInbox(page);
  await ready(page);
  // The key stands where it works: beside the group of the question that is shown.
  const groups = page.locator(".q-alike a.btn");
  expect(await groups.allTextContents()).toEqual(["Answer all 3 L", "Answer all 2 "]);
  // The ends of long names are in sight.
  const row = page.locator("a.q", { hasText: "long-5.txt" });
  expect(await row.locator(".t").getAttribute("title")).toContain("long-5.txt");
  const [end, edge] = await Promise.all([row.getByText("-long-5.txt").boundingBox(), row.boundingBox()]);
  expect((end?.x ?? 0) + (end?.width ?? 9_999)).toBeLessThan((edge?.x ?? 0) + (edge?.width ?? 0));
  // The count beside the heading keeps to the left where it has a line of its own.
  await page.setViewportSize({ width: 1110, height: 900 });
  const heading = page.locator(".q-what h2", { hasText: "What will happen" });
  const [whole, count] = await Promise.all(
    [heading, heading.locator(".end")].map((one) => one.boundingBox()),
  );
  expect(whole?.height).toBeGreaterThan(30);
  expect(count?.x).toBe(whole?.x);
  await page.setViewportSize({ width: 1440, height: 560 });
  await page.keyboard.press("a");
  // The rule stands below the fold: it is shown before it is given.
  await page.getByRole("button", { name: /^Read on/ }).waitFor();
  await page.keyboard.press("Control+Enter");
  await page.getByRole("button", { name: /^Allow always/ }).waitFor();
  expect(existsSync(join(root, "src/1.txt"))).toBe(false);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.keyboard.press("Escape");
  await page.keyboard.press("l");
  await page.getByText("Your answer for all 3").waitFor();
  await page.locator(".alike input").first().uncheck();
  await page.keyboard.press("a");
  await page.getByText("This rule also answers the question that you left out").waitFor();
  await page.keyboard.press("2");
  const rule = page.locator("pre.rule", { hasText: "src/2.txt" });
  await rule.waitFor();
  expect(await page.getByText("This rule also answers").count()).toBe(0);
  // A rule that cannot be read is not sent, and none in its place.
  await page.getByRole("button", { name: "Edit rule" }).click();
  await page.getByLabel(/The rule, as you want/).fill("{");
  const allow = page.getByRole("button", { name: /^Allow all 2 always/ });
  expect(await allow.isDisabled()).toBe(true);
  // Its words stay readable under the pointer.
  const ground = () =>
    page.evaluate<string>(`getComputedStyle(document.querySelector(".acts .main")).backgroundColor`);
  const flat = await ground();
  await allow.hover({ force: true });
  expect(await ground()).toBe(flat);
  await page.getByRole("button", { name: "Back to the offered rule" }).click();
  await ready(page);
  await allow.click();
  await page.getByText(/^Allowed always by .*, and 1 other\./).waitFor();
  const stored = () => readFileSync(join(settings, "grants.json"), "utf8");
  await expect.poll(stored).toContain("src/2.txt");
  expect(stored()).not.toContain("src/1.txt");
  await expect.poll(() => existsSync(join(root, "src/3.txt"))).toBe(true);
  expect(existsSync(join(root, "src/1.txt"))).toBe(false);
  const over = page.locator("a.q.gone .m").first();
  expect(await over.evaluate((line) => line.scrollWidth - line.clientWidth)).toBeLessThan(1);
  expect(troubles).toEqual([]);
  await context.close();
});

test("answers by a key in the session: the card that has the focus, or the only one that asks and is in sight", async () => {
  const steps = [{ calls: ["one.txt", "two.txt"].map(write) }, { say: "Done." }];
  const { page, context, troubles, url, root } = await opened(browserOf(), steps);
  await startSession(page, url, "Go");
  const [one, two] = ["one", "two"].map((name) => page.getByRole("article", { name: `${name}.txt` }));
  if (!one || !two) throw new Error("There are two cards.");
  const key = two.getByRole("button", { name: /^Allow once/ }).locator("kbd");
  // The hint has its place in any case, and is seen where the key works.
  const isHinted = () => key.isVisible();
  await two.locator(".acts:not([data-inert])").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("y");
  expect(await isHinted()).toBe(false);
  await one.locator(".call-h").click();
  await page.keyboard.press("y");
  await one.getByText(/^allowed by /).waitFor();
  expect(existsSync(join(root, "two.txt"))).toBe(false);
  await two.locator(".acts:not([data-inert])").waitFor();
  await page.setViewportSize({ width: 1440, height: 320 });
  await page.locator(".flow").evaluate((flow) => flow.scrollTo(0, 0));
  await page.keyboard.press("y");
  await page.setViewportSize({ width: 1440, height: 900 });
  await key.scrollIntoViewIfNeeded();
  expect(await isHinted()).toBe(true);
  expect(existsSync(join(root, "two.txt"))).toBe(false);
  await page.keyboard.press("y");
  await page.getByText("Done.", { exact: true }).waitFor();
  expect(existsSync(join(root, "two.txt"))).toBe(true);
  expect(troubles).toEqual([]);
  await context.close();
});

test("lists an added rule as one's own and shows those of the mode", async () => {
  const { page, context, troubles, url } = await opened(browserOf());
  await page.goto(`${url}/rules`);
  await page.getByRole("button", { name: "Add a rule" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a rule" });
  await dialog.getByText("Flags that do harm ask all the same").waitFor();
  await dialog.getByLabel("What the rule does").selectOption("deny");
  await dialog.getByText("A last * stands for any further words.", { exact: true }).waitFor();
  await dialog.getByLabel("The command").fill("git push *");
  await dialog.getByRole("button", { name: "Add the rule" }).click();
  const row = page.locator("tr", { hasText: "git push *" });
  await row.getByText(/^Added in the page, /).waitFor();
  await page.getByRole("button", { name: "Your answers 0" }).waitFor();
  await page.getByRole("button", { name: "Yours 1" }).waitFor();
  await row.getByRole("button", { name: /^Revoke/ }).waitFor();
  await page.getByRole("button", { name: /^Mode [1-9]/ }).click();
  const mode = page.locator("tr", { hasText: "Mode ask" });
  expect(await mode.first().locator("code").textContent()).toBe("read");
  expect(await mode.getByRole("button").count()).toBe(0);
  expect(troubles).toEqual([]);
  await context.close();
});
