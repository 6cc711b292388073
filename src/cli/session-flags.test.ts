import { expect, test } from "vitest";
import { MemoryLedger } from "../history/index.js";
import { SessionRecord } from "../record/index.js";
import { keptFlags, withKeptFlags } from "./session-flags.js";

test.each([
  ["anthropic/claude-x", undefined],
  ["openai-compatible/other", "http://127.0.0.1:1/v1"],
])(
  "resumes with %s at the address %s when it was started at an address of its own",
  async (model, baseUrl) => {
    const ledger = new MemoryLedger();
    const record = await SessionRecord.open(ledger, "s", { owner: "test" });
    const started = { model: "openai-compatible/local", baseUrl: "http://127.0.0.1:1/v1" };
    await record.append([{ type: "info-changed", at: 1, info: keptFlags(started) }]);
    await record.close();
    expect(await withKeptFlags(ledger, "s", {})).toMatchObject(started);
    expect((await withKeptFlags(ledger, "s", { model })).baseUrl).toBe(baseUrl);
  },
);
