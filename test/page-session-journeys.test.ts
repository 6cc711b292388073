/** A session in the page: prompts with files, images and commands, changes undone one by one, running commands, replay. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { readAll } from "../src/call/index.js";
import { outputs } from "./page-cases.js";
import { watch } from "./page-kit.js";
import { AFTER, BEFORE, opened, STEPS } from "./opened-page.js";
import { allowOnce, browserOfFile, ready, startSession, toInbox } from "./page-browser-kit.js";
import { serving } from "./page-serving.js";
import { until } from "./until.js";

const fixture = (name: string): string => readFileSync(new URL(`fixtures/${name}`, import.meta.url), "utf8");

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** In the page: goes to the end, then up by 300 pixels a frame; how far from the end each frame was. */
const SCROLLED_FROM_END = `(async () => {
  const log = document.querySelector(".flow");
  const lengths = [];
  log.scrollTop = log.scrollHeight;
  for (let frame = 0; frame < 30; frame += 1) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    lengths.push(log.scrollHeight - log.scrollTop - log.clientHeight);
    log.scrollTop -= 300;
  }
  return lengths;
})()`;

const browserOf = browserOfFile();

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
  // Below the words, not behind them: a line is 24 px high, below 12 px of ground. The question moves it out of sight.
  const fromTop = `(() => {
    document.querySelector(".flow")?.scrollTo(0, 0);
    const image = document.querySelector('.said [alt="Sent with the prompt"]');
    return image?.getBoundingClientRect().top - image?.closest(".said").getBoundingClientRect().top;
  })()`;
  await expect.poll(() => page.evaluate(fromTop)).toBeGreaterThanOrEqual(36);

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

test("follows the end of a session while a card grows, until somebody scrolls up", async () => {
  const { page, context, troubles, url } = await opened(browserOf());
  await startSession(page, url, "Follow\nthe end");
  await ready(page);
  // The title of a session is one line of its prompt.
  expect(await page.locator(".bar h1").innerText()).toBe("Follow");
  const log = page.getByRole("log");
  const below = () =>
    log.evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight);
  /** Ends when the page has had the time to follow. */
  const grow = (height: string) =>
    page.evaluate(`(async () => {
      [...document.querySelectorAll("article")].at(-1).style.minHeight = "${height}";
      for (let frame = 0; frame < 5; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
    })()`);
  await grow("2000px");
  await expect.poll(() => log.evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(1_000);
  await expect.poll(below).toBeLessThan(2);
  // Not over the answers, which stay under the pointer.
  await log.hover({ position: { x: 10, y: 10 } });
  // A short move of the hand is enough.
  await page.mouse.wheel(0, -40);
  await expect.poll(below).toBeGreaterThan(30);
  await grow("3000px");
  expect(await below()).toBeGreaterThan(1_030);
  // A fast scroll that starts at the very end gets away from it.
  await grow("9000px");
  const lengths = await page.evaluate<number[]>(SCROLLED_FROM_END);
  expect(lengths.at(-1)).toBeGreaterThan(6_000);
  expect(troubles).toEqual([]);
  await context.close();
});

