import { expect, test } from "vitest";
import { withPathLock } from "./with-path-lock.js";

/** Starts changes of these paths at once, lets each end only when the test says so, and writes down what starts. */
function changes() {
  const started: string[] = [];
  const start = (name: string, ...paths: readonly string[]) => {
    const { promise, resolve, reject } = gate();
    const result = withPathLock(paths, async () => {
      started.push(name);
      return promise;
    });
    return { result, end: () => resolve(name), fail: () => reject(new Error(name)) };
  };
  return { started, start };
}

function gate() {
  let resolve: (value: string) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<string>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("changes of one file come one after another, in the order in which they were asked for", async () => {
  const { started, start } = changes();
  const [one, two, three] = ["one", "two", "three"].map((name) => start(name, "/ws/a"));
  await settled();
  expect(started).toEqual(["one"]);
  one?.end();
  expect(await one?.result).toBe("one");
  await settled();
  expect(started).toEqual(["one", "two"]);
  two?.end();
  three?.end();
  expect(await three?.result).toBe("three");
});

test("runs the next change after one that failed, which fails only for its caller", async () => {
  const { started, start } = changes();
  const one = start("one", "/ws/a");
  const two = start("two", "/ws/a");
  one.fail();
  await expect(one.result).rejects.toThrow("one");
  two.end();
  expect(await two.result).toBe("two");
  expect(started).toEqual(["one", "two"]);
});

test("changes of different files do not wait", async () => {
  const { started, start } = changes();
  const all = [start("a", "/ws/a"), start("ab", "/ws/ab"), start("b", "/ws/b")];
  await settled();
  expect(started).toEqual(["a", "ab", "b"]);
  for (const { end } of all) end();
  await Promise.all(all.map(({ result }) => result));
});

test("serialises a change of a folder and the changes in it", async () => {
  const { started, start } = changes();
  const inside = start("inside", "/ws/src/a");
  const folder = start("folder", "/ws/old", "/ws/src");
  const later = start("later", "/ws/src/b");
  const moved = start("moved", "/ws/old");
  await settled();
  expect(started).toEqual(["inside"]);
  inside.end();
  await settled();
  expect(started).toEqual(["inside", "folder"]);
  folder.end();
  await settled();
  expect(started).toEqual(["inside", "folder", "later", "moved"]);
  later.end();
  moved.end();
  await Promise.all([later.result, moved.result]);
});
