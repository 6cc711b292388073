import { expect, test } from "vitest";
import { passwordIn } from "./server-client.js";

const TARGET = { host: "db.internal", port: 5432, database: "toolgate", user: "ann" };

test.each([
  ["db.internal:5432:toolgate:ann:secret", "secret"],
  ["*:*:*:ann:secret", "secret"],
  ["# db.internal:5432:toolgate:ann:commented\n*:*:*:*:later", "later"],
  ["db.internal:5432:toolgate:bob:his\r\ndb.internal:5432:toolgate:ann:hers\r\n", "hers"],
  ["db.internal:5432:toolgate:ann:with\\:colon\\\\and more", "with:colon\\and more"],
  ["other:5432:toolgate:ann:secret", undefined],
  ["db.internal:5432:toolgate:ann", undefined],
  ["", undefined],
])("finds the password of the first line that fits: %j", (text, password) => {
  expect(passwordIn(text, TARGET)).toBe(password);
});