test("says that earlier entries could not be read, reads them when asked again, leads back to an old call, and opens once the server answers", async () => {
  const { page, context, url, root, ledger } = await opened(browserOf());
  const lease = await ledger.claim("long", "test", { milliseconds: 60_000 });
  const said = Array.from({ length: 250 }, (_, number) => ({
    type: "message-chunk" as const,
    at: number,
    messageId: `m${number}`,
    role: "user" as const,
    block: { type: "text" as const, text: `Word ${number}` },
  }));
  await ledger.append(
    lease,
    [
      { type: "info-changed", at: 0, info: { cwd: root, title: "Long" } },
      { type: "turn-started", at: 0, turnId: "t1" },
      {
        type: "call-announced",
        at: 0,
        toolCallId: "first",
        name: "look",
        title: "Look",
        kind: "read",
        kindSource: "declared",
      },
      { type: "call-cancelled", at: 0, toolCallId: "first", reason: "stopped" },
      ...said,
      { type: "turn-stopped", at: 300, turnId: "t1", stopReason: "end_turn" },
    ],
    { durable: true },
  );
  await ledger.release(lease);
  await page.goto(`${url}/s/long`);
  await page.getByText("Word 249").waitFor();
  await page.route(/before=/, (route) => route.abort());
  const toTop = "document.querySelector('.flow').scrollTo(0, 0)";
  await page.evaluate(toTop);
  await page.getByText("51 earlier entries could not be read.").waitFor();
  await page.unroute(/before=/);
  await page.getByRole("button", { name: "Try again" }).click();
  await expect
    .poll(async () => {
      await page.evaluate(toTop);
      return page.locator(".said", { hasText: /Word 0$/ }).count();
    })
    .toBe(1);

  // A link to a call that is not loaded reads back to it, and leads to it again when it is clicked again.
  const focused = () => page.evaluate<string>("document.activeElement?.id ?? ''");
  await page.goto(`${url}/s`);
  await page.goto(`${url}/s/long#first`);
  await expect.poll(focused).toBe("first");
  await page.keyboard.press("f");
  await expect.poll(focused).toBe("");
  await page.evaluate(`(() => {
    const link = document.createElement("a");
    link.href = location.href;
    document.body.append(link);
    link.click();
  })()`);
  await expect.poll(focused).toBe("first");

  // Opened while the server cannot be reached, it says so, and not that it is not there.
  await page.goto(`${url}/s`);
  await page.route(/sessions\/long/, (route) => route.abort());
  await page.getByRole("link", { name: "Long" }).first().click();
  await page.getByText("This session could not be read").waitFor();
  await page.unroute(/sessions\/long/);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Word 249").waitFor();
  await page.goto(`${url}/s/none`);
  await page.getByText("This session is not there").waitFor();
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

test("stays logged in at two servers of one host, and is one device however often it logs in", async () => {
  const { page, context, devices, url } = await opened(browserOf());
  const second = await serving({ isWhole: true });
  const other = await context.newPage();
  const { code } = await second.devices.createCode({ role: "all", lifetimeMs: 60_000 });
  await other.goto(`${second.url}/login#${code}`);
  await other.getByText("Connected, live").waitFor();
  const again = await devices.createCode({ role: "watch", name: "This computer", lifetimeMs: 60_000 });
  const tab = await context.newPage();
  await tab.goto(`${url}/login#${again.code}`);
  for (const one of [tab, page, other]) {
    await one.reload();
    await one.getByText("Connected, live").waitFor();
  }
  expect(devices.list()).toMatchObject([{ name: "This computer", role: "all" }]);
  await context.close();
});

test("takes the control out of output, and keeps it in the record", async () => {
  const { page, context, url, root, ledger } = await opened(browserOf(), [
    { calls: [{ tool: "terminal", input: { command: "cat hostile.txt" } }] },
    { calls: [{ tool: "read_file", input: { path: "pixel.png" } }] },
    { say: "Done." },
  ]);
  writeFileSync(join(root, "pixel.png"), Buffer.from(PIXEL, "base64"));
  // TE-001 and the attacks: red, then each of them.
  const hostile = ["\u001B[31mred\u001B[0m", ...outputs.map(([, text]) => text)];
  writeFileSync(join(root, "hostile.txt"), `${hostile.join("\n")}\n`, "latin1");
  const session = await startSession(page, url, "Go");
  await allowAll(page, session);
  const shown = (await page.locator("article .term").allTextContents()).join("\n");
  expect(shown).toContain("red");
  expect(shown).toContain("EVIL");
  expect(shown).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}]/u);
  expect(await page.title()).toBe("Go · Toolgate");
  expect(await page.locator("article .term a").count()).toBe(0);
  // An image of a call is shown on request, from the record.
  await page.getByRole("button", { name: "Show image" }).click();
  await page.getByAltText("From the call").waitFor();
  const sessionId = decodeURIComponent(new URL(session).pathname.replace("/s/", ""));
  expect(JSON.stringify(await readAll(ledger, sessionId))).toContain(
    JSON.stringify("\u001B]8;;javascript:alert(1)\u0007").slice(1, -1),
  );
  await context.close();
});

