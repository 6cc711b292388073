/** Who may use the page's API: codes, cookies, keys, roles, origins, and the page's own files. */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { request as httpRequest } from "node:http";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { SseWriter } from "../src/aap/stream/event-stream.js";
import { DeviceStreams } from "../src/serve/access/device-streams.js";
import type { StoredDevice } from "../src/serve/access/devices.js";
import type { AnswerRequest } from "../src/serve/client/index.js";
import { command } from "./cli-kit.js";
import { asked, browser, watch } from "./page-kit.js";
import { serving, TOKEN } from "./page-serving.js";
import { until } from "./until.js";

test("a device may do what its role says, until it is revoked", async () => {
  const { url, login, devices } = await serving();
  const [desk, phone, tablet] = [await login("all"), await login("answer"), await login("watch")];
  const { sessionId } = await desk.createSession({ prompt: [{ type: "text", text: "go" }] });
  const { frames } = watch(tablet);
  await until(() => asked(frames).length > 0);
  const questionId = asked(frames)[0]?.questionId ?? "";
  await expect(tablet.answer(questionId, { reply: "once" })).rejects.toMatchObject({ status: 403 });
  await expect(phone.createSession({})).rejects.toMatchObject({ status: 403 });
  await expect(phone.undo(sessionId, { toolCallId: "call_1" })).rejects.toMatchObject({ status: 403 });
  await expect(phone.pair({ role: "all" })).rejects.toMatchObject({ status: 403 });
  expect((await phone.answer(questionId, { reply: "no", reason: "not now" })).words).toBe(
    "refused by answer",
  );
  await until(async () => (await desk.session(sessionId)).state === "idle");
  const { calls } = await desk.history({});
  expect(calls).toMatchObject([{ status: "refused", who: "answer" }]);

  const { devices: listed } = await desk.devices();
  expect(listed).toMatchObject([
    { name: "all", isThis: true },
    { name: "answer", answers: 1 },
    { name: "watch" },
  ]);
  await desk.revokeDevice(listed[1]?.deviceId ?? "");
  await expect(phone.me()).rejects.toMatchObject({ status: 401 });
  await devices.revoke(listed[2]?.deviceId ?? "");
  await expect(tablet.me()).rejects.toMatchObject({ status: 401 });
  await expect(fetch(`${url}/api/me`)).resolves.toMatchObject({ status: 401 });
});

test("a browser that logs in again stays one device, with the wider role", async () => {
  const { devices, login, url } = await serving();
  const page = await login("answer");
  const [cookie, key] = [page.cookie(), page.key()];
  const again = await devices.createCode({ role: "all", name: "This computer", lifetimeMs: 60_000 });
  expect((await page.login({ code: again.code })).device).toMatchObject({ role: "all", isThis: true });
  const less = await devices.createCode({ role: "watch", lifetimeMs: 60_000 });
  await page.login({ code: less.code });
  expect(devices.list()).toMatchObject([{ name: "This computer", role: "all" }]);
  // Other tabs have the same cookie and key: they stay logged in.
  expect([page.cookie(), page.key()]).toEqual([cookie, key]);
  // A wrong code changes nothing, and another browser is another device.
  await expect(page.login({ code: "AAAA-AAAA-AAAA" })).rejects.toMatchObject({ status: 401 });
  const other = await devices.createCode({ role: "watch", lifetimeMs: 60_000 });
  await browser(url).login({ code: other.code, name: "Other" });
  expect(devices.list().map(({ role }) => role)).toEqual(["all", "watch"]);
  // A browser of the same name gets a number.
  const third = await devices.createCode({ role: "watch", lifetimeMs: 60_000 });
  const alike = await browser(url).login({ code: third.code, name: "Other" });
  expect(alike.device.name).toBe("Other 2");
});

test("says whose session it is without the characters that hide or turn text", async () => {
  const { login, park } = await serving();
  const [sessionId = ""] = (await park({ agent: "evil\u202Elive\u0007" })).split("/");
  const { canPrompt, whyNotPrompt } = await (await login("watch")).session(sessionId);
  expect([canPrompt, whyNotPrompt]).toEqual([
    false,
    expect.stringContaining("belongs to evil⟨U+202E⟩live⟨U+0007⟩, which"),
  ]);
});

