/** Ways around rules that were found by trying, each closed by its principle. */
import { describe, expect, test } from "vitest";
import { decide } from "./decide.js";
import type { Policy } from "./policy.js";
import { exactGrant } from "./grants/grants.samples.js";
import { FORCED_GIT_SETTINGS } from "./forced-git-settings.js";
import { plannedCommand } from "./intent.js";
import type { Intent, PathAccess } from "./intent.js";
import { inMode } from "./modes.js";
import type { Rule } from "./rule.js";

const places = { roots: ["/ws"], home: "/home/ann" };

const base: Intent = plannedCommand({
  cwd: "/ws",
  executor: { language: "bash", forced: FORCED_GIT_SETTINGS },
});

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
  ])("lets no command change Toolgate's own files, also where all is allowed: %s", (text) => {
    expect(effect(command(text), own)).toBe("deny");
  });

  test.each([
    "cat .config/toolgate/token",
    "cd .config && cat toolgate/keys.json",
    "sort < .config/toolgate/token",
    "cp .config/toolgate/token x",
  ])("lets no command read Toolgate's own files by name: %s", (text) => {
    expect(effect(command(text), own)).toBe("deny");
  });

  test.each([
    "cat .config/*/*",
    "cat .*/toolgate/token",
    "find . -type f -exec cat {} +",
    "find . -name token | xargs cat",
    "tar cf - .",
  ])("asks about a command that may read Toolgate's own files: %s", (text) => {
    expect(effect(command(text), own)).toBe("ask");
  });

  test("asks nothing about a command that stays out of Toolgate's own files", () => {
    for (const text of ["cat *", "ls -la", "cat src/*", "cat .config/other", "tar cf - src"])
      expect(effect(command(text), own), text).toBe("allow");
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

describe("moving a file away", () => {
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

  test("still refuses the move of a file that may not be read, edited or deleted", () => {
    for (const kind of ["read", "edit", "delete", "move"]) {
      const rules: readonly Rule[] = [{ allow: "*" }, { deny: kind, path: "/ws/src/**" }];
      expect([kind, effect(move, { rules })]).toEqual([kind, "deny"]);
    }
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

describe("a path that cannot be read as one may be any", () => {
  const odd = [
    "ab://../../victim.txt",
    "ab://../.git/hooks/pre-commit",
    "'/lib/a\nb.pth'",
    "C:\\\\x",
    "'a\nb'",
  ];

  test.each(odd)("asks or refuses to write %j, also where only reading is allowed", (path) => {
    const into = command(`echo x > ${path}`);
    expect(effect(into, {})).toBe("ask");
    expect(effect(into, inMode("read-only", []))).toBe("deny");
  });

  test.each([
    ["cat ab://../../etc/hostname", "read"],
    ["rm ab://../keep/f", "delete"],
    ["head '/etc/a\nb'", "read"],
  ])("asks or refuses %s", (text, kind) => {
    expect(effect(command(text), inMode("read-only", []))).toBe("deny");
    expect(effect(command(text), { default: "allow", rules: [{ deny: kind }] })).toBe("deny");
  });

  test("asks when a rule with a path may be met", () => {
    for (const [text, kind] of [
      ["echo x > '/lib/a\nb'", "edit"],
      ["rm 'a\nb'", "delete"],
      ["head 'a\nb'", "read"],
    ] as const) {
      const rules: readonly Rule[] = [{ deny: kind, path: "/ws/keep/**" }];
      expect([text, effect(command(text), { default: "allow", rules })]).toEqual([text, "ask"]);
    }
  });

  test("finds the folder that a strange name leads to", () => {
    const rules: readonly Rule[] = [{ deny: "delete", path: "/ws/keep/**" }];
    expect(effect(command("rm ab://../keep/f"), { default: "allow", rules })).toBe("deny");
    expect(effect(command("cd ab://.. && rm keep/f"), { default: "allow", rules })).toBe("deny");
  });

  test("reads a file's address as the file", () => {
    const rules: readonly Rule[] = [{ deny: "read", path: "/ws/secrets/**" }];
    for (const url of ["file:///ws/secrets/k", "file:///ws/secr%65ts/k", "FILE://localhost/ws/secrets/k"])
      expect(effect(command(`curl ${url}`), { default: "allow", rules })).toBe("deny");
  });
});

describe("denials by effect and commands with unknown effects", () => {
  const rules: readonly Rule[] = [{ deny: "delete", path: "/ws/keep/**" }];

  test.each(["./x.sh", "frob x", "sed '1e cat x' a.txt", "sort --compress-program=./x a", "awk -f a.awk"])(
    "asks about a command of unknown effects when an effect is denied, even where all is allowed: %s",
    (text) => {
      expect(effect(command(text), { default: "allow", rules })).toBe("ask");
      expect(effect(command(text), { rules: [{ allow: "*" }, ...rules] })).toBe("ask");
      const fetching: readonly Rule[] = [{ deny: "fetch", host: "evil.example" }];
      expect(effect(command(text), { default: "allow", rules: fetching })).toBe("ask");
    },
  );

  test("allows a command of unknown effects when a rule names its words", () => {
    expect(effect(command("./x.sh"), { rules: [{ allow: "execute", command: ["./x.sh"] }, ...rules] })).toBe(
      "allow",
    );
  });

  test("counts git as running code when its settings are not forced", () => {
    const status: Intent = {
      ...command("git status"),
      executor: { language: "bash", notForced: "core.fsmonitor names a program" },
    };
    expect(effect(status, { default: "allow", rules: [{ deny: "delete" }] })).toBe("ask");
    expect(effect(command("git status"), { default: "allow", rules: [{ deny: "delete" }] })).toBe("allow");
  });
});

describe("a grant knows which of its words the shell expands", () => {
  const granted = (text: string) => exactGrant(command(text), places)?.rules ?? [];

  test.each([
    ["rm -r './*'", "rm -r ./*"],
    ["rm -rf 'sub/*'", "rm -rf sub/*"],
    ["python3 -c 1 '~/x'", "python3 -c 1 ~/x"],
  ])("asks about %s granted as %s", (quoted, bare) => {
    expect(effect(command(bare), { rules: granted(quoted) })).not.toBe("allow");
  });

  test("allows the same words again, in quotes or not", () => {
    for (const text of ["rm -r ./a*", "prettier --write 'src/**/*.ts'"])
      expect([text, effect(command(text), { rules: granted(text) })]).toEqual([text, "allow"]);
  });

  test("binds the file that a program is fed, where it may run it", () => {
    const intent: Intent = { ...command("sqlite3 a.db < x.sql"), contents: { "/ws/x.sql": "1".repeat(64) } };
    const rules = exactGrant(intent, places)?.rules ?? [];
    expect(effect(intent, { rules })).toBe("allow");
    expect(effect({ ...intent, contents: { "/ws/x.sql": "2".repeat(64) } }, { rules })).toBe("ask");
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

describe("a question for help does not hide what runs before the answer", () => {
  const rules: readonly Rule[] = [{ allow: "*" }, { deny: "delete" }];

  test.each([
    "sqlite3 -cmd '.shell rm -rf gen' --version",
    "sqlite3 -init evil.sql -help",
    "node --require ./x.js --version",
  ])("asks about %s", (text) => {
    expect(effect(command(text), { rules })).not.toBe("allow");
  });

  test("asks about addresses that --next makes several", () => {
    const text = "curl -g http://ok.example/ --next 'http://{ok,evil}.example/'";
    const denied: readonly Rule[] = [{ allow: "*" }, { deny: "fetch", host: "http://evil.example" }];
    expect(effect(command(text), { rules: denied })).not.toBe("allow");
  });
});

test.each(["git stash", "git stash push", "git stash -u", "git stash save x"])(
  "refuses or asks about %s where deletions are denied: it takes added files away",
  (text) => {
    expect(effect(command(text), { rules: [{ allow: "*" }, { deny: "delete" }] })).not.toBe("allow");
  },
);

test.each(["git add -A", "git notes add -m x", "git reset", "git fetch"])(
  "asks about %s beside a denial by effect: hooks of the repository may do anything",
  (text) => {
    const rules: readonly Rule[] = [{ allow: "*" }, { deny: "delete" }];
    expect(effect(command(text), { rules })).not.toBe("allow");
    expect(effect(command(text), { rules: [allow("git *"), { deny: "delete" }] })).toBe("allow");
  },
);

test.each([
  ["git archive --remote='ext::sh -c ./x' HEAD", "git *"],
  ["aws ec2 describe-instances --endpoint http://x.example", "aws *"],
  ["rm -rf ./dist/../src", "rm *"],
  ["rm -rf dist/*/../../src", "rm *"],
  ["helm status web -o json", "helm *"],
  ["kubectl kustomize https://x.example/a", "kubectl *"],
])("asks about %s where %s is allowed", (text, pattern) => {
  expect(effect(command(text), { rules: [allow(pattern)] })).toBe("ask");
});

test.each([
  "npm cache clean --force",
  "pnpm store prune",
  "yarn cache clean",
  "pip cache purge",
  "uv cache prune",
  "pre-commit gc",
  "composer clear-cache",
])("denies %s where deletions are denied: it empties a cache of all projects", (text) => {
  expect(effect(command(text), { rules: [{ allow: "*" }, { deny: "delete" }] })).toBe("deny");
});

describe("a flag or word that names a program or a file with further options", () => {
  test.each([
    ["git merge -s ./x main", "git merge *"],
    ["git merge --strategy=./x main", "git merge *"],
    ["git rebase -s x main", "git rebase *"],
    ["git cherry-pick --strategy=x HEAD", "git cherry-pick *"],
    ["dotnet build @/tmp/evil.rsp", "dotnet build *"],
    ["pytest @/tmp/args", "pytest *"],
    ["mypy @/tmp/args", "mypy *"],
    ["cargo test -- --logfile=/home/ann/.bashrc", "cargo test *"],
  ])("is asked about: %s", (text, pattern) => {
    expect(effect(command(text), { rules: [allow(pattern)] })).toBe("ask");
  });

  test.each([
    ["git merge -s ours main", "git merge *"],
    ["git rebase --strategy=ort main", "git rebase *"],
    ["dotnet build src/a.csproj", "dotnet build *"],
    ["pytest -q tests", "pytest *"],
    ["cargo test -- --nocapture", "cargo test *"],
  ])("asks nothing more for %s", (text, pattern) => {
    expect(effect(command(text), { rules: [allow(pattern)] })).toBe("allow");
  });
});
