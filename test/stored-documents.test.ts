/** Settings that we write ourselves, as a file and as a text that instances share: the same contract for both. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { SharedTexts } from "../src/call/shared-texts.js";
import { BrokenLine } from "../src/history/postgres/broken-line.samples.js";
import { openPostgresTexts } from "../src/history/postgres/open-postgres-texts.js";
import { openSharedTexts } from "../src/history/open-shared-texts.js";
import { newAddress } from "../src/history/postgres/postgres-server.samples.js";
import { Devices } from "../src/serve/index.js";
import { GrantStore, sharedDocuments } from "../src/settings/index.js";
import type { OpenDocument } from "../src/settings/index.js";
import { TrustedProjects } from "../src/settings/trusted-projects.js";
import { storedFile } from "../src/settings/stored-file.js";
import { until } from "./until.js";

const folder = mkdtempSync(join(tmpdir(), "toolgate-documents-"));
const schema = () => z.looseObject({ count: z.number(), names: z.array(z.string()) });
const OPTIONS = { schema, empty: { count: 0, names: [] as string[] } };

const opened: SharedTexts[] = [];
let address: string;
beforeAll(async () => {
  address = await newAddress();
});
afterAll(async () => {
  for (const texts of opened) await texts.close();
});

async function openTexts(): Promise<SharedTexts> {
  const texts = await openSharedTexts(address);
  if (!texts) throw new Error("no shared texts");
  opened.push(texts);
  return texts;
}

const FORMS: readonly [string, () => Promise<OpenDocument>][] = [
  ["a file", async () => storedFile],
  ["PostgreSQL", async () => sharedDocuments(await openTexts())],
];

describe.each(FORMS)("a document in %s", (form, open) => {
  const name = join(folder, `${form}.json`);

  test("is absent first, and then as it was changed, for everyone who opens it", async () => {
    const document = (await open())(name, OPTIONS);
    expect(document.current()).toEqual({ state: "absent" });
    expect(await document.change(({ count }) => ({ result: count }))).toBe(0);
    expect(document.current()).toEqual({ state: "absent" });
    await document.change((value) => ({ value: { ...value, count: 1, more: true }, result: undefined }));
    expect(document.current()).toMatchObject({ state: "good", value: { count: 1, names: [], more: true } });
    const other = (await open())(name, OPTIONS);
    expect(other.current()).toMatchObject({ state: "good", value: { count: 1 } });
    await document.change((value) => ({ value: { ...value, count: 2 }, result: undefined }));
    await until(() => {
      const state = other.current();
      return state.state === "good" && state.value.count === 2;
    });
  });

  test("loses no change of several writers", async () => {
    const documents = await Promise.all(
      Array.from({ length: 3 }, async () => (await open())(`${name}.many`, OPTIONS)),
    );
    const writers = documents.flatMap((document, writer) =>
      Array.from({ length: 5 }, (_, index) =>
        document.change(({ count, names }) => ({
          value: { count: count + 1, names: [...names, `${writer} ${index}`] },
          result: count,
        })),
      ),
    );
    const before = await Promise.all(writers);
    expect(before.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 15 }, (_, index) => index));
    const [first] = documents;
    expect(await first?.change(({ count, names }) => ({ result: [count, new Set(names).size] }))).toEqual([
      15, 15,
    ]);
  });

  test("refuses a value that could not be read again", async () => {
    const document = (await open())(`${name}.refused`, OPTIONS);
    await expect(
      document.change((value) => ({ value: { ...value, count: Number.NaN }, result: 0 })),
    ).rejects.toMatchObject({ code: "NOT_STORABLE" });
    expect(document.current()).toEqual({ state: "absent" });
  });
});

test("an always and a device of one instance hold on the other, and a code works once", async () => {
  const [here, there] = [await openTexts(), await openTexts()];
  const grants = [here, there].map((texts) => new GrantStore(folder, { open: sharedDocuments(texts) }));
  const devices = [here, there].map((texts) => new Devices(folder, Date.now, sharedDocuments(texts)));
  const rule = { allow: "edit" } as const;
  const grant = await grants[0]?.add({ rules: [rule], sentence: JSON.stringify(rule) }, { type: "user" });
  await until(() => grants[1]?.list().some(({ grantId }) => grantId === grant?.grantId) === true);
  expect(await grants[1]?.revoke(grant?.grantId ?? "")).toBe(true);
  await until(() => grants[0]?.list().length === 0);

  const code = await devices[0]?.createCode({ role: "answer", lifetimeMs: 60_000 });
  const redeemed = await Promise.all(devices.map((one) => one.redeem(code?.code ?? "", "Phone")));
  const [added, ...others] = redeemed.filter((one) => one !== undefined);
  expect(others).toEqual([]);
  for (const one of devices)
    await until(() => one.find(added?.cookie ?? "", added?.key ?? "")?.name === "Phone");
});

test("a login waits until every instance has looked for devices, and one with a file does not", async () => {
  const shared = new Devices(folder, Date.now, sharedDocuments(await openTexts()));
  const start = performance.now();
  await shared.spread();
  // Timers may be early by a part of a millisecond.
  expect(performance.now() - start).toBeGreaterThan(999);
  let isBack = false;
  void new Devices(folder).spread().then(() => (isBack = true));
  await Promise.resolve();
  await Promise.resolve();
  expect(isBack).toBe(true);
});

test("a device, an always and a trusted project count no more while the store cannot be read", async () => {
  const line = new BrokenLine();
  const texts = await openPostgresTexts(await line.open(address), { staleAfterMs: 3_000 });
  opened.push(texts);
  const open = sharedDocuments(texts);
  const [devices, grants] = [new Devices(folder, Date.now, open), new GrantStore(folder, { open })];
  const trusted = new TrustedProjects(folder, open);
  const { code } = await devices.createCode({ role: "answer", lifetimeMs: 60_000 });
  const added = await devices.redeem(code, "Phone");
  const isDevice = () => devices.find(added?.cookie ?? "", added?.key ?? "") !== undefined;
  for (const rule of [{ allow: "edit" }, { deny: "execute" }] as const)
    await grants.add({ rules: [rule], sentence: JSON.stringify(rule) }, { type: "user" });
  await trusted.trust("/project", "hash", 0);
  const inForce = () =>
    grants.rulesFor({ projectRoot: "/project", sessionId: "s", now: 0 }).map(({ rule }) => rule);
  const all = [isDevice, () => trusted.isTrusted("/project", "hash"), () => inForce().length === 2];
  await until(() => all.every((holds) => holds()));

  line.cut();
  await until(() => !isDevice());
  expect(trusted.isTrusted("/project", "hash")).toBe(false);
  expect(inForce()).toEqual([{ deny: "execute" }]);
  expect(grants.problem).toContain("cannot be read, since the server does not answer");

  line.reopen();
  await until(() => all.every((holds) => holds()));
  await texts.close();
  await line.close();
});

test("every call is asked about while a store that had no rules cannot be read", () => {
  const texts: SharedTexts = {
    where: "a server",
    isStale: true,
    current: () => undefined,
    refresh: () => Promise.resolve(),
    replace: () => Promise.resolve(false),
    spread: () => Promise.resolve(),
    onChange: () => () => undefined,
    close: () => Promise.resolve(),
  };
  const grants = new GrantStore(folder, { open: sharedDocuments(texts) });
  expect(grants.rulesFor({ projectRoot: "/project", sessionId: "s", now: 0 })).toEqual([
    { rule: expect.objectContaining({ ask: "*" }) },
  ]);
});