test("cancels one call over HTTP and one by its button, and the turn goes on", async () => {
  const wait = { tool: "terminal", input: { command: "sleep 300" } };
  const write = { tool: "write_file", input: { path: "a.txt", content: AFTER } };
  const { page, context, url, login } = await opened(browserOf(), [
    { calls: [write] },
    { calls: [wait] },
    { calls: [wait] },
    { say: "Done." },
  ]);
  const client = await login("all");
  const session = await startSession(page, url, "Go");
  const sessionId = decodeURIComponent(new URL(session).pathname.replace("/s/", ""));
  const calls = async () =>
    (await client.entries(sessionId)).entries.flatMap((entry) => (entry.type === "call" ? [entry.card] : []));
  const runs = (number: number) =>
    until(async () => {
      const { questions } = await client.questions();
      for (const { questionId, state } of questions) {
        if (state.status !== "open") continue;
        const { intentHash } = await client.question(questionId);
        await client.answer(questionId, { reply: "once", intentHash });
      }
      return (await calls())[number]?.status === "running";
    });
  await runs(1);
  const [written, first] = await calls();
  // The file as it was before, by its hash.
  const { kept } = (await client.call(sessionId, written?.toolCallId ?? "")).undo;
  expect(Buffer.from(await client.blob(kept[0]?.blob ?? "")).toString()).toBe(BEFORE);
  // The turn is this server's own, and no other process has the session.
  await expect(client.undo(sessionId, { toolCallId: written?.toolCallId ?? "" })).rejects.toThrow(
    "A turn of this session is under way. Nothing was undone.",
  );
  expect(await client.cancel(sessionId, { toolCallId: first?.toolCallId ?? "" })).toEqual({
    cancelled: true,
  });
  await runs(2);
  await page
    .getByRole("article", { name: /^Call 3/ })
    .getByRole("button", { name: /^Cancel/ })
    .click();
  await page.getByText("Done.", { exact: true }).waitFor();
  expect((await calls()).map(({ status }) => status)).toEqual(["done", "cancelled", "cancelled"]);
  await context.close();
});

test("pushes that questions of all sessions grew old, once each, and shows them first", async () => {
  let laterMs = 0;
  const { page, context, park, login } = await opened(browserOf(), STEPS, {
    now: () => Date.now() + laterMs,
  });
  const { frames } = watch(await login("watch"));
  const old = [await park({ agent: "tester", title: "One" }), await park({ agent: "tester", title: "Two" })];
  await page.getByText("2 answerable, oldest first").waitFor();
  expect(await page.locator(".q-group").allTextContents()).toEqual(["Now"]);
  const aged = () =>
    frames.flatMap((frame) => (frame.type === "question" && frame.change === "aged" ? [frame] : []));
  expect(aged()).toEqual([]);
  laterMs = 8 * 60 * 60_000;
  await expect
    .poll(() => page.locator(".q-group").allTextContents())
    .toEqual([expect.stringMatching(/^Waits since /)]);
  await page.getByText(/^Asked .*, still answerable\./).waitFor();
  await until(() => aged().length === 2);
  expect(aged().map(({ question }) => question.questionId)).toEqual(old);
  for (const frame of aged())
    expect(frame).toMatchObject({ answerable: 2, question: { isAged: true, isAnswerable: true } });
  // A new question stands below them, and they are not pushed again.
  laterMs += 1_000;
  await park({ agent: "tester", title: "Three" });
  await page.getByText("3 answerable, oldest first").waitFor();
  await context.close();
});

test("shows where one is, and the lengths of bars, in colours that the system forces", async () => {
  const { page, context, url, park } = await opened(browserOf());
  await park({ agent: "tester" });
  await page.emulateMedia({ forcedColors: "active" });
  await page.goto(`${url}/stats`);
  await page.locator(".b > span").first().waitFor({ state: "attached" });
  const grounds = await page.evaluate(`(() => {
    const bar = document.querySelector(".b > span");
    return [bar, bar.parentElement].map((one) => getComputedStyle(one).backgroundColor);
  })()`);
  // Two equal colours would be one.
  expect(new Set(grounds as readonly string[]).size).toBe(2);
  const lines = await page.evaluate(`["/stats", "/history"].map(
    (path) => getComputedStyle(document.querySelector(\`nav[aria-label="Main"] a[href="\${path}"]\`)).outlineStyle,
  )`);
  expect(lines).toEqual(["solid", "none"]);
  await context.close();
});

