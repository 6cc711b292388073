/**
 * Commands that only show something, in repositories whose settings run programs: each is asked about, or runs nothing
 * but git itself. strace shows what the real git runs.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { decide, inMode } from "../../policy/index.js";
import type { Intent } from "../../policy/index.js";
import { terminal } from "../built-in/terminal.js";
import { shellWords } from "../find-shell.js";
import type { LocalWorkspace } from "../local-workspace.js";
import { aWorkspace } from "../tools.samples.js";
import { git, repository } from "./repository.samples.js";

afterEach(() => vi.unstubAllEnvs());

const SHOWING = [
  "status",
  "status --ignore-submodules=none",
  "diff",
  "diff HEAD",
  "diff --submodule=diff",
  "log -p",
  "log --show-signature",
  "log --format=%G?",
  "show",
  "show HEAD:file.txt",
  "blame file.txt",
  "grep one",
  "describe --always --dirty",
  "stash list",
  "branch -a",
  "ls-files -m",
  "ls-files --recurse-submodules",
  "rev-parse HEAD",
];

type Place = { readonly root: string; readonly outside: string; readonly evil: string };

/** Each makes a harmless repository at the root a hostile one. */
const HOSTILE: { readonly [name: string]: (place: Place) => void } = {
  "a monitor": ({ root, evil }) => config(root, `[core]\n\tfsmonitor = ${evil}`),
  "a monitor on the line of its section": ({ root, evil }) => config(root, `[core] fsmonitor = ${evil}`),
  "a monitor behind a joined line": ({ root, evil }) =>
    config(root, `[user]\n\tname = a \\\n[core]\n\tfsmonitor = ${evil}`),
  "a monitor in another case": ({ root, evil }) => config(root, `[CORE]\n\tFsMonitor = "${evil}"`),
  "a converter": ({ root, evil }) => {
    config(root, `[diff "x"]\n\ttextconv = ${evil}`);
    writeFileSync(join(root, ".gitattributes"), "* diff=x\n");
  },
  "a diff driver": ({ root, evil }) => {
    config(root, `[diff "x"]\n\tcommand = ${evil}`);
    writeFileSync(join(root, ".git/info/attributes"), "* diff=x\n");
  },
  "an external diff": ({ root, evil }) => config(root, `[diff]\n\texternal = ${evil}`),
  "a clean filter": ({ root, evil }) => {
    config(root, `[filter "x"]\n\tclean = ${evil}`);
    writeFileSync(join(root, ".gitattributes"), "* filter=x\n");
  },
  "a filter process": ({ root, evil }) => {
    config(root, `[filter "x"]\n\tprocess = ${evil}\n\trequired = true`);
    writeFileSync(join(root, ".gitattributes"), "* filter=x\n");
  },
  "a signature checker": ({ root, evil }) => {
    signLastCommit(root);
    config(root, `[gpg]\n\tprogram = ${evil}\n[log]\n\tshowSignature = true`);
  },
  "a signed commit and a checker of the user": ({ root, outside, evil }) => {
    signLastCommit(root);
    userSettings(outside, `[gpg]\n\tprogram = ${evil}\n[log]\n\tshowSignature = true`);
  },
  "a converter of the user that a file of the repository chooses": ({ root, outside, evil }) => {
    userSettings(outside, `[diff "x"]\n\ttextconv = ${evil}\n[diff]\n\texternal = ${evil}`);
    writeFileSync(join(root, ".gitattributes"), "* diff=x\n");
  },
  "a pager": ({ root, evil }) => config(root, `[core]\n\tpager = ${evil}\n[pager]\n\tlog = ${evil}`),
  "an alias": ({ root, evil }) => config(root, `[alias]\n\tstatus = !${evil}`),
  "a remote that gives out what is missing": ({ root, evil }) => {
    config(root, `[remote "o"]\n\turl = ext::${evil}\n\tpromisor = true\n[extensions]\n\tpartialClone = o`);
    writeFileSync(join(root, ".git/refs/heads/main"), `${"0123456789".repeat(4)}\n`);
  },
  "a second file of settings": ({ root, evil }) => {
    config(root, `[include]\n\tpath = more`);
    writeFileSync(join(root, ".git/more"), `[core]\n\tfsmonitor = ${evil}\n`);
  },
  "settings of a worktree": ({ root, evil }) => {
    config(root, "[extensions]\n\tworktreeConfig = true");
    writeFileSync(join(root, ".git/config.worktree"), `[core]\n\tfsmonitor = ${evil}\n`);
  },
  hooks: ({ root, evil }) => {
    for (const name of ["post-index-change", "fsmonitor-watchman", "post-checkout", "reference-transaction"])
      symlinkSync(evil, join(root, ".git/hooks", name));
    config(root, "[core]\n\tuntrackedCache = true");
  },
  "a folder of hooks": ({ root, evil }) => {
    mkdirSync(join(root, ".husky"));
    for (const name of ["post-index-change", "reference-transaction"])
      symlinkSync(evil, join(root, ".husky", name));
    config(root, "[core]\n\thooksPath = .husky");
  },
  "a file that leads to another repository": ({ root, outside, evil }) => {
    const other = repository(join(outside, "other"));
    config(other, `[core]\n\tfsmonitor = ${evil}`);
    execFileSync("rm", ["-rf", join(root, ".git")]);
    writeFileSync(join(root, ".git"), "gitdir: ../other/.git\n");
  },
  "a link to another repository": ({ root, outside, evil }) => {
    const other = repository(join(outside, "other"));
    config(other, `[core]\n\tfsmonitor = ${evil}`);
    execFileSync("rm", ["-rf", join(root, ".git")]);
    symlinkSync("../other/.git", join(root, ".git"));
  },
  "a broken repository inside of a hostile one": ({ root, outside, evil }) => {
    repository(outside);
    config(outside, `[core]\n\tfsmonitor = ${evil}`);
    execFileSync("rm", ["-rf", join(root, ".git/HEAD")]);
  },
  "its root itself a bare repository": ({ root, evil }) => {
    execFileSync("rm", ["-rf", join(root, ".git")]);
    execFileSync("git", ["init", "-q", "--bare", root]);
    appendFileSync(join(root, "config"), `[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = ${evil}\n`);
  },
  "a hostile submodule": ({ root, evil }) => {
    const inner = repository(join(root, "inner"));
    git(root, "add", "inner");
    config(inner, `[filter "x"]\n\tclean = ${evil}\n[core]\n\tfsmonitor = ${evil}`);
    writeFileSync(join(inner, ".gitattributes"), "* filter=x\n");
    appendFileSync(join(inner, "file.txt"), "more\n");
  },
  "a hostile submodule that wants to be looked into": ({ root, evil }) => {
    const inner = repository(join(root, "inner"));
    writeFileSync(
      join(root, ".gitmodules"),
      '[submodule "inner"]\n\tpath = inner\n\turl = ./inner\n\tignore = none\n',
    );
    git(root, "add", "inner", ".gitmodules");
    git(root, "commit", "-qm", "sub");
    config(inner, `[filter "x"]\n\tclean = ${evil}`);
    writeFileSync(join(inner, ".git/info/attributes"), "* filter=x\n");
    appendFileSync(join(inner, "file.txt"), "more\n");
  },
  "a hostile repository that it does not know": ({ root, evil }) => {
    const inner = repository(join(root, "inner"));
    config(inner, `[core]\n\tfsmonitor = ${evil}\n[filter "x"]\n\tclean = ${evil}`);
  },
  "variables of the environment": ({ outside, evil }) => {
    const other = repository(join(outside, "other"));
    config(other, `[core]\n\tfsmonitor = ${evil}`);
    vi.stubEnv("GIT_DIR", join(other, ".git"));
    vi.stubEnv("GIT_EXTERNAL_DIFF", evil);
    vi.stubEnv("GIT_PAGER", evil);
    vi.stubEnv("GIT_CONFIG_PARAMETERS", `'core.fsmonitor'='${evil}'`);
    vi.stubEnv("BASH_ENV", evil);
    vi.stubEnv("BASH_FUNC_git%%", `() { ${evil}; }`);
  },
};

