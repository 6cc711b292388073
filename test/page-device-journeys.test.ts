/** The devices of the page: their names, what each of them sees, and a browser that revokes itself. */
import { expect, test } from "vitest";
import type { Archive } from "../src/call/index.js";
import { browserOfFile, openPage, PHONE, ready, startSession } from "./page-browser-kit.js";
import { opened } from "./opened-page.js";
import { serving } from "./page-serving.js";

const browserOf = browserOfFile();

test("shows each device what it may see of the others, and asks before a browser revokes itself", async () => {
  const served = await serving({ isWhole: true });
  const url = () => served.url;
  const [desk, phone] = [
    await openPage({ browser: browserOf(), url }),
    await openPage({ browser: browserOf(), url }),
  ];
  const refused: string[] = [];
  phone.page.on("response", (response) => {
    if (response.status() === 403) refused.push(response.url());
  });
  const enter = async ({ page }: typeof desk, role: "all" | "answer", name?: string): Promise<void> => {
    const { code } = await served.devices.createCode({ role, name, lifetimeMs: 60_000 });
    await page.goto(`${served.url}/login#${code}`);
    await page.getByText("Connected, live").waitFor();
    await page.goto(`${served.url}/devices`);
  };
  await enter(phone, "answer", "phone\u202Eenohp");
  await phone.page.getByText("You see only this one here").waitFor();
  await phone.page.getByText("After 5 seconds without an answer").waitFor();
  expect(refused).toEqual([]);

  await enter(desk, "all");
  const { page } = desk;
  await page.getByText("Sandbox off").waitFor();
  expect((await page.goto(`${served.url}/bogus/path`))?.status()).toBe(404);
  await page.getByText("There is nothing here").waitFor();
  await page.getByRole("link", { name: "Devices" }).click();
  // The name is spelled out: nothing in it turns the row around.
  await page.getByText("⟨U+202E⟩").waitFor();
  const own = page.locator(".row", { hasText: "(this one)" });
  await own.getByText("Chrome on Linux").waitFor();
  await own.getByRole("button", { name: /^Revoke/ }).click();
  await page.getByRole("button", { name: "Keep it" }).click();
  expect(served.devices.list()).toHaveLength(2);
  await own.getByRole("button", { name: /^Revoke/ }).click();
  await page.getByRole("button", { name: "Revoke and log out" }).click();
  await page.getByText("Pair this device").waitFor();
  expect(served.devices.list().map(({ role }) => role)).toEqual(["answer"]);
  for (const one of [desk, phone]) {
    expect(one.troubles).toEqual([]);
    await one.context.close();
  }
});

test("leaves the question the room of a phone until somebody writes, and its tabs free of notes", async () => {
  const { page, context, url, park } = await opened(browserOf());
  await page.setViewportSize(PHONE);
  const [sessionId = ""] = (await park({ agent: "tester" })).split("/");
  await page.goto(`${url}/s/${sessionId}`);
  const prompt = page.locator(".prompt form");
  const height = async (): Promise<number> => (await prompt.boundingBox())?.height ?? 0;
  await expect.poll(height).toBeLessThan(80);
  await prompt.getByRole("textbox").focus();
  await prompt.getByRole("button", { name: /^Send/ }).waitFor();
  expect(await height()).toBeGreaterThan(100);
  await page.keyboard.type("Next");
  await prompt.getByRole("textbox").blur();
  expect(await height()).toBeGreaterThan(100);

  await page.goto(url);
  await page.locator("a.q:not(.gone)").click();
  await ready(page);
  await page.getByRole("button", { name: /^Allow once/ }).click();
  const note = page.locator(".toast", { hasText: "Allowed once" });
  await page.locator(".tabs").waitFor();
  const [shown, tabs] = [await note.boundingBox(), await page.locator(".tabs").boundingBox()];
  expect((shown?.y ?? 0) + (shown?.height ?? Infinity)).toBeLessThan(tabs?.y ?? 0);
  await context.close();
});

test("keeps every answer on the screen, however long a word of a title is", async () => {
  const { page, context, url } = await opened(browserOf());
  await startSession(page, url, `Go <b>${"W".repeat(300)}`);
  await page.getByRole("link", { name: "Answer in Inbox" }).press("Enter");
  const WIDTHS = [1440, 1100, 800, 320];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await ready(page);
    const no = page.getByRole("button", { name: /^No/ }).last();
    const { x = 0, width: own = 0 } = (await no.boundingBox()) ?? {};
    expect(x + own, `at a width of ${width}`).toBeLessThanOrEqual(width);
  }
  // The state and the time of a session stand in its list too.
  await page.goto(`${url}/s`);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    const state = page.getByRole("table").getByText("1 to answer");
    await state.waitFor();
    const { x = 0, width: own = 0 } = (await state.boundingBox()) ?? {};
    expect(x + own, `in the list at a width of ${width}`).toBeLessThanOrEqual(width);
  }
  await context.close();
});

test("shows a code until a device has used it, and lists that device at once", async () => {
  const { page, context, url, devices } = await opened(browserOf());
  await page.goto(`${url}/devices`);
  const address = page.getByLabel(/^Address by which/);
  await address.fill("http://192.168.1.5:4320");
  await page.getByRole("button", { name: "Make a code" }).click();
  await page.getByText("This address is not encrypted.").waitFor();
  await address.fill("https://desk.example");
  await page.getByRole("button", { name: "Make another code" }).click();
  await page.getByText("https://desk.example/login").waitFor();
  const code = (await page.locator(".bigcode").textContent()) ?? "";
  expect((await devices.redeem(code, "Kitchen tablet"))?.device.role).toBe("answer");
  await page.getByText("Kitchen tablet is paired.").waitFor();
  await page.getByText("Kitchen tablet, answers").waitFor();
  expect(await page.locator(".bigcode").count()).toBe(0);
  await page.getByRole("button", { name: "Make a code" }).waitFor();
  await context.close();
});

test("looks at older calls by itself until one fits the filter", async () => {
  let asked = 0;
  // One request looks at 20 pages of calls at most.
  const calls: Archive["calls"] = async () => {
    asked += 1;
    const call = {
      sessionId: "s",
      tool: "terminal",
      kind: "execute",
      status: "done",
      outputSize: 0,
      at: asked,
    };
    return asked < 45
      ? {
          items: [{ ...call, toolCallId: `c${asked}`, title: "Run ls", decidedBy: "rule" }],
          next: String(asked),
        }
      : { items: [{ ...call, toolCallId: "rare", title: "Run make rare", decidedBy: "person" }] };
  };
  const { page, context, url } = await opened(browserOf(), undefined, { calls });
  await page.goto(`${url}/history?decidedBy=person`);
  await page.getByRole("link", { name: "Run make rare" }).waitFor();
  expect(await page.locator(".calls-t a").allTextContents()).toEqual([
    expect.stringContaining("Run make rare"),
  ]);
  await context.close();
});
