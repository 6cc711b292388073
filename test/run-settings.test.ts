/** `config.json`: redaction at rest, the user's own patterns, and a file with a mistake. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atHome, command } from "./cli-kit.js";
import type { Home } from "./cli-kit.js";

const SECRET = `sk-ant-api03-${"q7Zx".repeat(20)}`;
const OWN = "acme-83920174";

const steps = [
  { calls: [command(`printf '%s\\n' ${SECRET} ${OWN} plainword`)] },
  { say: `Done with ${OWN}.` },
];

/** All bytes of the history as text: the ledger, its log and its index. */
function stored({ home }: Home): string {
  const folder = join(home, "toolgate");
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => readFileSync(join(folder, name), "latin1"))
    .join("\n");
}

test("stores no secret with redactAtRest, and the rest of the session", async () => {
  const at = await atHome({
    "config.json": { redactAtRest: true, redactPatterns: ["acme-[0-9]{8}"] },
    "rules.json": { mode: "allow-all", rules: [] },
  });
  const { status, stdout } = await at.runHere(["run", "--script", at.script(steps), `use ${SECRET}`]);
  expect(status).toBe(0);
  expect(stdout).toContain("plainword");
  const bytes = stored(at);
  expect(bytes).toContain("plainword");
  for (const secret of [SECRET, OWN]) expect(bytes).not.toContain(secret);
  expect((await at.runHere(["history", "verify"])).status).toBe(0);
  const config = await at.runHere(["config", "--json"]);
  expect(JSON.parse(config.stdout).settings).toEqual(
    expect.arrayContaining([
      {
        name: "redaction",
        value: "before anything is stored; no call can be undone",
        from: `redactAtRest in ${join(at.settings, "config.json")}`,
      },
      expect.objectContaining({ name: "own secret patterns", value: "acme-[0-9]{8}" }),
    ]),
  );
});

test("applies the user's patterns to show, export and search, also for older sessions", async () => {
  const at = await atHome({ "rules.json": { mode: "allow-all", rules: [] } });
  await at.runHere(["run", "--script", at.script(steps), "go"]);
  expect((await at.runHere(["history", "search", OWN])).stdout).toContain("plainword");
  expect(stored(at)).toContain(OWN);
  writeFileSync(join(at.settings, "config.json"), JSON.stringify({ redactPatterns: ["acme-[0-9]{8}"] }));
  const words = [
    ["history", "search", "plainword"],
    ["history", "show"],
    ...["text", "markdown", "ndjson", "csv"].map((format) => ["history", "export", "--format", format]),
  ];
  for (const one of words) {
    const { status, stdout } = await at.runHere(one);
    expect([one, status]).toEqual([one, 0]);
    expect(stdout).not.toContain(OWN);
  }
  expect((await at.runHere(["history", "search", OWN])).stdout).toContain("Nothing was found");
  expect((await at.runHere(["history", "export", "--secrets"])).stdout).toContain(OWN);
  const indexes = readdirSync(join(at.home, "toolgate")).filter((name) => name.includes(".index"));
  for (const name of indexes)
    expect(readFileSync(join(at.home, "toolgate", name), "latin1")).not.toContain(OWN);
});

test.each([
  ["a field that nobody knows", '{"redactAtRets":true}', 'nobody knows the field "redactAtRets"'],
  [
    "a pattern that cannot be used",
    '{"redactPatterns":["(a+)+"]}',
    '"redactPatterns": The redaction pattern',
  ],
])("starts nothing with %s in config.json, and says what and where", async (_, text, words) => {
  const at = await atHome({ "config.json": text });
  for (const one of [["run", "--script", at.script([{ say: "Done." }]), "go"], ["config"]]) {
    const { status, stderr, stdout } = await at.runHere(one);
    expect(status).toBe(1);
    expect(stderr).toContain(join(at.settings, "config.json"));
    expect(stderr).toContain(words);
    expect(stderr).toContain("Nothing was started");
    expect(stdout).not.toContain("Done.");
  }
  expect(readdirSync(at.home)).not.toContain("toolgate");
});
