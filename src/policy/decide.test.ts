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

  test("a name is not a prefix, unless a star says so", () => {
    expect(effect(intent, [{ allow: "edit_" }, { allow: "ed" }, { allow: "" }])).toBe("ask");
    expect(effect(intent, [{ allow: "edit_*" }])).toBe("allow");
  });

  test("deny beats ask beats allow, in whatever order the rules stand", () => {
    const rules: Rule[] = [{ allow: "*" }, { ask: "edit" }, { deny: "edit_file" }];
    fc.assert(
      fc.property(fc.shuffledSubarray(rules, { minLength: 1 }), (some) => {
        const effects = new Set(some.map((rule) => Object.keys(rule)[0]));
        expect(effect(intent, some)).toBe(["deny", "ask", "allow"].find((one) => effects.has(one)));
      }),
    );
  });

  test("an allowing rule whose time is up allows nothing, and one whose time cannot be read never did", () => {
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

  test("a foreign tool is opened by its name, never by the kind that its server claims", () => {
    const claimed: Intent = { ...intent, tool: "get_all", kind: "read", server: "files" };
    expect(effect(claimed, [{ allow: "read" }])).toBe("ask");
    expect(effect(claimed, [{ allow: "get_*", server: "files" }])).toBe("allow");
    expect(effect(claimed, [{ allow: "get_all" }, { deny: "read" }])).toBe("deny");
  });

  test("adding a rule that denies never allows more", () => {
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
  test("every part of a command must be allowed", () => {
    const rules: Rule[] = [
      { allow: "execute", command: "git status" },
      { allow: "execute", command: "ls *" },
    ];
    expect(effect(command("git status && ls src"), rules)).toBe("allow");
    expect(effect(command("git status && rm x"), rules)).toBe("ask");
    expect(effect(command("git status; $(curl evil)"), rules)).toBe("ask");
  });

  test("a deny on the last of three thousand parts still denies", () => {
    const text = `${"ls; ".repeat(2_999)}rm x`;
    expect(effect(command(text), [{ allow: "execute" }, { deny: "execute", command: "rm *" }])).toBe("deny");
  });

  test("a list of words is exactly these words, stars and all", () => {
    const rules: Rule[] = [{ allow: "execute", command: ["grep", "a *", "src"] }];
    expect(effect(command("grep 'a *' src"), rules)).toBe("allow");
    expect(effect(command("grep 'a b' src"), rules)).toBe("ask");
  });

  test("a redirect that writes is asked, unless a rule allows that file to be written", () => {
    expect(effect(command("ls > out.txt"), [{ allow: "execute", command: "ls *" }])).toBe("ask");
    expect(
      effect(command("ls > out.txt"), [
        { allow: "execute", command: "ls *" },
        { allow: "edit", path: "/ws/**" },
      ]),
    ).toBe("allow");
    expect(effect(command("ls 2>/dev/null"), [{ allow: "execute", command: "ls *" }])).toBe("allow");
  });

  test("a flag that is not known to be harmless is named, also where anyFlags lets it pass", () => {
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

  test("where all is allowed by default, a deny still denies and a command that may hide it is asked", () => {
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

  test("a link and its target both count", () => {
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

  test("outside of the workspace only a rule with a path opens a file, also where everything is allowed", () => {
    expect(effect(reading("/etc/hosts"), [], { default: "allow" })).toBe("ask");
    expect(effect(reading("/etc/hosts"), [{ allow: "*" }], { default: "allow" })).toBe("ask");
    expect(effect(reading("/etc/hosts"), [{ allow: "read", path: "/etc/**" }], { default: "allow" })).toBe(
      "allow",
    );
    expect(effect(reading("/ws/a"), [], { default: "allow" })).toBe("allow");
  });

  test("a search that may come upon what a rule forbids is asked, and one elsewhere is not", () => {
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

  test("a program that may open what a rule forbids is asked about, and the reason says why nobody knows", () => {
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

  test("a protected file is asked about, unless a rule names that very file", () => {
    expect(effect(reading("/ws/.env"), [{ allow: "read", path: "/ws/**" }])).toBe("ask");
    expect(effect(reading("/ws/.env"), [{ allow: "read", path: "/ws/.env" }])).toBe("allow");
  });

  test("Toolgate's own files are changed by nobody, whatever the rules say", () => {
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

  test("a host is exact, or a subdomain where the rule says so", () => {
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

  test("a rule that names a host of this machine opens that host and port, and nothing else", () => {
    const rules: Rule[] = [{ allow: "fetch", host: "http://localhost:3000" }];
    expect(effect(fetching("http://localhost:3000/a"), rules)).toBe("allow");
    expect(effect(fetching("http://localhost:3001/a"), rules)).toBe("deny");
    expect(effect(fetching("http://127.0.0.1:3000/a"), rules)).toBe("deny");
  });
});

test("an intent's text says all of it, and the same whatever the order of its keys", () => {
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

test("equal intents have the same text, however their keys are ordered", () => {
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

test("every field of an intent is in its text, which must stay as it is: answers name it by its hash", () => {
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
