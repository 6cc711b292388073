import { describe, expect, test } from "vitest";
import { isForbidden, isProtected } from "./protected-paths.js";
import type { Whereabouts } from "./protected-paths.js";

const OWN = ["/home/ann/.config/toolgate", "/home/ann/.local/state/gate.db"];
const where = (access: Whereabouts["access"]): Whereabouts => ({
  home: "/home/ann",
  roots: ["/ws", "/ws2"],
  access,
  own: OWN,
});

describe("changing needs a person", () => {
  test.each([
    "/ws/.git/config",
    "/ws/.git/hooks/pre-commit",
    "/ws/.git",
    "/ws/.git/worktrees/x/commondir",
    "/ws/fake/commondir",
    "/srv/project.git/hooks/post-receive",
    "/ws/vendor/deep/.git/config",
    "/ws/package.json.d/../.git/config",
    "/ws/.GIT/config",
    "/ws/.git./config",
    "/ws/.gi\u200ct/config",
    "C:\\ws\\.git\\config",
    "C:\\ws\\GIT~1\\config",
    "/ws/.gitmodules",
    "/home/ann/.gitconfig",
    "/home/ann/.bashrc",
    "/ws/.zshenv",
    "/home/ann/.config/fish/config.fish",
    "/home/ann/.ssh/authorized_keys",
    "/home/ann/.ssh/id_new.pub",
    "/home/ann/.gnupg/gpg.conf",
    "/home/ann/.aws/credentials",
    "/home/ann/.kube/config",
    "/ws/.npmrc",
    "/ws/.vscode/settings.json",
    "/ws/.vscode/new/not-yet-there.json",
    "/ws/.idea/workspace.xml",
    "/ws/.zed/settings.json",
    "/ws/.cursor/mcp.json",
    "/ws/.claude/settings.json",
    "/ws/.codex/config.toml",
    "/ws/.agents/skills/x.md",
    "/ws/.mcp.json",
    "/ws/.aider.conf.yml",
    "/ws/.envrc",
    "/ws/.husky/pre-commit",
    "/ws/.github/workflows/ci.yml",
    "/ws/.gitlab-ci.yml",
    "/ws/.circleci/config.yml",
    "/ws/azure-pipelines.yml",
    "/ws/Jenkinsfile",
    "/ws/.pre-commit-config.yaml",
    "/ws/sub.git/HEAD",
    "/ws/.continuerules",
    "/ws/.copilot/mcp-config.json",
    "/ws/.vscode-insiders/settings.json",
    "/ws/.config/Cursor/User/settings.json",
    "/ws/.teamcity/settings.kts",
    "/ws/.tekton/push.yaml",
    "/ws/.builds/a.yml",
    "/ws/.build.yml",
    "/ws/codemagic.yaml",
    "/ws/bitrise.yml",
    "/ws/ansible.cfg",
    "/ws/.venv/bin/activate",
    "/ws/.venv/bin/ls",
    "/ws/packages/a/node_modules/.bin/git",
    "/ws/.luarc.json",
    "/ws/.luarc.jsonc",
    "/ws/.bundle/plugin/index",
    "/ws/.woodpecker.yaml",
    "/ws/.continuerc.json",
    "/ws/.lazy.lua",
    "/ws/hk.pkl",
    "/ws/prek.toml",
    "/ws/husky.config.js",
    "/ws/.cirrus.star",
    "/ws/gptme.toml",
    "/ws/.factorypath",
    "/ws/_darcs/prefs/defaults",
    "/ws/.pijul/config",
    "/ws/.corepack.env",
    "/ws/AGENTS.md",
    "/ws/sub/deep/agents.MD",
    "/ws/AGENTS.md/",
    "/ws/x/../AGENTS.md",
    "/ws/AGENT\u017f.md",
    "/ws/AGE\u200dNTS.md",
    "/ws/AGENTS.md ",
    "C:\\ws\\AGENTS.md::$DATA",
    "/ws/CLAUDE.md",
    "/ws/CLAUDE.local.md",
    "/ws/GEMINI.md",
    "/ws/QWEN.md",
    "/ws/.cursorrules",
    "/ws/.windsurfrules",
    "/ws/.clinerules",
    "/ws/.clinerules/one.md",
    "/ws/.github/copilot-instructions.md",
    "/ws/.github/instructions/x.instructions.md",
    "/ws/.gemini/settings.json",
    "/ws/.continue/config.yaml",
    "/ws/.yarnrc",
    "/ws/.yarnrc.yml",
    "/ws/.yarn/releases/yarn-4.cjs",
    "/ws/.yarn/plugins/x.cjs",
    "/ws/.pnpmfile.cjs",
    "/ws/.pnpmfile.js",
    "/ws/.pnp.cjs",
    "/ws/bunfig.toml",
    "/ws/mise.toml",
    "/ws/.envrc.local",
    "/ws/.latexmkrc",
    "/ws/NuGet.Config",
    "/ws/.gitpod/automations.yaml",
    "/ws/.rvmrc",
    "/ws/.rbenv-vars",
    "/ws/.p4config",
    "/ws/.lite_project.lua",
    "/ws/.pi/extensions/x.ts",
    "/ws/.iflow/settings.json",
    "/ws/IFLOW.md",
    "/ws/.mise.local.toml",
    "/ws/.config/mise/config.toml",
    "/ws/.tool-versions",
    "/ws/.direnv/bin/x",
    "/ws/lefthook.yml",
    "/ws/.lefthook.toml",
    "/ws/.bazelrc",
    "/ws/.cargo/config.toml",
    "/ws/.cargo/config",
    "/ws/rust-toolchain.toml",
    "/ws/.gitattributes",
    "/ws/.devcontainer/devcontainer.json",
    "/ws/.gdbinit",
    "/ws/.lldbinit",
    "/ws/.exrc",
    "/ws/.nvim.lua",
    "/ws/.dir-locals.el",
    "/ws/.perldb",
    "/ws/.RData",
    "/ws/docs/.obsidian/plugins/a/main.js",
    "/ws/sitecustomize.py",
    "/ws/.venv/lib/python3.12/site-packages/x.pth",
    "/home/ann/.curlrc",
    "/home/bob/.config/toolgate/token",
    "/ws/.env",
    "/ws/sub/.env.production",
    "/var/spool/cron/crontabs/ann",
    "/home/ann/.config/systemd/user/x.service",
    "/home/ann/.config/autostart/x.desktop",
    "/Users/ann/Library/LaunchAgents/x.plist",
    "/etc/hosts",
    "/private/etc/hosts",
    "/proc/sys/kernel/core_pattern",
    "/dev/sda",
    "relative/path",
    "/ws/a\0",
  ])("%s", (path) => {
    for (const access of ["write", "delete", "move"] as const)
      expect(isProtected(path, where(access)), access).toMatch(/^This is .+\.$/);
  });
});

