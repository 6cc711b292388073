import { expect, test } from "vitest";
import { MemoryLedger } from "../history/index.js";
import { SessionRecord } from "../record/index.js";
import { findResumed, findSession } from "./find-session.js";
import { shortId } from "./short-id.js";

const idOf = (number: number): string =>
  `session_${number.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;

/** A session in `/mine`, then 249 newer ones elsewhere, and one in `/mine` that was left without a message. */
async function manySessions(): Promise<MemoryLedger> {
  const ledger = new MemoryLedger();
  for (let number = 1; number <= 251; number += 1) {
    const record = await SessionRecord.open(ledger, idOf(number), { owner: "test" });
    const cwd = number === 1 || number === 251 ? "/mine" : "/elsewhere";
    await record.append([
      { type: "info-changed", at: number, info: { cwd } },
      ...(number === 251 ? [] : [{ type: "turn-started", turnId: "turn_1", at: number } as const]),
    ]);
    await record.close();
  }
  return ledger;
}

test("finds a session that is older than the newest 200 by its folder, and by the start of its id; passes over an empty one", async () => {
  const ledger = await manySessions();
  const oldest = idOf(1);
  expect(await findSession(ledger, true, "/mine")).toBe(oldest);
  expect(await findSession(ledger, shortId(oldest), "/elsewhere")).toBe(oldest);
  expect(await findSession(ledger, "00000001", "/elsewhere")).toBe(oldest);
});

test("says what is not there, and how to pass a word as a prompt", async () => {
  const ledger = await manySessions();
  await expect(findSession(ledger, true, "/other")).rejects.toThrow("No session has worked in /other yet");
  await expect(findSession(ledger, "session_0000000", "/mine")).rejects.toThrow("matches 15 session ids");
  await expect(findResumed(ledger, "continue", "/mine")).rejects.toThrow("toolgate run --resume -- continue");
});

test("shortens the ids of sessions in the terminal and on a server", () => {
  expect(shortId(idOf(1))).toBe("session_00000001");
  expect(shortId("session_24a74aab85f9c8ce2bc17eaf218692bf")).toBe("session_24a74aab");
  expect(shortId("session_mine")).toBe("session_mine");
});

test("resumes the newest session of the agent that is started, and names another's where there is no other", async () => {
  const ledger = new MemoryLedger();
  const sessions = [
    { id: idOf(1), isForeign: false, cwd: "/mine" },
    { id: idOf(2), isForeign: true, cwd: "/mine" },
    { id: idOf(3), isForeign: true, cwd: "/theirs" },
  ];
  for (const { id, isForeign, cwd } of sessions) {
    const record = await SessionRecord.open(ledger, id, { owner: "test" });
    const meta = isForeign ? { _meta: { toolgate: { agentSession: { sessionId: "theirs" } } } } : {};
    await record.append([
      { type: "info-changed", at: 1, info: { cwd, ...meta } },
      { type: "turn-started", turnId: "turn_1", at: 1 },
    ]);
    await record.close();
  }
  expect(await findResumed(ledger, true, "/mine")).toBe(idOf(1));
  expect(await findResumed(ledger, true, "/mine", { ofAgent: true })).toBe(idOf(2));
  expect(await findResumed(ledger, true, "/theirs")).toBe(idOf(3));
});
