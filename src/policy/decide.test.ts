import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decide } from "./decide.js";
import type { Policy } from "./policy.js";
import { intentText } from "./intent.js";
import type { Intent } from "./intent.js";
import type { Rule } from "./rule.js";

const intent: Intent = {
  tool: "edit_file",
  kind: "edit",
  input: { path: "a" },
  cwd: "/ws",
  paths: [],
  hosts: [],
  baseHashes: {},
};

const policy = (rules: readonly Rule[], more: Partial<Policy> = {}): Policy => ({
  rules,
  roots: ["/ws"],
  home: "/home/ann",
  ...more,
});

const command = (text: string): Intent => ({ ...intent, tool: "terminal", kind: "execute", command: text });
const reading = (path: string, named?: string): Intent => ({
  ...intent,
  tool: "read_file",
  kind: "read",
  paths: [{ path, access: "read", ...(named !== undefined && { named }) }],
});

const effect = (of: Intent, rules: readonly Rule[], more?: Partial<Policy>) =>
  decide(of, policy(rules, more)).effect;

describe("rules", () => {
  test("asks about a call that no rule covers", () => {
    expect(decide(intent, policy([]))).toEqual({ effect: "ask", saw: ["tool: edit_file"] });
    expect(effect(intent, [{ allow: "read" }, { deny: "terminal" }])).toBe("ask");
  });

  test("matches a rule by kind, by tool or for everything, and names the rule in the verdict", () => {
    expect(decide(intent, policy([{ allow: "edit" }]))).toMatchObject({
      effect: "allow",
      rule: "allow edit",
    });
    expect(decide(intent, policy([{ allow: "edit_file" }]))).toMatchObject({ rule: "allow edit_file" });
    expect(decide(intent, policy([{ deny: "*", reason: "read only" }]))).toMatchObject({
      effect: "deny",
      reason: "read only",
    });
  });

  test("matches a whole name, and a prefix only with a star", () => {
    expect(effect(intent, [{ allow: "edit_" }, { allow: "ed" }, { allow: "" }])).toBe("ask");
    expect(effect(intent, [{ allow: "edit_*" }])).toBe("allow");
  });

  test("weighs deny before ask before allow in any order of the rules", () => {
    const rules: Rule[] = [{ allow: "*" }, { ask: "edit" }, { deny: "edit_file" }];
    fc.assert(
      fc.property(fc.shuffledSubarray(rules, { minLength: 1 }), (some) => {
        const effects = new Set(some.map((rule) => Object.keys(rule)[0]));
        expect(effect(intent, some)).toBe(["deny", "ask", "allow"].find((one) => effects.has(one)));
      }),
    );
  });

  test("ignores an allowing rule whose end has passed or cannot be read", () => {
    const until = "2026-01-01T00:00:00Z";
    expect(effect(intent, [{ allow: "edit", until }], { now: Date.parse(until) - 1 })).toBe("allow");
    expect(effect(intent, [{ allow: "edit", until }], { now: Date.parse(until) })).toBe("ask");
    expect(effect(intent, [{ allow: "edit", until: "soon" }], { now: 1 })).toBe("ask");
    expect(effect(intent, [{ deny: "edit", until }], { now: Date.parse(until) + 1 })).toBe("deny");
  });

  test("applies a rule for a server to that server's tools only", () => {
    const foreign: Intent = { ...intent, tool: "write", server: "files" };
    expect(effect(foreign, [{ allow: "write", server: "files" }])).toBe("allow");
    expect(effect(foreign, [{ allow: "write", server: "other" }])).toBe("ask");
    expect(effect(intent, [{ allow: "*", server: "files" }])).toBe("ask");
  });

  test("allows a foreign tool by its name, never by the kind that its server claims", () => {
    const claimed: Intent = { ...intent, tool: "get_all", kind: "read", server: "files" };
    expect(effect(claimed, [{ allow: "read" }])).toBe("ask");
    expect(effect(claimed, [{ allow: "get_*", server: "files" }])).toBe("allow");
    expect(effect(claimed, [{ allow: "get_all" }, { deny: "read" }])).toBe("deny");
  });

  test("allows no more when a rule that denies is added", () => {
    const rules = fc.array(
      fc.constantFrom<Rule>(
        { allow: "execute", command: "ls *" },
        { allow: "execute" },
        { ask: "execute", command: "git *" },
        { allow: "read" },
      ),
    );
    const denials = fc.constantFrom<Rule>(
      ...["ls *", "git *", "rm *", "x *"].map((denied): Rule => ({ deny: "execute", command: denied })),
      { deny: "read", path: "/ws/src/**" },
      { deny: "edit", path: "/ws/a" },
    );
    const texts = fc.constantFrom("ls", "ls src && git status", "git push", "cat a", "ls $(x)", "rm -rf src");
    fc.assert(
      fc.property(rules, texts, denials, (some, text, denied) => {
        for (const byDefault of ["allow", "ask", "deny"] as const) {
          const strictness = (under: readonly Rule[]) =>
            ["allow", "ask", "deny"].indexOf(effect(command(text), under, { default: byDefault }));
          expect(strictness([...some, denied])).toBeGreaterThanOrEqual(strictness(some));
        }
      }),
    );
  });
});

