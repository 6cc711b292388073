import { existsSync, mkdirSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { makeControlGroups, removeControlGroups } from "./control-groups.js";

const made = makeControlGroups("test");
const why = made.length === 0 ? " (needs a control group that can be written)" : "";

test.skipIf(made.length === 0)(
  `groups of processes that are gone are removed at the next start${why}`,
  () => {
    const { pid } = spawnSync("true");
    const space = /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0];
    const [first = ""] = made;
    const at = (name: string): string => join(dirname(first), name);
    const [left, alive, elsewhere] = [`${space}-${pid}`, `${space}-1`, `1-${pid}`].map((name) =>
      at(`toolgate-${name}-test`),
    ) as [string, string, string];
    for (const folder of [left, alive, elsewhere]) mkdirSync(folder);
    const again = makeControlGroups("test-2");
    const there = [left, alive, elsewhere].map((folder) => existsSync(folder));
    removeControlGroups([...again, ...made, left, alive, elsewhere]);
    expect(there).toEqual([false, true, true]);
  },
);
