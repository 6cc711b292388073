/** Shared by the journeys of the page's API: the built program as a server, and browsers with cookies of their own. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { ServeClient } from "../src/serve/client/index.js";
import type { InboxQuestion, LiveFrame, LiveQuery } from "../src/serve/client/index.js";
import type { Home } from "./cli-kit.js";
import { until } from "./until.js";

const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

export type PageServerProcess = {
  readonly url: string;
  /** The one-time code of the printed link. */
  readonly code: string;
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>;
};

/** Starts `toolgate serve`, and ends it with the test. */
export async function startPage(
  { home, project }: Home,
  words: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<PageServerProcess> {
  const {
    TOOLGATE_CONFIG: _config,
    DISPLAY: _display,
    WAYLAND_DISPLAY: _wayland,
    ...inherited
  } = process.env;
  const child = spawn(process.execPath, [main, ...(words.length === 0 ? ["serve", "--port", "0"] : words)], {
    cwd: project,
    env: { ...inherited, HOME: home, XDG_CONFIG_HOME: join(home, "config"), XDG_STATE_HOME: home, ...env },
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (stderr += text));
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    child.kill(signal);
    await closed;
  };
  onTestFinished(() => stop("SIGKILL"));
  await until(
    () => /login#\S+\n/.test(stdout) || child.exitCode !== null,
    () => `${stdout}\n${stderr}`,
  );
  const [, url = "", code = ""] = /(http\S+)\/login#(\S+)/.exec(stdout) ?? [];
  return { url, code, child, stdout: () => stdout, stop };
}

export type Browser = ServeClient & { readonly cookie: () => string; readonly key: () => string | undefined };

/** A browser: it keeps the cookie and the key of its own, and names its page as the origin. */
export function browser(url: string): Browser {
  let cookie = "";
  let key: string | undefined;
  const client = new ServeClient({
    baseUrl: url,
    keys: {
      get: () => key,
      set: (given) => {
        key = given;
      },
    },
    fetch: async (request) => {
      request.headers.set("origin", url);
      request.headers.set("sec-fetch-site", "same-origin");
      if (cookie !== "") request.headers.set("cookie", cookie);
      const response = await fetch(request);
      const set = response.headers.getSetCookie()[0];
      if (set !== undefined) cookie = set.split(";")[0] ?? "";
      return response;
    },
  });
  return Object.assign(client, { cookie: () => cookie, key: () => key });
}

/** Reads the live stream until the test is over. */
export function watch(client: ServeClient, query: LiveQuery = {}) {
  const stop = new AbortController();
  const frames: LiveFrame[] = [];
  const read = async () => {
    for await (const frame of client.live({ ...query, signal: stop.signal })) frames.push(frame);
  };
  const reading = read().catch((error: unknown) => (stop.signal.aborted ? undefined : Promise.reject(error)));
  onTestFinished(async () => {
    stop.abort(new Error("the test is over"));
    await reading.catch(() => undefined);
  });
  return { frames, stop: () => stop.abort(new Error("stopped")) };
}

export const asked = (frames: readonly LiveFrame[]): readonly InboxQuestion[] =>
  frames.flatMap((frame) =>
    frame.type === "question" && frame.change === "asked"
      ? [frame.question]
      : frame.type === "inbox"
        ? frame.inbox.questions.filter(({ state }) => state.status === "open")
        : [],
  );

export type EditorProcess = {
  readonly sessionId: string;
  /** Resolves when the editor is asked. */
  readonly asked: () => Promise<void>;
  readonly lines: () => string;
  /** Closes its connection; resolves when the agent has ended. */
  readonly leave: () => Promise<void>;
};

/** `toolgate acp` with an editor that sends one prompt and never answers. */
export async function startEditor(
  { home, project }: Pick<Home, "home" | "project">,
  words: readonly string[],
  prompt: string,
): Promise<EditorProcess> {
  const { TOOLGATE_CONFIG: _config, ...inherited } = process.env;
  const child = spawn(process.execPath, [main, "acp", ...words], {
    cwd: project,
    env: { ...inherited, HOME: home, XDG_CONFIG_HOME: join(home, "config"), XDG_STATE_HOME: home },
    stdio: ["pipe", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let lines = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (lines += text));
  const send = (id: number, method: string, params: object) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  send(1, "initialize", { protocolVersion: 1, clientCapabilities: {} });
  send(2, "session/new", { cwd: project, mcpServers: [] });
  await until(
    () => lines.includes('"sessionId"'),
    () => lines,
  );
  const sessionId = /"sessionId":"([^"]+)"/.exec(lines)?.[1] ?? "";
  send(3, "session/prompt", { sessionId, prompt: [{ type: "text", text: prompt }] });
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  return {
    sessionId,
    asked: () =>
      until(
        () => lines.includes("session/request_permission"),
        () => lines,
      ),
    lines: () => lines,
    leave: async () => {
      child.stdin.end();
      await closed;
    },
  };
}