test("notifies of a question while nobody looks at the tab, and counts it in the title", async () => {
  const { page, context, url, park } = await opened(browserOf());
  // Headless Chromium shows none: in its place stands a person who allows them, and a list.
  await page.addInitScript(() => {
    const shown: string[] = [];
    class Listed extends EventTarget {
      static readonly permission = "granted";
      static readonly requestPermission = async () => "granted";
      constructor(title: string, { body }: { readonly body: string }) {
        super();
        shown.push(`${title}; ${body}`);
      }
    }
    Object.assign(globalThis, { shown, Notification: Listed });
  });
  await page.goto(`${url}/devices`);
  await page.getByRole("button", { name: "Turn on: While this tab is in the background" }).click();
  const shown = () => page.evaluate(() => Reflect.get(globalThis, "shown") as readonly string[]);
  await park({ agent: "tester" });
  await expect.poll(() => page.title()).toBe("1 question · Devices · Toolgate");
  expect(await shown()).toEqual([]);
  await page.evaluate(`Object.defineProperty(document, "hidden", { get: () => true })`);
  await park({ agent: "tester" });
  await expect.poll(() => page.title()).toBe("2 questions · Devices · Toolgate");
  await expect.poll(shown).toEqual(["Toolgate: an agent waits for your answer; tester: think"]);
  await context.close();
});

test("says in words that the rule of an always was not stored, and lets the call run once", async () => {
  const write = { tool: "write_file", input: { path: "a.txt", content: AFTER } };
  const { page, context, url, root, settings } = await opened(
    browserOf(),
    [{ calls: [write] }, { say: "Done." }],
    { remembers: true },
  );
  const session = await startSession(page, url, "Go");
  await toInbox(page);
  await ready(page);
  // A folder in place of the file: nothing can be written there.
  mkdirSync(join(settings, "grants.json"));
  // A draft that was left is there again.
  const draft = page.getByRole("textbox", { name: "path" });
  await page.keyboard.press("e");
  await draft.fill("b.txt");
  await page.keyboard.press("Escape");
  await page.keyboard.press("e");
  expect(await draft.inputValue()).toBe("b.txt");
  await page.getByRole("button", { name: /^Back to the agent/ }).click();
  expect(await draft.inputValue()).toBe("a.txt");
  await page.keyboard.press("Escape");
  await page.keyboard.press("a");
  await page.keyboard.press("Control+Enter");
  await page
    .getByText(
      /^Allowed always by .* The answer holds for this once: its rule was not stored, .*grants\.json/,
    )
    .waitFor();
  await expect.poll(() => readFileSync(join(root, "a.txt"), "utf8")).toBe(AFTER);
  await page.goto(session);
  await page
    .getByRole("article", { name: /a\.txt/ })
    .getByText("Your answer holds for this once:")
    .waitFor();
  await context.close();
});

test("shows each change of edits that are answered together, and reads on to the last one", async () => {
  const write = { tool: "write_file", input: { path: "a.txt", content: "one more line\n".repeat(40) } };
  const { page, context, url, park, root } = await opened(browserOf(), [{ calls: [write] }], {
    remembers: true,
  });
  for (const title of ["One", "Two"]) await park({ agent: "tester", cwd: root, title });
  await page.getByText("2 answerable, oldest first").waitFor();
  await page.goto(`${url}/`);
  await ready(page);
  await page.keyboard.press("l");
  await page.getByText("Each change is shown whole.").waitFor();
  await ready(page);
  expect(await page.locator(".alike .diff tr.a").count()).toBe(80);
  await page.keyboard.press("Shift+Y");
  // The key has read on, and nothing is allowed before the last change was seen.
  await page.getByRole("button", { name: /^Read on/ }).waitFor();
  expect(readFileSync(join(root, "a.txt"), "utf8")).toBe(BEFORE);
  await page.locator(".alike .diff").last().locator("tr").last().scrollIntoViewIfNeeded();
  await page.getByRole("button", { name: /^Allow all 2 once/ }).waitFor();
  await ready(page);
  await page.keyboard.press("Shift+Y");
  await page.getByText(/^Allowed once by .*, and 1 other\./).waitFor();
  await context.close();
});