describe("reading needs a person", () => {
  test.each([
    "/home/ann/.ssh/id_ed25519",
    "/home/ann/.ssh/config",
    "/ws/keys/id_rsa",
    "/home/ann/.gnupg/private-keys-v1.d/x.key",
    "/home/ann/.AWS/credentials",
    "/home/ann/.config/gcloud/credentials.db",
    "/home/ann/.docker/config.json",
    "/home/ann/.config/gh/hosts.yml",
    "/home/ann/.netrc",
    "/home/ann/.git-credentials",
    "/ws/.env",
    "/ws/.env.local",
    "/ws/sub/.ENV",
    "/proc/self/environ",
    "/proc/1/task/1/environ",
    "/proc/self/cwd/../outside/environ",
    "/proc/self/root/etc/passwd",
    "/etc/shadow",
    "/home/ann/.mozilla/firefox/x.default/logins.json",
    "/Users/ann/Library/Application Support/Google/Chrome/Default/Cookies",
    "/home/ann/.bash_history",
    "/home/ann/.config/toolgate/rules.json",
    "/mnt/home/bob/.config/toolgate/token",
    "/home/bob/.local/state/toolgate/ledger.sqlite",
    "/ws/.toolgate/rules.json",
  ])("%s", (path) => {
    expect(isProtected(path, where("read"))).toMatch(/^This is .+\.$/);
  });
});