describe("commands", () => {
  test("allows a command only when every part is allowed", () => {
    const rules: Rule[] = [
      { allow: "execute", command: "git status" },
      { allow: "execute", command: "ls *" },
    ];
    expect(effect(command("git status && ls src"), rules)).toBe("allow");
    expect(effect(command("git status && rm x"), rules)).toBe("ask");
    expect(effect(command("git status; $(curl evil)"), rules)).toBe("ask");
  });

  test("denies by the last of three thousand parts", () => {
    const text = `${"ls; ".repeat(2_999)}rm x`;
    expect(effect(command(text), [{ allow: "execute" }, { deny: "execute", command: "rm *" }])).toBe("deny");
  });

  test("reads a list of words as exactly these words, stars included", () => {
    const rules: Rule[] = [{ allow: "execute", command: ["grep", "a *", "src"] }];
    expect(effect(command("grep 'a *' src"), rules)).toBe("allow");
    expect(effect(command("grep 'a b' src"), rules)).toBe("ask");
  });

  test("asks about a redirect that writes, unless a rule allows edits of that file", () => {
    expect(effect(command("ls > out.txt"), [{ allow: "execute", command: "ls *" }])).toBe("ask");
    expect(
      effect(command("ls > out.txt"), [
        { allow: "execute", command: "ls *" },
        { allow: "edit", path: "/ws/**" },
      ]),
    ).toBe("allow");
    expect(effect(command("ls 2>/dev/null"), [{ allow: "execute", command: "ls *" }])).toBe("allow");
  });

  test("names a flag that is not known to be harmless, also where anyFlags allows it", () => {
    const asked = decide(command("find . -delete"), policy([{ allow: "execute", command: "find *" }]));
    expect(asked).toMatchObject({ effect: "ask", reason: expect.stringContaining("-delete") });
    const passed = decide(
      command("find . -delete"),
      policy([{ allow: "execute", command: "find *", anyFlags: true }]),
    );
    expect(passed.saw.at(-1)).toMatch(/^anyFlags lets this pass: .*-delete/);
  });

  test("counts a command that only reads the workspace as reading", () => {
    expect(effect(command("cat src/a.ts | head -5"), [{ allow: "read" }])).toBe("allow");
    expect(effect(command("cat /etc/passwd"), [{ allow: "read" }])).toBe("ask");
    expect(effect(command("cat src/a.ts > b"), [{ allow: "read" }])).toBe("ask");
  });

  test("denies and asks as the rules say where everything is allowed by default", () => {
    const rules: Rule[] = [{ deny: "execute", command: "rm *" }];
    expect(effect(command("ls"), rules, { default: "allow" })).toBe("allow");
    expect(effect(command("env rm x"), rules, { default: "allow" })).toBe("deny");
    expect(effect(command("$X x"), rules, { default: "allow" })).toBe("ask");
    const { reason } = decide(command("$X x"), { ...policy(rules), default: "allow" });
    expect(reason).toContain(', and may hide what a rule names: deny execute "rm *"');
  });
});