test("shows the rules of each project, and leads back to the server's own, where no session was", async () => {
  const { page, context, url, park, root, settings } = await opened(browserOf());
  await park({ agent: "tester", cwd: settings });
  await page.goto(`${url}/rules`);
  const project = page.getByLabel("Project");
  await project.selectOption(settings);
  await page.waitForURL(/folder=/);
  await page.reload();
  expect(await project.inputValue()).toBe(settings);
  await project.selectOption(root);
  await page.getByText("mode ask", { exact: true }).waitFor();
  expect(await project.inputValue()).toBe(root);
  await context.close();
});

test("takes no click for a yes that was meant to read on", async () => {
  const content = "one more line\n".repeat(80);
  const { page, context, url, root } = await opened(browserOf(), [
    { calls: [{ tool: "write_file", input: { path: "a.txt", content } }] },
    { say: "Done." },
  ]);
  await startSession(page, url, "Go");
  await toInbox(page);
  await ready(page);
  await page.getByRole("button", { name: /^Read on/ }).waitFor();
  // At the moment when the button becomes another one.
  const clicked = await page.evaluate<string>(`(async () => {
    const button = document.querySelector(".acts .main");
    for (let frames = 0; button.textContent.startsWith("Read on"); frames += 1) {
      if (frames % 30 === 0) button.click();
      await new Promise(requestAnimationFrame);
    }
    button.click();
    return button.textContent;
  })()`);
  expect(clicked).toMatch(/^Allow once/);
  await ready(page);
  expect(readFileSync(join(root, "a.txt"), "utf8")).toBe(BEFORE);
  await page.keyboard.press("y");
  await expect.poll(() => readFileSync(join(root, "a.txt"), "utf8")).toBe(content);
  await context.close();
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
  await page.keyboard.down("y");
  // The next question takes its place, and a key that is still held does not answer it.
  await page.getByText("Write a.txt").first().waitFor();
  await ready(page);
  await page.keyboard.down("y");
  await page.keyboard.up("y");
  expect(readFileSync(join(root, "a.txt"), "utf8")).toBe(BEFORE);
  expect(await page.getByRole("button", { name: /^Allow once/ }).isEnabled()).toBe(true);
  // One change of the two: the second is rejected.
  await page.keyboard.press("h");
  await page.keyboard.press("h");
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: /^Allow 1 of 2 changes/ }).waitFor();
  await page.keyboard.press("y");
  await page.getByText(/^Allowed once by .*, only hunk 1\.$/).waitFor();
  const first = BEFORE.replace("line 2\n", "line two\n");
  await expect.poll(() => readFileSync(join(root, "a.txt"), "utf8")).toBe(first);
  await context.close();
});

/** Allows each question of the session until its turn is over. */
async function allowAll(page: Page, session: string): Promise<void> {
  const question = page.getByRole("link", { name: "Answer in Inbox" });
  const end = page.getByText("Done.", { exact: true });
  for (;;) {
    await question.or(end).first().waitFor();
    if ((await end.count()) > 0) return;
    await toInbox(page);
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
  await card.getByText("The command runs on in the background").waitFor();
  await card.getByRole("button", { name: /Output so far/ }).click();
  await card.getByText("up", { exact: true }).last().waitFor();
  await card.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByText("The command is stopped").waitFor();
  await card.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });
  await card.getByText("The command was stopped.").waitFor();
  await page.reload();
  await card.getByText("The command has ended.").waitFor();
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
  const card = page.getByRole("article", { name: /a\.txt/ });
  await card.getByText("Partly undone").waitFor();
  await card.getByText("1 of 2 changes put back").waitFor();
  expect(await card.locator("tr.put-back").count()).toBe(2);
  writeFileSync(join(root, "a.txt"), "another text\n");
  await card.getByRole("button", { name: "Undo" }).click();
  const refused = page.getByRole("dialog").getByText(/^Call call_\d+ cannot be undone: /);
  expect((await refused.textContent())?.match(/No file was touched/g)).toHaveLength(1);
  await page.getByRole("button", { name: "Leave it" }).click();
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
