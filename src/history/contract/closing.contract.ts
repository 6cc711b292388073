/** Closing: ends all waits, and makes each later operation fail. */
import { expect, test } from "vitest";
import type { Given } from "./contract.samples.js";
import { QUESTION, QUICK, SESSION, YES, ask, claim, codeOf, said } from "./contract.samples.js";
import { soon, startFollowing } from "./following.samples.js";

export function closing({ store }: Given): void {
  test("closing ends every follower, those that wait and those that still read", async () => {
    const { ledger } = store();
    const events = Array.from({ length: 100 }, (_, index) => said(`${index}`));
    await ledger.append(await claim(ledger), events, QUICK);
    const followers = [
      startFollowing(ledger, { after: 100 }),
      startFollowing(ledger, { after: 50, pause: 2 }),
      startFollowing(ledger, { sessionId: "unknown" }),
    ];
    await followers[1]?.has(1);
    await ledger.close();
    for (const follower of followers) await soon(follower.ended, "the follower ends");
    expect(followers[1]?.seen.length).toBeLessThan(50);
  });

  test("refuses every operation after it was closed", async () => {
    const { ledger } = store();
    const lease = await ask(ledger, QUESTION);
    await ledger.close();
    const follow = async () => {
      for await (const _ of ledger.follow(SESSION, { signal: new AbortController().signal })) break;
    };
    const calls: [string, () => Promise<unknown>][] = [
      ["claim", () => claim(ledger)],
      ["renew", () => ledger.renew(lease, { milliseconds: 1 })],
      ["release", () => ledger.release(lease)],
      ["append", () => ledger.append(lease, [said("one")], QUICK)],
      ["read", () => ledger.read(SESSION)],
      ["follow", follow],
      ["answer", () => ledger.answer("question-1", YES)],
      ["openQuestions", () => ledger.openQuestions()],
      ["sessions", () => ledger.sessions()],
      ["remove", () => ledger.remove(lease)],
      ["putBlob", () => ledger.putBlob(new Uint8Array())],
      ["getBlob", () => ledger.getBlob("")],
    ];
    const codes = await Promise.all(calls.map(async ([name, call]) => [name, await codeOf(call())]));
    expect(codes).toEqual(calls.map(([name]) => [name, "LEDGER_CLOSED"]));
  });

  test("closing twice is fine", async () => {
    const { ledger } = store();
    await ledger.close();
    await expect(ledger.close()).resolves.toBeUndefined();
  });
}