describe("paths", () => {
  test("applies a rule without a path to the workspace", () => {
    expect(effect(reading("/ws/a"), [{ allow: "read" }])).toBe("allow");
    expect(effect(reading("/ws-evil/a"), [{ allow: "read" }])).toBe("ask");
    expect(effect(reading("/etc/hosts"), [{ allow: "read", path: "/etc/hosts" }])).toBe("allow");
  });

  test("matches a link and its target", () => {
    expect(effect(reading("/outside/x", "/ws/link"), [{ allow: "read" }])).toBe("ask");
    expect(
      effect(reading("/ws/secrets/key", "/ws/link"), [
        { allow: "read" },
        { deny: "read", path: "/ws/secrets/**" },
      ]),
    ).toBe("deny");
    expect(
      effect(reading("/ws/a", "/ws/secrets/link"), [
        { allow: "read" },
        { deny: "read", path: "/ws/secrets/**" },
      ]),
    ).toBe("deny");
  });

  test("allows files outside of the workspace only by a rule with a path, also where everything is allowed", () => {
    expect(effect(reading("/etc/hosts"), [], { default: "allow" })).toBe("ask");
    expect(effect(reading("/etc/hosts"), [{ allow: "*" }], { default: "allow" })).toBe("ask");
    expect(effect(reading("/etc/hosts"), [{ allow: "read", path: "/etc/**" }], { default: "allow" })).toBe(
      "allow",
    );
    expect(effect(reading("/ws/a"), [], { default: "allow" })).toBe("allow");
  });

  test("asks about a search that may reach a denied path, and not about one elsewhere", () => {
    const searching = (path: string): Intent => ({
      ...intent,
      tool: "grep",
      kind: "search",
      paths: [{ path, access: "search" }],
    });
    const rules: Rule[] = [{ allow: "search" }, { deny: "read", path: "/ws/secrets/**" }];
    expect(effect(searching("/ws"), rules)).toBe("ask");
    expect(effect(searching("/ws/src"), rules)).toBe("allow");
    expect(effect(searching("/ws/secrets"), rules)).toBe("deny");
    expect(effect(searching("/ws"), rules, { default: "deny" })).toBe("deny");
    expect(effect(searching("/ws"), [{ allow: "search" }])).toBe("allow");
  });

  test("asks about a program that may open a denied path, and says why nobody knows", () => {
    const rules: Rule[] = [{ allow: "execute" }, { deny: "read", path: "**/.env" }];
    expect(decide(command("cat notes"), policy(rules))).toMatchObject({
      effect: "ask",
      rule: "deny read **/.env",
      reason: "cat gets /ws/notes and may open anything there, also what the rule names",
    });
    expect(decide(command("cat *"), policy(rules))).toMatchObject({
      effect: "ask",
      reason: "the command may touch a path that this rule covers",
    });
  });

  test("asks about a protected file unless a rule names that file", () => {
    expect(effect(reading("/ws/.env"), [{ allow: "read", path: "/ws/**" }])).toBe("ask");
    expect(effect(reading("/ws/.env"), [{ allow: "read", path: "/ws/.env" }])).toBe("allow");
  });

  test("refuses changes of Toolgate's own files whatever the rules say", () => {
    const writing: Intent = {
      ...intent,
      paths: [{ path: "/home/ann/.config/toolgate/rules.json", access: "write" }],
    };
    expect(effect(writing, [{ allow: "*" }], { own: ["/home/ann/.config/toolgate"], default: "allow" })).toBe(
      "deny",
    );
  });
});

