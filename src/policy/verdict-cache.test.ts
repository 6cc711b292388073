import { expect, test } from "vitest";
import { decide } from "./decide.js";
import type { Intent } from "./intent.js";
import type { Rule } from "./rule.js";
import { VerdictCache } from "./verdict-cache.js";

const places = { roots: ["/work"], home: "/home/me" };
const intent = (more: Partial<Intent> = {}): Intent => ({
  tool: "deploy",
  kind: "other",
  input: {},
  cwd: "/work",
  paths: [],
  hosts: [],
  baseHashes: {},
  ...more,
});

test("returns the verdict of decide for every intent, and the same one for another input", () => {
  const cache = new VerdictCache();
  const policy = {
    ...places,
    rules: [{ allow: "deploy" }, { deny: "read", path: "/work/secret" }] as Rule[],
  };
  const first = cache.decide(intent({ input: { index: 1 } }), policy);
  expect(cache.decide(intent({ input: { index: 2 } }), policy)).toBe(first);
  const others = [
    intent(),
    intent({ tool: "read_file", kind: "read", paths: [{ path: "/work/secret", access: "read" }] }),
    intent({ tool: "read_file", kind: "read", paths: [{ path: "/work/open", access: "read" }] }),
    intent({ tool: "terminal", kind: "execute", command: "rm -rf build" }),
    intent({ cwd: "/elsewhere" }),
    intent({ server: "theirs" }),
  ];
  for (const one of [...others, ...others])
    expect(cache.decide(one, policy)).toEqual(decide({ ...one, input: undefined }, policy));
});

test("follows a rule that is added to the list, taken away or replaced", () => {
  const cache = new VerdictCache();
  const rules: Rule[] = [{ allow: "deploy" }];
  const effect = () => cache.decide(intent(), { ...places, rules }).effect;
  expect(effect()).toBe("allow");
  expect(cache.decide(intent(), { ...places, rules }, [{ deny: "deploy" }]).effect).toBe("deny");
  expect(effect()).toBe("allow");
  rules.push({ deny: "deploy" });
  expect(effect()).toBe("deny");
  rules.pop();
  expect(effect()).toBe("allow");
  rules[0] = { ask: "deploy" };
  expect(effect()).toBe("ask");
  rules.pop();
  expect(cache.decide(intent(), { ...places, rules, default: "deny" }).effect).toBe("deny");
  expect(effect()).toBe("ask");
});

test("forgets its verdicts when the time of a rule is up, and when the clock is set back", () => {
  const cache = new VerdictCache();
  const rules: Rule[] = [{ allow: "deploy", until: "2030-01-01T00:00:00.000Z" }];
  const end = Date.parse("2030-01-01T00:00:00.000Z");
  const effect = (now: number) => cache.decide(intent(), { ...places, rules, now }).effect;
  expect([end - 2, end - 1, end, end + 1, end - 1].map(effect)).toEqual([
    "allow",
    "allow",
    "ask",
    "ask",
    "allow",
  ]);
});

test("looks again at who listens on a port that a command requests something of", () => {
  const cache = new VerdictCache();
  let outside = [8080];
  const staying = { isRunning: true, isOutside: (port: number) => outside.includes(port) };
  const contained = (command: string) =>
    cache.decide(intent({ tool: "terminal", kind: "execute", command }), {
      ...places,
      rules: [],
      canContain: true,
      staying,
    }).contained;
  expect(contained("curl http://localhost:8080/")).toBeUndefined();
  outside = [];
  expect(contained("curl http://localhost:8080/")).toBeDefined();
  outside = [8080];
  expect(contained("curl http://localhost:8080/")).toBeUndefined();
});

test("looks at no port for a command that requests nothing of this computer", () => {
  const isOutside = (): boolean => {
    throw new Error("The tables of the kernel were read.");
  };
  const policy = { ...places, rules: [], canContain: true, staying: { isRunning: true, isOutside } };
  for (const command of ["npm test", "git push origin main", "curl https://example.com/", "node server.js &"])
    expect(decide(intent({ tool: "terminal", kind: "execute", command }), policy).effect).toBe("ask");
});
