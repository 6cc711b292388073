import { expect, test } from "vitest";
import { aStore, NOON } from "../../history.samples.js";
import { SessionRows } from "./session-rows.js";
import { INDEX_FILE } from "./index-tables.js";
import { openFile } from "../sqlite-file.js";

const store = aStore();
const SESSION = { session_id: "s1", created_at: NOON, updated_at: NOON };
const END = {
  updated_at: NOON,
  chain: null,
  title: null,
  agent: null,
  cwd: null,
  model: null,
  is_elsewhere: 0,
  calls: 0,
  messages: 0,
  breaches: 0,
};

test("lets the newest of two writers of a session's rows continue and stops the other", async () => {
  const index = await openFile(store.newFile(), INDEX_FILE);
  const [older, newer, late] = [1, 2, 3].map(() => new SessionRows(index, 1, []));
  expect(older?.begin(SESSION, undefined)).toBe(true);
  expect(newer?.begin(SESSION, undefined)).toBe(true);
  let written = 0;
  const write = () => {
    written += 1;
  };
  expect([older?.together(write), written]).toEqual([false, 0]);
  expect([newer?.together(write), written]).toEqual([true, 1]);
  expect(older?.end({ ...END, last_seq: 3 })).toBe(false);
  expect(newer?.end({ ...END, last_seq: 5 })).toBe(true);
  expect(index.select("select last_seq from sessions")).toMatchObject([{ last_seq: 5 }]);
  // The state that it read is outdated.
  expect(late?.begin(SESSION, 3)).toBe(false);
  expect(late?.begin(SESSION, 5)).toBe(true);
  index.close();
});