test.each<[Whereabouts["access"], string]>([
  ["read", "/ws/src/a.ts"],
  ["write", "/ws/src/a.ts"],
  ["delete", "/ws/tmp/tree"],
  ["move", "/ws/src/a.ts"],
  ["read", "/ws/.git/config"],
  ["read", "/ws/.vscode/settings.json"],
  ["read", "/home/ann/.bashrc"],
  ["read", "/home/ann/.ssh/id_ed25519.pub"],
  ["read", "/etc/hosts"],
  ["write", "/ws/.gitignore"],
  ["read", "/ws/.gitattributes"],
  ["read", "/ws/.github/workflows/ci.yml"],
  ["write", "/ws/.github/dependabot.yml"],
  ["write", "/ws/src/head.ts"],
  ["write", "/ws/src/head"],
  ["read", "/ws/AGENTS.md"],
  ["read", "/ws/CLAUDE.md"],
  ["read", "/ws/.pnpmfile.cjs"],
  ["read", "/ws/mise.toml"],
  ["write", "/ws/src/agents.ts"],
  ["write", "/ws/docs/agents-md.md"],
  ["write", "/ws/package.json"],
  ["write", "/ws/Makefile"],
  ["write", "/ws/conftest.py"],
  ["write", "/ws/setup.py"],
  ["write", "/ws/build.rs"],
  ["write", "/ws/pnpm-workspace.yaml"],
  ["write", "/ws/.editorconfig"],
  ["write", "/ws/models/best.pth"],
  ["write", "/ws/.docker/nginx.conf"],
  ["write", "/ws/.github/CODEOWNERS"],
  ["write", "/ws/.env.example"],
  ["read", "/ws/.env.local.sample"],
  ["write", "/ws/.environment"],
  ["write", "/ws/src/env.ts"],
  ["write", "/ws/.gitx/config"],
  ["write", "/ws/etc/hosts"],
  ["write", "/dev/null"],
  ["delete", "/ws/library"],
  ["write", "/ws/toolgate/x"],
])("leaves to the rules to %s %s", (access, path) => {
  expect(isProtected(path, where(access))).toBeUndefined();
});

test("asks before a folder above a protected path is removed", () => {
  expect(isProtected("/ws/.config", where("delete"))).toContain("may hold");
  expect(isProtected("/home/ann/.docker", where("move"))).toContain("may hold");
  expect(isProtected("/var", where("delete"))).toContain("may hold");
  expect(isProtected("/ws/.config", where("write"))).toBeUndefined();
});

describe("a path that no yes opens", () => {
  test.each<[Whereabouts["access"], string]>([
    ["write", "/home/ann/.config/toolgate/rules.json"],
    ["write", "/home/ann/.config/Toolgate/not-yet-there.json"],
    ["write", "/home/ann/x/../.config/toolgate"],
    ["write", "/home/ann/.local/state/gate.db"],
    ["write", "/home/ann/.local/state/gate.db-wal"],
    ["delete", "/ws/.toolgate/rules.json"],
    ["move", "/home/ann/.config"],
    ["delete", "/ws"],
    ["delete", "/ws2/"],
    ["delete", "/ws/src/.."],
    ["move", "/home/ann"],
    ["delete", "/home"],
    ["delete", "/"],
    ["read", "/home/ann/.config/toolgate/rules.json"],
    ["search", "/home/ann/.config/toolgate"],
    ["write", "nowhere"],
  ])("%s %s", (access, path) => {
    expect(isForbidden(path, where(access))).toMatch(/^This is .+\.$/);
    expect(isProtected(path, where(access))).toBe(isForbidden(path, where(access)));
  });

  test.each<[Whereabouts["access"], string]>([
    ["read", "/ws/.toolgate/rules.json"],
    ["write", "/home/ann/.config/toolgate-notes"],
    ["write", "/ws"],
    ["delete", "/ws/src"],
    ["write", "/ws/.git/config"],
  ])("does not forbid to %s %s, which may be asked", (access, path) => {
    expect(isForbidden(path, where(access))).toBeUndefined();
  });

  test("a place of Toolgate's own that cannot be read may be anywhere", () => {
    expect(isForbidden("/ws/a", { ...where("write"), own: [""] })).toBeDefined();
  });

  test("a star in the name of an own folder stands for nothing but itself", () => {
    const starred = { ...where("write"), own: ["/state/*"] };
    expect(isForbidden("/state/*/x", starred)).toBeDefined();
    expect(isForbidden("/state/a/x", starred)).toBeUndefined();
  });
});

describe("the environment and the memory of programs are forbidden, also for reading", () => {
  test.each([
    ...["self", "thread-self", "4711", "$PPID", "*", "[0-9]*", "$x", "$(pgrep node)"].flatMap((id) => [
      `/proc/${id}/environ`,
      `/proc/${id}/mem`,
      `/proc/${id}/task/12/environ`,
      `/proc/${id}/e*`,
      `/proc/${id}/environ*`,
    ]),
    "/proc/self/task/*/environ",
    "/proc/self/../1/environ",
    "/proc/self/root/proc/1/environ",
  ])("%s", (path) => {
    expect(isForbidden(path, where("read"))).toBe(
      "This is the environment or the memory of a program, where its keys are.",
    );
  });

  test.each([
    "/proc/self/status",
    "/proc/$PPID/cmdline",
    "/proc/[0-9]*/status",
    "/proc/1/cpuinfo",
    "/proc/meminfo",
    "/proc/sys/kernel/*",
    "/ws/proc/1/environ",
    "/ws/environ",
  ])("does not forbid to read %s", (path) => {
    expect(isForbidden(path, where("read"))).toBeUndefined();
  });
});
