import { existsSync, lstatSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ToolFailure } from "./tool.js";
import { aWorkspace } from "./tools.samples.js";

const RUNS = Number(process.env["TOOLGATE_RUNS"] ?? 30);
const name = fc.constantFrom("a", "b", "c", "ws", "ws-evil", "é", "..a", "a.txt");
const somePart = fc.oneof({ weight: 4, arbitrary: name }, fc.constantFrom("..", ".", "", "../..", "//"));
const somePath = fc.array(somePart, { maxLength: 7 }).map((parts) => parts.join("/"));
// Stands for the parent folder of the workspace, which is only known in the test.
const target = fc.oneof(
  somePath,
  somePath.map((rest) => `OUTSIDE/ws/${rest}`),
  somePath.map((rest) => `OUTSIDE/${rest}`),
  fc.constant("/"),
);
const step = fc.record({
  at: somePath,
  make: fc.constantFrom("file", "folder", "link", "link", "link"),
  target,
});
const asked = fc.oneof(
  { weight: 5, arbitrary: target },
  fc.string(),
  fc.string({ unit: "binary" }),
  // Refused in every run.
  fc.string().map((text) => `${text}\0`),
);

test("resolves any path through any links to a real one", async () => {
  const { outside, root, workspace } = await aWorkspace();
  let [inside, outer, refused] = [0, 0, 0];
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 12 }),
      fc.array(asked, { minLength: 1, maxLength: 12 }),
      async (steps, paths) => {
        rmSync(root, { recursive: true });
        rmSync(join(outside, "ws-evil"), { recursive: true, force: true });
        mkdirSync(root);
        mkdirSync(join(outside, "ws-evil"));
        for (const one of steps) grow(root, one, one.target.replace("OUTSIDE", outside));
        for (const wanted of paths.map((path) => path.replace("OUTSIDE", outside))) {
          const real = await workspace.resolve(wanted).catch((error: unknown) => {
            if (!(error instanceof ToolFailure)) throw error;
          });
          if (real === undefined) {
            refused++;
            continue;
          }
          if (real === root || real.startsWith(`${root}/`)) inside++;
          else outer++;
          // No part of it is a link, not even one that leads to nothing yet.
          for (let at = real; at !== "/"; at = dirname(at)) expect(isLink(at)).toBe(false);
          // So a real path resolves to itself, and with keepLink its parent folder is real.
          expect(await workspace.resolve(real)).toBe(real);
          const kept = await workspace.resolve(wanted, { keepLink: true });
          for (let at = dirname(kept); at !== "/"; at = dirname(at)) expect(isLink(at)).toBe(false);
          expect(await workspace.resolve(kept)).toBe(real);
          // The kernel agrees on everything that it can find.
          const full = wanted.startsWith("/") ? wanted : `${root}/${wanted}`;
          if (existsSync(full)) expect(real).toBe(realpathSync.native(full));
        }
      },
    ),
    { numRuns: RUNS },
  );
  // All answers must have been tried.
  expect(Math.min(inside, outer)).toBeGreaterThan(RUNS / 2);
  expect(refused).toBeGreaterThan(0);
});

/** Makes what can be made, going through no link: it must not reach out of the test's own folder. */
function grow(root: string, { at, make }: { at: string; make: string }, to: string): void {
  const parts = at.split("/").filter((part) => !["", ".", ".."].includes(part));
  const last = parts.pop() ?? "a";
  let folder = root;
  for (const part of parts) {
    folder = join(folder, part);
    if (!existsSync(folder) && !isLink(folder)) mkdirSync(folder);
    if (!lstatSync(folder).isDirectory()) return;
  }
  const place = join(folder, last);
  if (existsSync(place) || isLink(place)) return;
  if (make === "link") symlinkSync(to === "" ? "." : to, place);
  else if (make === "folder") mkdirSync(place);
  else writeFileSync(place, "", { flag: "wx" });
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}
