/** A real Chromium and a real server, shared by the journeys of one file. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import type { ScriptStep } from "../src/model/index.js";
import { afterAll, beforeAll } from "vitest";
import { until } from "./until.js";

const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

const DESK = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env["TOOLGATE_CHROMIUM"] ?? "/usr/bin/chromium-headless-shell",
    args: ["--no-sandbox"],
  });

/** One browser for the journeys of a file, whose servers run in the test's own process. */
export function browserOfFile(): () => Browser {
  let browser: Browser;
  beforeAll(async () => void (browser = await launchBrowser()));
  afterAll(() => browser.close());
  return () => browser;
}

export type PageHouse = {
  readonly home: string;
  readonly project: string;
  readonly script: string;
  /** Starts the server, on the same port when it is started again. */
  readonly start: () => Promise<void>;
  readonly kill: (signal: NodeJS.Signals) => Promise<void>;
  readonly url: () => string;
  /** A one-time link of the running server. */
  readonly link: () => string;
  readonly browser: Browser;
  readonly close: () => Promise<void>;
};

export async function openPageHouse(
  steps: readonly ScriptStep[],
  words: readonly string[] = [],
): Promise<PageHouse> {
  const home = mkdtempSync(join(tmpdir(), "toolgate-page-"));
  const project = join(home, "shop");
  mkdirSync(project);
  const script = join(home, "script.json");
  writeFileSync(script, JSON.stringify({ steps }));
  const browser = await launchBrowser();
  let server: ChildProcess | undefined;
  let [url, link] = ["", ""];
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    const child = server;
    server = undefined;
    if (!child || child.exitCode !== null) return;
    const closed = new Promise((resolve) => child.once("close", resolve));
    child.kill(signal);
    await closed;
  };
  const start = async (): Promise<void> => {
    const { TOOLGATE_CONFIG: _config, ...inherited } = process.env;
    const port = url === "" ? "0" : new URL(url).port;
    const child = spawn(process.execPath, [main, "serve", "--port", port, "--script", script, ...words], {
      cwd: project,
      env: { ...inherited, HOME: home, XDG_CONFIG_HOME: join(home, "config"), XDG_STATE_HOME: home },
    });
    server = child;
    let text = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (piece: string) => void (text += piece));
    await until(
      () => /login#\S+\n/.test(text) || child.exitCode !== null,
      () => text,
    );
    [, link = "", url = ""] = /((http\S+)\/login#\S+)/.exec(text) ?? [];
    if (url === "") throw new Error(`The server did not start.\n${text}`);
  };
  await start();
  return {
    home,
    project,
    script,
    start,
    kill,
    url: () => url,
    link: () => link,
    browser,
    close: async () => {
      await browser.close();
      await kill("SIGKILL");
      await rm(home, { recursive: true, force: true });
    },
  };
}

export type Watched = { readonly page: Page; readonly context: BrowserContext; readonly troubles: string[] };

/** A page whose errors, refused requests and requests to other origins are collected. */
export async function openPage(
  { browser, url }: Pick<PageHouse, "browser" | "url">,
  viewport = DESK,
): Promise<Watched> {
  // Moving parts are drawn again at each frame, without a graphics card.
  const context = await browser.newContext({
    viewport,
    hasTouch: viewport === PHONE,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const troubles: string[] = [];
  page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (/content security policy|refused to/i.test(message.text())) troubles.push(`csp: ${message.text()}`);
  });
  page.on("request", (request) => {
    const address = request.url();
    if (!address.startsWith(url()) && !address.startsWith("data:") && !address.startsWith("blob:"))
      troubles.push(`request to ${address}`);
  });
  return { page, context, troubles };
}

/** By the keyboard: a card that still grows can move the link away between the press and the release of a button. */
export async function toInbox(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Answer in Inbox" }).first().press("Enter");
  await page.waitForURL(/\/q\//);
}

/** The question is there and takes answers. */
export async function ready(page: Page): Promise<void> {
  await page.getByText("Why you are asked").waitFor();
  await page.locator(".acts:not([data-inert])").waitFor();
}

export async function allowOnce(page: Page): Promise<void> {
  await ready(page);
  const read = page.getByRole("button", { name: /^Read on/ });
  while ((await read.count()) > 0) await read.click();
  // The end that was just seen is a change too.
  await ready(page);
  await page.getByRole("button", { name: /^Allow once/ }).click();
}

export async function startSession(page: Page, origin: string, prompt: string): Promise<string> {
  await page.goto(`${origin}/s`);
  await page.getByRole("textbox", { name: /^Start / }).fill(prompt);
  await page.keyboard.press("Control+Enter");
  await page.waitForURL(/\/s\/./);
  return page.url();
}
