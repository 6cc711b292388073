/**
 * Runs attacks that are contained for real, as root and as an ordinary user: no byte outside changes, no packet leaves,
 * and the workspace is as before when the call was undone. A sample; the long mode takes all.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { findBubblewrap } from "../src/tools/sandbox/sandbox.js";

type Family = {
  readonly count: number;
  readonly contained: number;
  readonly run: number;
  readonly harmful: readonly { readonly id: string; readonly harm: string }[];
};
type Row = {
  readonly user: string;
  readonly families: { readonly [family: string]: Family };
  readonly packets?: number;
};

const LONG = process.env["TOOLGATE_LONG"] !== undefined;
const SAMPLE = LONG ? "1" : "600";

test.skipIf(findBubblewrap() === undefined)(
  "no contained attack does harm",
  { timeout: LONG ? 7_200_000 : 300_000 },
  async () => {
    const bench = fileURLToPath(new URL("../bench/contained-attacks.mjs", import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [bench, "--json", `--sample=${SAMPLE}`], {
      maxBuffer: 64 * 1024 * 1024,
    });
    const rows: readonly Row[] = JSON.parse(stdout);
    for (const { user, families, packets = 0 } of rows) {
      const all = Object.values(families);
      expect(
        all.reduce((sum, { run }) => sum + run, 0),
        user,
      ).toBeGreaterThan(1);
      expect(families["catalogue"]?.harmful, user).toEqual([]);
      const others = all.reduce((sum, { count }) => sum + count, 0) - (families["catalogue"]?.count ?? 0);
      const harmful = all.flatMap((family) => family.harmful);
      expect(harmful.length, JSON.stringify(harmful)).toBeLessThanOrEqual(LONG ? others / 100 : 0);
      expect(packets, user).toBe(0);
    }
  },
);
