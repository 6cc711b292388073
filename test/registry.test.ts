/** The entry for ACP's registry of agents: it passes the registry's checks and has this package's version. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import entry from "../registry/toolgate/agent.json" with { type: "json" };

test("names this version, and starts the agent for an editor", () => {
  expect(entry).toMatchObject({
    id: expect.stringMatching(/^[a-z][a-z0-9-]*$/),
    version: manifest.version,
    license: manifest.license,
    distribution: { npx: { package: `${manifest.name}@${manifest.version}`, args: ["acp"] } },
  });
});

test("has an icon of one colour that an editor can set", () => {
  const icon = readFileSync(new URL("../registry/toolgate/icon.svg", import.meta.url), "utf8");
  expect(icon).toMatch(/width="16" height="16"/);
  const colours = [...icon.matchAll(/(?:fill|stroke)="([^"]+)"/g)].map(([, colour]) => colour);
  expect(new Set(colours)).toEqual(new Set(["none", "currentColor"]));
});
