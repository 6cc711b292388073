import { existsSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ToolFailure } from "./tool.js";
import { aWorkspace } from "./tools.samples.js";

const name = fc.constantFrom("a", "b", "c", "ws", "ws-evil", "é", "..a", "a.txt");
const part = fc.oneof({ weight: 4, arbitrary: name }, fc.constantFrom("..", ".", "", "../..", "//"));
const path = fc.array(part, { maxLength: 7 }).map((parts) => parts.join("/"));
// What stands for the folder that holds the workspace, which is only known in the test.
const target = fc.oneof(path, path.map((rest) => `OUTSIDE/ws/${rest}`), path.map((rest) => `OUTSIDE/${rest}`), fc.constant("/"));
const step = fc.record({ at: path, make: fc.constantFrom("file", "folder", "link", "link", "link"), target });
const asked = fc.oneof({ weight: 5, arbitrary: target }, fc.string(), fc.string({ unit: "binary" }));

test("whatever the path and whatever the links, what is resolved is real and lies inside", async () => {
  const { outside, root, workspace } = await aWorkspace();
  let [inside, refused] = [0, 0];
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.array(asked, { minLength: 1, maxLength: 12 }), async (steps, paths) => {
      rmSync(root, { recursive: true });
      rmSync(join(outside, "ws-evil"), { recursive: true, force: true });
      mkdirSync(root);
      mkdirSync(join(outside, "ws-evil"));
      for (const { at, make, target: to } of steps) grow(join(root, "x", at), make, to.replace("OUTSIDE", outside));
      for (const wanted of paths) {
        const real = await workspace.resolve(wanted.replace("OUTSIDE", outside)).catch((error: unknown) => {
          if (!(error instanceof ToolFailure)) throw error;
        });
        if (real === undefined) refused++;
        else inside++;
        if (real === undefined) continue;
        expect(real === root || real.startsWith(`${root}/`)).toBe(true);
        // What exists of it has no link in it, and what does not could not be a dangling one.
        const there = nearestThatExists(real);
        expect(realpathSync(there)).toBe(there);
        // The kernel agrees on everything that it can find.
        const plain = wanted.replace("OUTSIDE", outside);
        const full = plain.startsWith("/") ? plain : `${root}/${plain}`;
        if (existsSync(full)) expect(real).toBe(realpathSync.native(full));
        // A file made there is inside.
        if (!existsSync(real) && made(real)) expect(realpathSync(real)).toBe(real);
      }
    }),
    { numRuns: 300 },
  );
  // Both answers must have been tried.
  expect(Math.min(inside, refused)).toBeGreaterThan(100);
});

/** Makes what can be made; where a step has no place, the tree stays as it is. It never grows outside of the workspace. */
function grow(at: string, make: string, to: string): void {
  try {
    mkdirSync(dirname(at), { recursive: true });
    if (!realpathSync(dirname(at)).includes("/ws/") && !realpathSync(dirname(at)).endsWith("/ws")) return;
    if (make === "link") symlinkSync(to, at);
    else if (make === "folder") mkdirSync(at);
    else writeFileSync(at, "", { flag: "wx" });
  } catch {
    // Something is in the way.
  }
}

function made(path: string): boolean {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "", { flag: "wx" });
    return true;
  } catch {
    return false;
  }
}

function nearestThatExists(path: string): string {
  return existsSync(path) ? path : nearestThatExists(dirname(path));
}
