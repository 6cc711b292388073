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

describe("a tool of a server is opened by its name and its server together", () => {
  const ofServer = (tool: string): Intent => ({
    ...base,
    tool,
    kind: "read",
    server: "docs",
    isKindGuessed: true,
  });

  test.each(["read", "search", "think", "edit", "todo_write", "read_file", "terminal", "task"])(
    "asks about a server's tool that is called %s, whatever rule has that name",
    (name) => {
      const rules: readonly Rule[] = [{ allow: name }, { allow: "read" }, { allow: "todo_*" }];
      expect(effect(ofServer(name), { rules })).toBe("ask");
      for (const mode of ["ask", "accept-edits"] as const)
        expect(effect(ofServer(name), inMode(mode, rules))).toBe("ask");
      expect(effect(ofServer(name), inMode("read-only", rules))).toBe("deny");
    },
  );

  test.each([{ allow: "read", server: "docs" }, { allow: "*", server: "d*" }, { allow: "*" }])(
    "allows it when the rule means it: %j",
    (rule) => {
      expect(effect(ofServer("read"), { rules: [rule] })).toBe("allow");
    },
  );

  test("asks about another agent's tool that is called like a kind", () => {
    const foreign: Intent = { ...base, tool: "read", kind: "read", isKindGuessed: true };
    expect(effect(foreign, { rules: [{ allow: "read" }] })).toBe("ask");
  });

  test("still denies it by a rule without a server", () => {
    expect(effect(ofServer("wipe"), { rules: [{ allow: "*" }, { deny: "wipe" }] })).toBe("deny");
  });
});

describe("to take a file away is more than to read it", () => {
  const move: Intent = {
    ...base,
    tool: "move_path",
    kind: "move",
    paths: [
      { path: "/ws/src/a.ts", access: "move" },
      { path: "/ws/out/a.ts", access: "write" },
    ],
  };
  const intoOut: Rule = { allow: "edit", path: "/ws/out/**" };

  test("asks about a move from a place that only reading is allowed in", () => {
    expect(effect(move, { rules: [{ allow: "read" }, intoOut] })).toBe("ask");
    expect(effect(move, { rules: [{ allow: "read", path: "/ws/**" }, intoOut] })).toBe("ask");
  });

  test.each(["move", "edit", "delete"])("allows it when %s is allowed there", (kind) => {
    expect(effect(move, { rules: [{ allow: kind, path: "/ws/src/**" }, intoOut] })).toBe("allow");
  });

  test("asks about a change by a tool whose kind changes nothing", () => {
    const lying: Intent = {
      ...base,
      tool: "peek",
      kind: "read",
      paths: [{ path: "/ws/a", access: "write" }],
    };
    expect(effect(lying, { rules: [{ allow: "read" }] })).toBe("ask");
    expect(effect(lying, { rules: [{ allow: "peek" }] })).toBe("allow");
  });
});

describe("a mere question for help or a version", () => {
  test.each(["./gradlew --version", "yarn --version", "cargo --version", "tox --version", "pytest --help"])(
    "runs the folder's code, which a denial asks about: %s",
    (text) => {
      expect(effect(command(text), { rules: [{ deny: "delete" }], default: "allow" })).toBe("ask");
      expect(effect(command(text), inMode("ask", []))).toBe("ask");
    },
  );

  test.each(["git --version", "node --version", "python3 --version", "npm --version", "ls --help"])(
    "is answered unasked where the folder has no part in it: %s",
    (text) => {
      expect(effect(command(text), inMode("ask", []))).toBe("allow");
    },
  );
});

describe("a protected file is not written under a name that a program makes up", () => {
  test.each([
    "gunzip AGENTS.md.gz",
    "cp -S .md a CLAUDE",
    "wget -P . https://x.example/AGENTS.md",
    "scp h:AGENTS.md .",
    "docker cp c:/AGENTS.md .",
    "aws s3 cp s3://b/AGENTS.md .",
    "rename s/a/AGENTS/ a.md",
  ])("asks: %s", (text) => {
    expect(effect(command(text), { rules: [allow(`${text.split(" ")[0]} *`)] })).toBe("ask");
  });

  test.each(["gunzip a.md.gz", "cp -S .old a b", "wget -P out https://x.example/a.md", "scp h:a.md ."])(
    "asks nothing about other names: %s",
    (text) => {
      expect(effect(command(text), { rules: [allow(`${text.split(" ")[0]} *`)] })).toBe("allow");
    },
  );
});

describe("a denial binds what happens on another machine or to the system's packages", () => {
  test.each([
    "docker rm web",
    "kubectl delete pod web",
    "helm uninstall web",
    "aws s3 rm s3://b/x",
    "apt-get remove x",
  ])("refuses to delete: %s", (text) => {
    expect(effect(command(text), { rules: [{ deny: "delete" }], default: "allow" })).toBe("deny");
  });

  test("refuses to edit, and still lets a rule for the program allow what is not denied", () => {
    expect(effect(command("brew install jq"), { rules: [{ deny: "edit" }], default: "allow" })).toBe("deny");
    expect(effect(command("docker rm web"), { rules: [allow("docker *")] })).toBe("allow");
    expect(effect(command("git checkout main"), { rules: [{ deny: "delete" }], default: "allow" })).toBe(
      "deny",
    );
  });
});
