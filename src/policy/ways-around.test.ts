/** Ways around rules that were found by trying, each closed by its principle. */
import { describe, expect, test } from "vitest";
import { decide } from "./decide.js";
import type { Policy } from "./decide.js";
import { FORCED_GIT_SETTINGS } from "./git-settings.js";
import type { Intent, PathAccess } from "./intent.js";
import { inMode } from "./modes.js";
import type { Rule } from "./rule.js";

const places = { roots: ["/ws"], home: "/home/ann" };

const base: Intent = {
  tool: "terminal",
  kind: "execute",
  input: {},
  cwd: "/ws",
  executor: { language: "bash", forced: FORCED_GIT_SETTINGS },
  paths: [],
  hosts: [],
  baseHashes: {},
};

const command = (text: string): Intent => ({ ...base, command: text });
const effect = (intent: Intent, policy: Partial<Policy>) =>
  decide(intent, { ...places, rules: [], ...policy }).effect;
const allow = (pattern: string): Rule => ({ allow: "execute", command: pattern });
const write = (path: string): Intent => ({
  ...base,
  tool: "write_file",
  kind: "edit",
  paths: [{ path, access: "write" } satisfies PathAccess],
});

describe("a part that may make links leads no later part elsewhere unasked", () => {
  test.each([
    ["git checkout br && cat l/secret", ["git *"]],
    ["git switch br && cp f l/new", ["git *", "cp *"]],
    ["git apply l.diff; cat l/secret", ["git *"]],
    ["tar xf a.tar && cat l/secret", ["tar *"]],
    ["ln -s .git gg && cp evil.md gg/hooks/pre-commit", ["ln *", "cp *"]],
    ["cp -a evil gg && cp evil.md gg/x", ["cp *"]],
    ["mv l m && cat m/secret", ["mv *"]],
  ] as const)("asks when %s", (text, patterns) => {
    expect(effect(command(text), { rules: [{ allow: "read" }, ...patterns.map(allow)] })).toBe("ask");
  });

  test.each([
    ["mkdir -p out && cp a.txt out/a.txt", ["mkdir *", "cp *"]],
    ["npm test && cat out.txt", ["npm *"]],
    ["git checkout br && ls", ["git *"]],
  ] as const)("asks nothing more when %s", (text, patterns) => {
    expect(effect(command(text), { rules: [{ allow: "read" }, ...patterns.map(allow)] })).toBe("allow");
  });
});

describe("Toolgate's own files", () => {
  const own = { own: ["/ws/.config/toolgate"], default: "allow" } as const;

  test.each([
    "tar xf a.tar",
    "unzip -o a.zip -d .config",
    "patch -p1 -i p",
    "git apply p",
    "perl -pi -e s/a/b/ .config/toolgate/rules.json",
    "frob .config/toolgate/rules.json",
  ])("are changed by no command, also where all is allowed: %s", (text) => {
    expect(effect(command(text), own)).toBe("deny");
  });

  test("make no command that stays elsewhere a question", () => {
    expect(effect(command("tar xf a.tar -C out"), own)).toBe("allow");
    expect(effect(command("npm test"), own)).toBe("allow");
  });
});

test("asks about writing a protected file when a rule only lets it be read", () => {
  const rules = inMode("accept-edits", [{ allow: "read", path: "/ws/AGENTS.md" }]);
  expect(effect(write("/ws/AGENTS.md"), rules)).toBe("ask");
  const edits = inMode("accept-edits", [{ allow: "edit", path: "/ws/AGENTS.md" }]);
  expect(effect(write("/ws/AGENTS.md"), edits)).toBe("allow");
});

describe("a denied command is not hidden in another where all is allowed", () => {
  test.each([
    `awk 'BEGIN{system("rm v1")}'`,
    "sed '1e rm v2' q",
    "ssh-agent rm v3",
    "logsave l rm v4",
    "sort --compress-program=rm a",
    "frob rm x",
  ])("asks: %s", (text) => {
    expect(
      effect(command(text), { rules: [{ deny: "execute", command: "rm *" }], default: "allow" }),
    ).not.toBe("allow");
  });

  test("asks nothing about commands that are known through and through", () => {
    const denied = { rules: [{ deny: "execute", command: "rm *" }], default: "allow" } as const;
    for (const text of ["ls src", "git commit -m x", "npm test", "cp a b"])
      expect(effect(command(text), denied)).toBe("allow");
  });
});

test.each(["yarn", "pacman -S evil", "npm ci", "pip install x"])(
  "asks about an install when the rule only names the program: %s",
  (text) => {
    expect(effect(command(text), { rules: [allow(`${text.split(" ")[0]} *`)] })).toBe("ask");
  },
);

test.each([
  "find -- s -name v2 -delete",
  "find -- s -maxdepth 0 -fprintf AGENTS.md x",
  "find -P -- s -delete",
])("reads no flag as a word behind a -- that ends nothing: %s", (text) => {
  expect(effect(command(text), inMode("read-only", []))).toBe("deny");
});

test("asks where an answer may lead on to a denied host", () => {
  const rules = [allow("curl *"), allow("wget *"), { deny: "fetch", host: "evil.example" } as const];
  expect(effect(command("curl -sL https://good.example/x"), { rules })).toBe("ask");
  expect(effect(command("wget https://good.example/x"), { rules })).toBe("ask");
  expect(effect(command("curl -s https://good.example/x"), { rules })).toBe("allow");
});

test.each(["printf ':!touch x' | vim", "vim < keys.txt", "nano <<< x"])(
  "asks about keys that an editor is fed: %s",
  (text) => {
    expect(
      effect(command(text), {
        rules: [{ allow: "read" }, allow("vim *"), allow("nano *"), allow("printf *")],
      }),
    ).toBe("ask");
  },
);
