import { randomBytes } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { KEY_BYTES, sealSecret, unsealSecret } from "./seal-secret.js";

const key = randomBytes(KEY_BYTES);

test("unseals with the same key and purpose", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 50 }), fc.string(), (text, about) => {
      // Halves of characters that are no characters do not survive being written.
      const secret = Buffer.from(text).toString();
      expect(unsealSecret(key, sealSecret(key, secret, about), about)).toBe(secret);
    }),
  );
});

test("does not unseal with another key or purpose, or when one bit changed", () => {
  const sealed = sealSecret(key, "1234", "session_1 pin");
  expect(unsealSecret(randomBytes(KEY_BYTES), sealed, "session_1 pin")).toBeUndefined();
  expect(unsealSecret(key, sealed, "session_2 pin")).toBeUndefined();
  const bytes = Buffer.from(sealed, "base64url");
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(unsealSecret(key, changed.toString("base64url"), "session_1 pin")).toBeUndefined();
  }
  for (const text of ["", "x", "[redacted token]"]) expect(unsealSecret(key, text, "a")).toBeUndefined();
});

test("seals the same secret differently each time", () => {
  expect(sealSecret(key, "1234", "a")).not.toBe(sealSecret(key, "1234", "a"));
});