test("a cookie alone opens nothing, and no other page may use it", async () => {
  const { url, login } = await serving();
  const page = await login("all");
  const get = (headers: Record<string, string>) => fetch(`${url}/api/me`, { headers });
  const [cookie, key] = [page.cookie(), page.key() ?? ""];
  expect(cookie).toMatch(/^toolgate\d+=[\w-]{43}$/);
  const status = async (headers: Record<string, string>) => (await get(headers)).status;
  expect(await status({ cookie, "x-toolgate-key": key })).toBe(200);
  expect(await status({ cookie })).toBe(401);
  expect(await status({ "x-toolgate-key": key })).toBe(401);
  expect(await status({ cookie, "x-toolgate-key": cookie })).toBe(401);
  expect(await status({ cookie, "x-toolgate-key": key, "sec-fetch-site": "same-site" })).toBe(401);
  expect(await status({ cookie, "x-toolgate-key": key, origin: "http://127.0.0.1:1" })).toBe(403);
  // The device's cookie is not the token of apps.
  expect((await fetch(`${url}/sessions`, { headers: { cookie, "x-toolgate-key": key } })).status).toBe(401);
  expect(await status({ authorization: `Bearer ${TOKEN}` })).toBe(200);
  const login2 = await fetch(`${url}/api/login`, {
    method: "POST",
    headers: { "content-type": "text/plain" },
    body: "{}",
  });
  expect(login2.status).toBe(415);
});

test("no spelling of a path opens what needs a device", async () => {
  const { url } = await serving({ files: { "index.html": "<!doctype html>" } });
  const { hostname, port } = new URL(url);
  const statusOf = async (method: string, path: string) => {
    const request = httpRequest({
      hostname,
      port,
      method,
      path,
      headers: { "content-type": "application/json" },
    });
    request.end(method === "POST" ? '{"role":"all"}' : undefined);
    const [response] = (await once(request, "response")) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  for (const start of ["/api/link", "/q", "/s", "/assets"])
    for (const up of ["..", "%2e%2e", ".%2E", "x/../..", "./.."]) {
      expect(await statusOf("POST", `${start}/${up}/api/devices/pair`)).toBe(401);
      expect(await statusOf("POST", `${start}/${up}/devices/pair`)).toBe(401);
      expect(await statusOf("GET", `${start}/${up}/api/questions`)).toBe(401);
      expect(await statusOf("GET", `${start}/${up}/${up}/sessions`)).toBe(401);
    }
  expect(await statusOf("GET", "//api/questions")).toBe(401);
  expect(await statusOf("DELETE", "/api/link/x")).toBe(401);
});

test("a device that only answers changes no input and stores no rule", async () => {
  const { login } = await serving();
  const [desk, phone] = [await login("all"), await login("answer")];
  await desk.createSession({ prompt: [{ type: "text", text: "go" }] });
  const { frames } = watch(phone);
  await until(() => asked(frames).length > 0);
  const questionId = asked(frames)[0]?.questionId ?? "";
  for (const answer of [
    { reply: "once", input: { command: "touch other" } },
    { reply: "always" },
    { reply: "always", scope: "user" },
    { reply: "never" },
    { reply: "session", rules: [{ allow: "execute" }] },
  ] satisfies AnswerRequest[])
    await expect(phone.answer(questionId, answer)).rejects.toMatchObject({ status: 403 });
  expect((await phone.answer(questionId, { reply: "once" })).counted).toBe(true);
});

test("a revoked device loses its stream and the codes it made", async () => {
  const { url, login, devices } = await serving();
  const page = await login("all");
  const { code } = await page.pair({ role: "all" });
  const headers = { cookie: page.cookie(), "x-toolgate-key": page.key() ?? "" };
  const stream = await fetch(`${url}/api/live`, { headers });
  expect(stream.status).toBe(200);
  await devices.revoke(devices.list()[0]?.deviceId ?? "");
  // The text ends when the stream does.
  await stream.text();
  await expect(browser(url).login({ code })).rejects.toMatchObject({ status: 401 });
});

test("a stream sends nothing after its device was revoked, before it ends too", async () => {
  const stored = { deviceId: "tablet", name: "tablet" } as StoredDevice; // Only these fields are read.
  const listed = [stored];
  const sent: string[] = [];
  const connection = new AbortController();
  const streams = new DeviceStreams({ list: () => listed });
  const run = streams.take(stored, async ({ write }) => {
    write("before");
    listed.pop();
    write("after");
  });
  await run({ write: (frames) => void sent.push(frames), signal: connection.signal } as SseWriter);
  expect(sent).toEqual(["before"]);
});

test("a pairing says whether its address works on this computer only, and takes another one", async () => {
  const { url, login } = await serving();
  const page = await login("all");
  const here = await page.pair({ role: "watch" });
  expect(here).toMatchObject({ isLocal: true, url: `${url}/login#${here.code}` });
  const there = await page.pair({ role: "watch", url: "https://desk.example.com/" });
  expect(there).toMatchObject({ isLocal: false, url: `https://desk.example.com/login#${there.code}` });
  expect(there.qr).not.toEqual(here.qr);
  for (const wrong of ["desk.example.com", "javascript:alert(1)", "https://a:b@desk.example.com"])
    await expect(page.pair({ role: "watch", url: wrong })).rejects.toMatchObject({ status: 400 });
});

test("a browser gets the page at an address that nothing has, and a program a problem", async () => {
  const { url } = await serving({ files: { "index.html": "<title>The page</title>" } });
  const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
  const bearer = { authorization: `Bearer ${TOKEN}` };
  const got = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(url + path, { headers });
    return [response.status, /^[^;]*/.exec(response.headers.get("content-type") ?? "")?.[0]];
  };
  expect(await got("/bogus/path", html)).toEqual([404, "text/html"]);
  expect(await got("/bogus/path", {})).toEqual([401, "application/json"]);
  expect(await got("/bogus/path", { ...html, ...bearer })).toEqual([404, "application/json"]);
  // Paths of apps and of the page's own requests are no page, for a browser neither.
  for (const path of ["/sessions", "/api/sessions", "/api/bogus"])
    expect(await got(path, html)).toEqual([401, "application/json"]);
  expect(await got("/assets/gone.js", html)).toEqual([404, "text/plain"]);
  expect(await got("/history", html)).toEqual([200, "text/html"]);
});

