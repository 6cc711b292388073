import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { GrantStore } from "../settings/index.js";
import { rulesText } from "./rules.js";

const HOUR_MS = 3_600_000;

test("shows when a grant ends, and a grant of the session as in force there", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "rules-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  vi.stubEnv("TOOLGATE_CONFIG", join(cwd, "config"));
  vi.stubEnv("TZ", "Asia/Tokyo");
  onTestFinished(() => void vi.unstubAllEnvs());
  const store = new GrantStore(join(cwd, "config"));
  const end = Date.UTC(2100, 0, 1, 12, 30);
  const remembered = { rules: [{ allow: "edit" as const }], sentence: "Always allow edits in this session" };
  const scope = { type: "session", sessionId: "s1" } as const;
  await store.add(remembered, scope, { grantId: "aaaa11112222", expiresAt: end });
  await store.add(remembered, scope, { grantId: "bbbb11112222", expiresAt: Date.now() - HOUR_MS });

  const inside = rulesText(cwd, "s1");
  expect(inside).toContain('  {"allow":"edit"}  (remembered, aaaa11112222)');
  expect(inside).toContain(
    "  aaaa11112222  Always allow edits in this session, until 2100-01-01 21:30, used 0 times",
  );
  expect(inside).toMatch(/bbbb11112222 {2}Always allow edits in this session, expired [\d-]+ [\d:]+/);
  expect(inside).not.toContain("No rules");

  const outside = rulesText(cwd);
  expect(outside).toContain("No rules beside the mode's are in force here. Write some into rules.json");
  expect(outside).toContain("Always allow edits in this session, in session s1, until 2100-01-01 21:30");
});
