/** Notifications of questions: a real server, and services on the loopback that receive what leaves the machine. */
import {
  createDecipheriv,
  createECDH,
  createHmac,
  createPublicKey,
  hkdfSync,
  randomBytes,
  verify,
} from "node:crypto";
import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { command } from "./cli-kit.js";
import { asked, watch } from "./page-kit.js";
import { serving } from "./page-serving.js";
import { until } from "./until.js";

const SECRET = `whsec_${Buffer.from("a secret of the receiver").toString("base64")}`;
const STEPS = [
  {
    calls: [
      command(
        "curl -H 'Authorization: Bearer sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789' https://x.example",
      ),
    ],
  },
  { say: "Done." },
];

type Received = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer };

/** Takes every request; those below /gone are refused as ended subscriptions are. */
async function service() {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const answer = async () => {
      const { url = "", headers } = request;
      received.push({ path: url, headers, body: await buffer(request) });
      response.writeHead(url.startsWith("/gone") ? 410 : 200).end();
    };
    void answer();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  // The server listens on a port.
  const { port } = server.address() as AddressInfo;
  const of = (path: string) => received.filter((one) => one.path === path);
  return { host: `127.0.0.1:${port}`, of };
}

/** A browser's side of a subscription. */
function subscriber() {
  const keys = createECDH("prime256v1");
  const own = keys.generateKeys();
  const auth = randomBytes(16);
  const decrypt = (body: Buffer): unknown => {
    const [salt, sender] = [body.subarray(0, 16), body.subarray(21, 86)];
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), own, sender]);
    const shared = Buffer.from(hkdfSync("sha256", keys.computeSecret(sender), auth, info, 32));
    const derive = (name: string, length: number) =>
      Buffer.from(hkdfSync("sha256", shared, salt, Buffer.from(`Content-Encoding: ${name}\0`), length));
    const decipher = createDecipheriv("aes-128-gcm", derive("aes128gcm", 16), derive("nonce", 12));
    decipher.setAuthTag(body.subarray(-16));
    const text = Buffer.concat([decipher.update(body.subarray(86, -16)), decipher.final()]);
    return JSON.parse(text.subarray(0, -1).toString());
  };
  return { keys: { p256dh: own.toString("base64url"), auth: auth.toString("base64url") }, decrypt };
}

test("sends a waiting question's id and title by ntfy, webhook and push, and nothing else", async () => {
  const { host, of } = await service();
  const { login, url } = await serving({
    steps: STEPS,
    notify: {
      afterSeconds: 0,
      ntfy: { topic: `http://${host}/below/my-agents`, token: "tk_secret" },
      webhook: { url: `http://${host}/hook`, secret: SECRET },
      pushHosts: [host],
      contact: "mailto:me@example.com",
    },
  });
  const [desk, phone, lost, old] = [
    await login("all"),
    await login("answer"),
    await login("watch"),
    await login("watch"),
  ];
  const [one, gone] = [subscriber(), subscriber()];
  await phone.subscribePush({ endpoint: `http://${host}/push`, keys: one.keys });
  await lost.subscribePush({ endpoint: `http://${host}/lost`, keys: one.keys });
  await lost.logout();
  await old.subscribePush({ endpoint: `http://${host}/gone`, keys: gone.keys });
  expect((await phone.notifications()).push.isOn).toBe(true);
  expect((await desk.notifications()).ways).toEqual([`ntfy at ${host}`, `webhook at ${host}`]);

  const { frames } = watch(desk);
  const { sessionId } = await desk.createSession({ agent: "tester" });
  await desk.prompt(sessionId, { prompt: [{ type: "text", text: "go" }] });
  await until(
    () => [of("/below"), of("/hook"), of("/push"), of("/gone")].every((requests) => requests.length === 1),
    () => JSON.stringify(frames),
  );
  const [question] = asked(frames);
  const link = `${url}/q/${encodeURIComponent(question?.questionId ?? "")}`;
  const { title } = question ?? {};
  expect(title).not.toContain("abcdefghijklmnop");

  const [ntfy] = of("/below");
  expect(ntfy?.headers.authorization).toBe("Bearer tk_secret");
  expect(JSON.parse(String(ntfy?.body))).toEqual({
    topic: "my-agents",
    title: "Toolgate: an agent waits for your answer",
    message: title,
    click: link,
    priority: 4,
    actions: [{ action: "view", label: "Look and answer", url: link, clear: true }],
  });

  const [hook] = of("/hook");
  const { "webhook-id": id, "webhook-timestamp": seconds } = hook?.headers ?? {};
  const signed = [id, seconds, hook?.body].map(String).join(".");
  const signature = createHmac("sha256", "a secret of the receiver").update(signed).digest("base64");
  expect(hook?.headers["webhook-signature"]).toBe(`v1,${signature}`);
  expect(JSON.parse(String(hook?.body))).toMatchObject({
    type: "question.asked",
    data: { questionId: question?.questionId, title, url: link },
  });

  const [push] = of("/push");
  expect(push && one.decrypt(push.body)).toEqual({ questionId: question?.questionId, title });
  expect(push?.headers).toMatchObject({ "content-encoding": "aes128gcm", urgency: "high" });
  const { publicKey } = (await phone.notifications()).push;
  expect(claimsOf(push?.headers.authorization ?? "", publicKey)).toMatchObject({
    aud: `http://${host}`,
    sub: "mailto:me@example.com",
  });
  // A revoked device and an ended subscription get nothing more.
  expect(of("/lost")).toEqual([]);
  await expect.poll(async () => (await old.notifications()).push.isOn).toBe(false);
  expect((await desk.testNotifications()).results).toEqual([
    { name: `ntfy at ${host}` },
    { name: `webhook at ${host}` },
    { name: "push to answer" },
  ]);
  await phone.unsubscribePush();
  expect((await phone.notifications()).push.isOn).toBe(false);
});

test("refuses a push address that is no push service, and a test by a device that only watches", async () => {
  const { login } = await serving();
  const phone = await login("watch");
  const { keys } = subscriber();
  await expect(phone.subscribePush({ endpoint: "https://10.0.0.1/admin", keys })).rejects.toThrow(
    "10.0.0.1 is no known push service",
  );
  await expect(
    phone.subscribePush({ endpoint: "https://web.push.apple.com/x", keys: { ...keys, auth: "short" } }),
  ).rejects.toThrow("keys.auth");
  await expect(phone.testNotifications()).rejects.toThrow("watch may only watch");
  expect((await phone.notifications()).push.isOn).toBe(false);
});

/** Checks the signature as a push service does. */
function claimsOf(header: string, publicKey: string): unknown {
  const [, token = "", key = ""] = /^vapid t=([^,]+), k=(.+)$/.exec(header) ?? [];
  expect(key).toBe(publicKey);
  const point = Buffer.from(key, "base64url");
  const [x, y] = [point.toString("base64url", 1, 33), point.toString("base64url", 33)];
  const jwk = createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" });
  const [head = "", claims = "", signature = ""] = token.split(".");
  expect(
    verify(
      "sha256",
      Buffer.from(`${head}.${claims}`),
      { key: jwk, dsaEncoding: "ieee-p1363" },
      Buffer.from(signature, "base64url"),
    ),
  ).toBe(true);
  return JSON.parse(Buffer.from(claims, "base64url").toString());
}