test.each(Object.keys(HOSTILE))(
  "runs nothing but git, or asks, in a repository with %s",
  { timeout: 60_000 },
  async (name) => {
    const { root, outside, workspace } = await aWorkspace();
    const evil = anEvil(outside);
    repository(root);
    HOSTILE[name]?.({ root, outside, evil });
    expect(await unforeseen(workspace, ...SHOWING.map((words) => `git ${words}`))).toEqual([]);
  },
);

test.each([
  "git -C docs/api status",
  "cd docs/api && git status",
  "git -C docs -C api status",
  "git -C link/../api status",
])("asks about %s when a bare repository lies there among other files", async (command) => {
  const { root, outside, workspace } = await aWorkspace();
  const evil = anEvil(outside);
  repository(root);
  execFileSync("git", ["init", "-q", "--bare", join(root, "docs/api")]);
  mkdirSync(join(root, "docs/x"));
  symlinkSync("docs/x", join(root, "link"));
  appendFileSync(
    join(root, "docs/api/config"),
    `[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = ${evil}\n`,
  );
  const intent = await intentOf(workspace, command);
  expect(verdictOn(intent, workspace)).toMatchObject({ effect: "ask" });
  const inside = await intentOf(workspace, "git status", { cwd: "docs/api" });
  expect(verdictOn(inside, workspace)).toEqual(
    expect.objectContaining({
      effect: "ask",
      reason: "docs/api is a repository whose settings lie among other files",
    }),
  );
});

test("says which setting names a program", async () => {
  const { root, workspace } = await aWorkspace();
  repository(root);
  config(root, '[filter "lfs"]\n\tclean = git-lfs clean -- %f');
  expect(verdictOn(await intentOf(workspace, "git status"), workspace)).toMatchObject({
    effect: "ask",
    reason: "the repository's configuration names a program: filter.lfs.clean",
  });
});