test("a device has a bounded number of streams", async () => {
  const { url, login } = await serving();
  const page = await login("watch");
  const headers = { cookie: page.cookie(), "x-toolgate-key": page.key() ?? "" };
  const leave = new AbortController();
  onTestFinished(() => leave.abort());
  const open = () => fetch(`${url}/api/live`, { headers, signal: leave.signal });
  for (let count = 0; count < 16; count += 1) expect((await open()).status).toBe(200);
  expect((await open()).status).toBe(429);
});

test("a code works once and for its time, and guesses are slowed down", async () => {
  const { url, devices } = await serving();
  const { code } = await devices.createCode({ role: "watch", lifetimeMs: 0 });
  await expect(browser(url).login({ code })).rejects.toMatchObject({ status: 401 });
  const { code: good } = await devices.createCode({ role: "watch", lifetimeMs: 60_000 });
  const both = await Promise.allSettled(
    [browser(url), browser(url)].map((one) => one.login({ code: good.toLowerCase() })),
  );
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  const guesses = await Promise.allSettled(
    Array.from({ length: 20 }, () => browser(url).login({ code: "AAAA" })),
  );
  expect(guesses.some((one) => one.status === "rejected" && one.reason.status === 429)).toBe(true);
});

test("serves the page's files and nothing else, with strict headers", async () => {
  const { url } = await serving({
    files: {
      "index.html": "<!doctype html><title>Page</title>",
      "assets/app-0123abcd.js": "export {};",
    },
  });
  for (const path of ["/", "/login", "/inbox", "/s/session_1", "/q/session_1/call_1/1"]) {
    const response = await fetch(url + path);
    expect([path, response.status, response.headers.get("cache-control")]).toEqual([path, 200, "no-cache"]);
    expect(response.headers.get("content-security-policy")).toContain(
      "default-src 'none'; script-src 'self'",
    );
    expect(await response.text()).toContain("<title>Page</title>");
  }
  const asset = await fetch(`${url}/assets/app-0123abcd.js`);
  expect(asset.headers.get("cache-control")).toContain("immutable");
  expect(asset.headers.get("content-type")).toContain("text/javascript");
  // Browsers get it compressed, others as it is.
  expect(asset.headers.get("content-encoding")).toBe("gzip");
  expect(await asset.text()).toBe("export {};");
  const plain = await fetch(`${url}/assets/app-0123abcd.js`, { headers: { "accept-encoding": "identity" } });
  expect(plain.headers.get("content-encoding")).toBeNull();
  expect((await fetch(`${url}/assets/none.js`)).status).toBe(404);
  for (const path of [
    "/..%2findex.html",
    "/assets/..%2f..%2fx.js",
    "/assets/%2e%2e/index.html.js",
    "/.env.json",
  ])
    expect((await fetch(url + path)).status, path).not.toBe(200);
  expect((await fetch(`${url}/openapi.json`)).status).toBe(401);
});

