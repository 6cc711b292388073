/** The two APIs of one server, on one port: they agree on answers and on methods. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { serving, TOKEN } from "./page-serving.js";
import { until } from "./until.js";

type Body = { readonly [name: string]: unknown };

const sender =
  (url: string) =>
  async (method: string, path: string, body?: Body): Promise<Response> =>
    fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });

test("an answer says who continues the turn, to apps as to the page", async () => {
  const { url, park, ledger, root } = await serving();
  const send = sender(url);
  const ofApps = async (questionId: string, body: Body) => {
    const response = await send("POST", `/questions/${questionId}`, body);
    return { status: response.status, ...((await response.json()) as Body) };
  };
  const ofPage = async (questionId: string, body: Body) => {
    const response = await send("POST", `/api/questions/${encodeURIComponent(questionId)}/answer`, body);
    return { status: response.status, ...((await response.json()) as Body) };
  };
  const foreign = { agent: "another", cwd: root };
  expect(await ofApps(await park(foreign), { granted: true })).toMatchObject({
    counted: true,
    resumes: "later",
  });
  expect(await ofPage(await park(foreign), { reply: "once" })).toMatchObject({ resumes: "later" });
  expect(existsSync(join(root, "made"))).toBe(false);

  const driven = await park({ ...foreign, _meta: { toolgate: { agentSession: "theirs" } } });
  const refused = { status: 409, error: { message: expect.stringContaining("a yes would run nothing") } };
  expect(await ofApps(driven, { granted: true })).toMatchObject(refused);
  expect(await ofApps(driven, { optionId: "allow_once" })).toMatchObject(refused);
  expect(await ofPage(driven, { reply: "once" })).toMatchObject(refused);
  expect(await ledger.openQuestions()).toMatchObject([{ questionId: driven }]);
  expect(await ofApps(driven, { granted: false })).toMatchObject({ status: 200, resumes: "later" });
  // The first answer comes back, also where the turn is over.
  expect(await ofPage(driven, { reply: "once" })).toMatchObject({ error: { code: "ALREADY_ANSWERED" } });

  const ours = await park({ agent: "tester", cwd: root });
  expect(await ofApps(ours, { granted: true })).toMatchObject({ resumes: "here" });
  await until(() => existsSync(join(root, "made")));
});

test("a wrong method is a 405 with the methods of that path, on every path", async () => {
  const { url } = await serving({ files: { "index.html": "page" } });
  const send = sender(url);
  const allowedBy = async (line: string) => {
    const [method = "", path = ""] = line.split(" ");
    const { status, headers } = await send(method, path);
    return [line, status, headers.get("allow")];
  };
  const expected = [
    ["POST /", 405, "GET"],
    ["DELETE /s/session_1", 405, "GET"],
    ["PUT /app.js", 405, "GET"],
    ["POST /healthz", 405, "GET"],
    ["POST /readyz", 405, "GET"],
    ["PUT /sessions", 405, "GET, POST"],
    ["DELETE /api/questions", 405, "GET"],
    ["POST /api/live", 405, "GET"],
    ["DELETE /api/questions/a/b/answer", 405, "POST"],
    ["HEAD /", 200, null],
    ["POST /nothing", 404, null],
    ["POST /api/nothing", 404, null],
  ];
  for (const line of expected) expect(await allowedBy(String(line[0]))).toEqual(line);
});