test("asks about no command that only shows something in an ordinary repository", async () => {
  const { root, outside, workspace } = await aWorkspace({ "src/a.txt": "a\n" });
  repository(root);
  git(root, "remote", "add", "origin", "https://example.com/a.git");
  git(root, "config", "branch.main.remote", "origin");
  git(root, "config", "core.hooksPath", ".husky/_");
  repository(join(outside, "library"));
  git(
    root,
    "-c",
    "protocol.file.allow=always",
    "submodule",
    "--quiet",
    "add",
    join(outside, "library"),
    "library",
  );
  git(root, "worktree", "add", "-q", "tree");
  for (const command of [
    "git status",
    "git log --oneline | head -5",
    "cd src && git diff",
    "git status; ls",
    "git -C src log -p",
  ])
    for (const cwd of [undefined, "tree"]) {
      if (cwd !== undefined && command.includes("src")) continue;
      const intent = await intentOf(workspace, command, cwd === undefined ? {} : { cwd });
      expect(verdictOn(intent, workspace).reason, command).toBeUndefined();
      expect(verdictOn(intent, workspace), command).toMatchObject({ effect: "allow" });
      if (cwd === undefined) expect(await unforeseen(workspace, command), command).toEqual([]);
    }
});

test.each(["git status && git commit -m x", "git log && git add a", "git status && make", "git fetch"])(
  "forces nothing for %s, which does more than read",
  async (command) => {
    const { root, workspace } = await aWorkspace();
    repository(root);
    const { executor } = await intentOf(workspace, command);
    expect(executor?.forced).toBeUndefined();
    expect(verdictOn(await intentOf(workspace, command), workspace)).toMatchObject({ effect: "ask" });
  },
);

test("runs the hooks of an allowed commit", async () => {
  const { root, outside, workspace } = await aWorkspace();
  repository(root);
  symlinkSync(anEvil(outside), join(root, ".git/hooks/pre-commit"));
  const { executor } = await intentOf(workspace, "git status && git commit --allow-empty -qm x");
  expect(await programsOf(workspace, "git status && git commit --allow-empty -qm x", executor)).toContain(
    "pre-commit",
  );
});

/** The programs beside git and the shell that those of the commands run about which nobody is asked. */
async function unforeseen(workspace: LocalWorkspace, ...commands: string[]): Promise<readonly string[]> {
  const intents = await Promise.all(commands.map((command) => intentOf(workspace, command)));
  const unasked = commands.filter((_, index) => {
    const intent = intents[index];
    return intent !== undefined && verdictOn(intent, workspace).effect === "allow";
  });
  const [executor] = intents.filter((intent) => intent.executor?.forced).map((intent) => intent.executor);
  if (unasked.length === 0) return [];
  if (!executor) return ["git without its settings forced"];
  const programs = await programsOf(workspace, unasked.join("; "), executor);
  return programs.filter((name) => !["bash", "git", "head", "ls"].includes(name));
}

async function programsOf(workspace: LocalWorkspace, command: string, executor: Intent["executor"]) {
  const log = join(workspace.root, "..", "strace.log");
  const words = [
    "strace",
    "-f",
    "-qq",
    "-e",
    "trace=execve",
    "-o",
    log,
    ...shellWords(executor ?? { language: "sh" }, command),
  ];
  const signal = AbortSignal.timeout(20_000);
  await workspace.runCommand(words, { ...(executor && { executor }), signal, onOutput: () => undefined });
  const lines = readFileSync(log, "utf8").split("\n");
  return lines.flatMap((line) => {
    const program = /execve\("(?<path>[^"]+)".* = 0$/.exec(line)?.groups?.["path"];
    return program === undefined ? [] : [basename(program)];
  });
}

async function intentOf(workspace: LocalWorkspace, command: string, more: object = {}): Promise<Intent> {
  const own = await terminal.intent?.({ command, ...more }, workspace);
  return {
    tool: "terminal",
    kind: "execute",
    input: { command },
    cwd: workspace.root,
    paths: [],
    hosts: [],
    baseHashes: {},
    ...own,
  };
}

function verdictOn(intent: Intent, { roots }: LocalWorkspace) {
  return decide(intent, { ...inMode("ask", []), roots, home: homedir() });
}

function anEvil(outside: string): string {
  const evil = join(outside, "evil");
  writeFileSync(evil, "#!/bin/sh\ncat\n", { mode: 0o755 });
  return evil;
}

function config(folder: string, text: string): void {
  appendFileSync(join(folder, ".git/config"), `${text}\n`);
}

function userSettings(outside: string, text: string): void {
  writeFileSync(join(outside, ".gitconfig"), `${text}\n`);
  vi.stubEnv("HOME", outside);
}

/** A commit that says it is signed: whether it is, only a checker could tell. */
function signLastCommit(folder: string): void {
  const plain = execFileSync("git", ["cat-file", "commit", "HEAD"], { cwd: folder, encoding: "utf8" });
  const signed = plain.replace(
    "\n\n",
    "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n",
  );
  const name = execFileSync("git", ["hash-object", "-t", "commit", "-w", "--stdin"], {
    cwd: folder,
    input: signed,
    encoding: "utf8",
  });
  git(folder, "update-ref", "HEAD", name.trim());
}