test("describes every endpoint in the OpenAPI document", async () => {
  const { url } = await serving();
  const response = await fetch(`${url}/openapi.json`, { headers: { authorization: `Bearer ${TOKEN}` } });
  const { paths, components } = (await response.json()) as {
    paths: Record<string, object>;
    components: { schemas: Record<string, object> };
  };
  expect(Object.keys(paths)).toEqual(
    expect.arrayContaining(["/meta", "/api/live", "/api/questions/{id}/answer"]),
  );
  expect(components.schemas).toHaveProperty("PageQuestionDetail");
  const text = JSON.stringify({ paths, components });
  for (const [, name] of text.matchAll(/#\/components\/schemas\/(\w+)/g))
    expect(components.schemas).toHaveProperty(name ?? "");
});

test("a link answers its question once, and reading does not use it up", async () => {
  const { url, login } = await serving();
  const desk = await login("all");
  const { frames } = watch(desk);
  await desk.createSession({ prompt: [{ type: "text", text: "go" }] });
  await until(() => asked(frames).length > 0);
  const questionId = asked(frames)[0]?.questionId ?? "";
  const link = new URL((await desk.questionLink(questionId)).url);
  expect(link.pathname).toBe(`/q/${encodeURIComponent(questionId)}`);
  const key = link.hash.replace("#key=", "");
  const stranger = browser(url);
  await expect(stranger.linkedQuestion(questionId, "guess")).rejects.toMatchObject({ status: 401 });
  await stranger.linkedQuestion(questionId, key);
  const { intentHash } = await stranger.linkedQuestion(questionId, key);
  await expect(stranger.questions()).rejects.toMatchObject({ status: 401 });
  const answered = await stranger.answerLinked(questionId, key, { reply: "no", reason: "later", intentHash });
  expect(answered.words).toBe("refused by a link");
  await expect(stranger.linkedQuestion(questionId, key)).rejects.toMatchObject({ status: 401 });
  await expect(stranger.answerLinked(questionId, key, { reply: "once", intentHash })).rejects.toMatchObject({
    status: 401,
  });
});

test("redacts what a refused answer names of its question, and the answer that counts", async () => {
  const secret = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_");
  const { login } = await serving({ steps: [{ calls: [command(`echo ${secret}`)] }, { say: "Done." }] });
  const [desk, phone] = [await login("all"), await login("answer")];
  const { frames } = watch(desk);
  await desk.createSession({ prompt: [{ type: "text", text: "go" }] });
  await until(() => asked(frames).length > 0);
  const questionId = asked(frames)[0]?.questionId ?? "";
  const refusal = async (answer: AnswerRequest): Promise<string> => {
    const error = await phone.answer(questionId, answer).catch((thrown: unknown) => thrown);
    return `${String(error)} ${JSON.stringify(error)}`;
  };
  const stale = await refusal({ reply: "once", intentHash: "another" });
  expect(stale).toContain("another intent");
  expect(stale).not.toContain(secret);
  await desk.answer(questionId, { reply: "once", input: { command: `echo other ${secret}` } });
  const late = await refusal({ reply: "no" });
  expect(late).toContain("was answered before");
  expect(late).toContain("echo other");
  expect(late).not.toContain(secret);
});

test("says in one sentence why a question was withdrawn before its answer", async () => {
  const { login } = await serving();
  const desk = await login("all");
  const { frames } = watch(desk);
  const { sessionId } = await desk.createSession({ prompt: [{ type: "text", text: "go" }] });
  await until(() => asked(frames).length > 0);
  await desk.cancel(sessionId, { toolCallId: "call_1" });
  await until(() => frames.some((frame) => frame.type === "question" && frame.change === "withdrawn"));
  await expect(desk.answer(asked(frames)[0]?.questionId ?? "", { reply: "once" })).rejects.toThrow(
    "was withdrawn: it was cancelled. The answer was not recorded.",
  );
});

test("redacts the title of the session of each call of the history", async () => {
  const secret = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_");
  const { login } = await serving();
  const desk = await login("all");
  await desk.createSession({ prompt: [{ type: "text", text: `Try ${secret}` }] });
  await until(async () => (await desk.history({})).calls.length === 1);
  const [call] = (await desk.history({})).calls;
  expect(call?.sessionTitle).toBe("Try [redacted token]");
});

test("redacts the live output of a call by the user's own patterns too", async () => {
  const { login } = await serving({
    steps: [{ calls: [command("printf 'meet %s\\n' bluebird")] }, { say: "Done." }],
    redactPatterns: [{ pattern: /bluebird/g, source: "bluebird" }],
  });
  const desk = await login("all");
  const { sessionId } = await desk.createSession({ prompt: [{ type: "text", text: "go" }] });
  const { frames } = watch(desk, { session: sessionId, call: "call_1" });
  await until(() => asked(frames).length > 0);
  await desk.answer(asked(frames)[0]?.questionId ?? "", { reply: "once" });
  await until(() => frames.some(({ type }) => type === "terminal-output"));
  const output = frames.flatMap((frame) => (frame.type === "terminal-output" ? [frame.text] : [])).join("");
  expect(output).toBe("meet [redacted by pattern]\n");
});

test("shows and answers a question while the history is still being indexed", async () => {
  const { login } = await serving({ calls: () => new Promise(() => undefined) });
  const desk = await login("all");
  const { frames } = watch(desk);
  await desk.createSession({ prompt: [{ type: "text", text: "go" }] });
  await until(() => asked(frames).length > 0);
  const { questionId, intentHash } = await desk.question(asked(frames)[0]?.questionId ?? "");
  expect((await desk.answer(questionId, { reply: "once", intentHash })).words).toBe("allowed once by all");
});

test("counts how people answered the same before, in other sessions with the same ids of calls", async () => {
  const { login } = await serving({ steps: [{ calls: [command("touch made")] }] });
  const desk = await login("all");
  const { frames } = watch(desk);
  const next = async (count: number): Promise<string> => {
    await desk.createSession({ prompt: [{ type: "text", text: "go" }] });
    await until(() => asked(frames).length === count);
    return asked(frames)[count - 1]?.questionId ?? "";
  };
  const first = await next(1);
  expect(await desk.earlierAnswers(first)).toEqual({ allowed: 0, refused: 0 });
  await desk.answer(first, { reply: "no" });
  await until(async () => (await desk.history({})).calls[0]?.status === "refused");
  expect(await desk.earlierAnswers(await next(2))).toMatchObject({ allowed: 0, refused: 1 });
});

test("is at work between an answer and the next question, never finished", async () => {
  const { login } = await serving({
    steps: [{ calls: [command("touch a")] }, { calls: [command("touch b")] }],
  });
  const desk = await login("all");
  const { frames } = watch(desk);
  const { sessionId } = await desk.createSession({ prompt: [{ type: "text", text: "go" }] });
  await until(() => asked(frames).length === 1);
  await until(async () => (await desk.session(sessionId)).turns.length > 0);
  await desk.answer(asked(frames)[0]?.questionId ?? "", { reply: "once" });
  const states = new Set<string>();
  await until(async () => {
    states.add((await desk.session(sessionId)).state);
    return asked(frames).length === 2;
  });
  expect([...states]).not.toContain("idle");
});

test("runs the call of each answer at once, whichever question is answered first", async () => {
  const both = [{ calls: [command("touch one"), command("touch two")] }, { say: "Done." }];
  const { login, root } = await serving({ steps: both });
  const desk = await login("all");
  const { frames } = watch(desk);
  const { sessionId } = await desk.createSession({ prompt: [{ type: "text", text: "go" }] });
  await until(() => asked(frames).length === 2);
  const [first, second] = asked(frames);
  await desk.answer(second?.questionId ?? "", { reply: "once" });
  await until(() => existsSync(join(root, "two")));
  expect((await desk.session(sessionId)).state).toBe("waiting");
  await desk.answer(first?.questionId ?? "", { reply: "no", reason: "not this one" });
  await until(async () => (await desk.session(sessionId)).state === "idle");
  expect(existsSync(join(root, "one"))).toBe(false);
});
