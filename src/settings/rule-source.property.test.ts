/** Whatever is done to the files, asking for the rules never throws and loses no denial of the last good ones. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { RuleSource } from "./rule-source.js";
import { denialsIn, newFolder, removeFolders } from "./settings.samples.js";

afterAll(removeFolders);

type FileName = "user" | "project" | "grants" | "trusted";
type Step = {
  readonly file: FileName;
  /** "gone", "folder" and "loop" are done to the file; all else is written into it. */
  readonly content: Uint8Array | string;
  readonly denied?: readonly string[];
};

const rule = fc.record({
  effect: fc.constantFrom("allow", "ask", "deny"),
  tool: fc.stringMatching(/^[a-z]{1,4}$/),
});
const rules = fc.array(rule, { maxLength: 4 });
const asRules = (list: readonly { effect: string; tool: string }[]) =>
  list.map(({ effect, tool }) => ({ [effect]: tool }));
const denied = (list: readonly { effect: string; tool: string }[]) =>
  list.filter(({ effect }) => effect === "deny").map(({ tool }) => tool);

const goodRules = fc.tuple(fc.constantFrom<FileName>("user", "project"), rules).map(([file, list]): Step => ({
  file,
  content: JSON.stringify({ rules: asRules(list) }),
  denied: denied(list),
}));
const goodGrants = rules.map((list): Step => {
  const grant = {
    grantId: "g",
    sentence: "s",
    rules: asRules(list),
    scope: { type: "user" },
    createdAt: 0,
    expiresAt: 5,
    uses: 0,
    clockSeen: 0,
  };
  return { file: "grants", content: JSON.stringify({ version: 1, grants: [grant] }), denied: denied(list) };
});
const anyFile = fc.constantFrom<FileName>("user", "project", "grants", "trusted");
const garbage: fc.Arbitrary<Step> = fc.record({
  file: anyFile,
  content: fc.oneof(
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Uint8Array.of(0xff, ...bytes)),
    fc.json().map((text) => `[${text}]`),
    fc.string().map((text) => `{"rules":[{"deny":"x"},${JSON.stringify(text)}]}`),
    fc.constantFrom("", "{", `{"rules":[{"allow":"*","deny":"*"}]}`, `{"rules":null}`, "[".repeat(5000)),
    fc.constantFrom("gone", "folder", "loop"),
  ),
});
const steps = fc.array(fc.oneof(goodRules, goodGrants, garbage), { minLength: 1, maxLength: 12 });

test("never throws on garbage and never drops a denial", () => {
  fc.assert(
    fc.property(steps, (done) => {
      const [folder, project] = [newFolder(), newFolder()];
      const paths = {
        user: join(folder, "rules.json"),
        project: join(project, ".toolgate", "rules.json"),
        grants: join(folder, "grants.json"),
        trusted: join(folder, "trusted.json"),
      };
      const source = new RuleSource({ folder });
      const lastGood = new Map<FileName, readonly string[]>();
      try {
        for (const step of done) {
          put(paths[step.file], step.content);
          if (step.denied) lastGood.set(step.file, step.denied);
          const { rules: inForce, problems } = source.current(project);
          const wanted = [...lastGood.values()].flat().map((tool) => JSON.stringify({ deny: tool }));
          expect(denialsIn(inForce).toSorted()).toEqual(wanted.toSorted());
          if (step.denied === undefined && step.content !== "gone") expect(problems).not.toEqual([]);
        }
      } finally {
        source.close();
        for (const made of [folder, project]) rmSync(made, { recursive: true, force: true });
      }
    }),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 20) },
  );
});

function put(path: string, content: Step["content"]): void {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(dirname(path), { recursive: true });
  if (content === "folder") mkdirSync(path);
  else if (content === "loop") symlinkSync(path, path);
  else if (content !== "gone") writeFileSync(path, content);
}