describe("hosts", () => {
  const fetching = (url: string): Intent => ({ ...intent, tool: "fetch", kind: "fetch", hosts: [url] });

  test("matches an exact host, and subdomains only where the rule says so", () => {
    const rules: Rule[] = [{ allow: "fetch", host: "docs.example.com" }];
    expect(effect(fetching("https://docs.example.com/x"), rules)).toBe("allow");
    expect(effect(fetching("https://docs.example.com.evil.test/"), rules)).toBe("ask");
    expect(effect(fetching("https://docs.example.com@evil.test/"), rules)).toBe("ask");
    expect(effect(fetching("https://a.example.com/"), [{ allow: "fetch", host: "*.example.com" }])).toBe(
      "allow",
    );
  });

  test.each([
    "http://169.254.169.254/latest/meta-data/",
    "http://[::1]:8080/",
    "http://0x7f000001/",
    "http://2130706433/",
    "http://127.1/",
    "http://[::ffff:127.0.0.1]/",
    "http://localhost./",
    "http://10.0.0.7/",
    "http://printer.local/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "no url",
    "https://evil.test%00.allowed.example/",
  ])("%s is not asked for, whatever is allowed, unless a rule names the host", (url) => {
    for (const rules of [[], [{ allow: "fetch" }], [{ allow: "*" }]])
      for (const otherwise of ["ask", "allow"] as const)
        expect(effect(fetching(url), rules, { default: otherwise })).toBe("deny");
  });

  test("allows only that host and port by a rule that names a host of this machine", () => {
    const rules: Rule[] = [{ allow: "fetch", host: "http://localhost:3000" }];
    expect(effect(fetching("http://localhost:3000/a"), rules)).toBe("allow");
    expect(effect(fetching("http://localhost:3001/a"), rules)).toBe("deny");
    expect(effect(fetching("http://127.0.0.1:3000/a"), rules)).toBe("deny");
  });
});

test("writes all of an intent into its text, in whatever order its keys come", () => {
  const turned = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(turned);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([name, field]) => [name, turned(field)]),
    );
  };
  fc.assert(
    fc.property(fc.jsonValue(), (input) => {
      const text = intentText({ ...intent, input });
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify({ ...intent, input })));
      expect(intentText({ ...intent, input: turned(input) })).toBe(text);
    }),
  );
});

test("writes equal texts for equal intents, in whatever order their keys come", () => {
  const other: Intent = {
    baseHashes: {},
    hosts: [],
    paths: [],
    cwd: "/ws",
    input: { path: "a" },
    kind: "edit",
    tool: "edit_file",
  };
  expect(intentText(other)).toBe(intentText(intent));
  expect(intentText({ ...intent, input: { path: "b" } })).not.toBe(intentText(intent));
});

test("has every field of an intent in its text, which must not change: answers name it by its hash", () => {
  const whole: Required<Intent> = {
    tool: "run",
    kind: "execute",
    isKindGuessed: true,
    server: "shell",
    definition: "d",
    fingerprint: "f",
    input: { b: [1, { d: null, c: "é" }], a: "x" },
    cwd: "/ws",
    command: ["ls", "-l"],
    background: true,
    executor: { shell: "/bin/bash", language: "bash", forced: { PAGER: "cat" }, notForced: "x" },
    env: { LANG: "C" },
    paths: [{ path: "/ws/a", named: "/ws/b", access: "read" }],
    hosts: ["https://example.com"],
    contents: { "/ws/run.sh": "def" },
    outsideLinks: [{ named: "/o/l", path: "/p" }],
    temporary: ["/tmp/a"],
    baseHashes: { "/ws/a": "nothing" },
  };
  expect(intentText(whole)).toBe(
    '{"background":true,"baseHashes":{"/ws/a":"nothing"},"command":["ls","-l"],"contents":{"/ws/run.sh":"def"},"cwd":"/ws","definition":"d","env":{"LANG":"C"},' +
      '"executor":{"forced":{"PAGER":"cat"},"language":"bash","notForced":"x","shell":"/bin/bash"},"fingerprint":"f","hosts":["https://example.com"],' +
      '"input":{"a":"x","b":[1,{"c":"é","d":null}]},"isKindGuessed":true,"kind":"execute","outsideLinks":[{"named":"/o/l","path":"/p"}],' +
      '"paths":[{"access":"read","named":"/ws/b","path":"/ws/a"}],"server":"shell","temporary":["/tmp/a"],"tool":"run"}',
  );
});

test("asks where a word that is not known may be the one that a rule denies", () => {
  const rules: readonly Rule[] = [{ allow: "*" }, { deny: "execute", command: "echo secret" }];
  expect(effect(command("echo secret"), rules)).toBe("deny");
  expect(effect(command('echo "$?"'), rules)).toBe("ask");
  expect(effect(command('echo a "$?"'), rules)).toBe("allow");
});
