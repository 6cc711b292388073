/**
 * The one list of names that need a person even where a wide rule allows, because changing them changes what runs by
 * itself later, what an agent obeys or what is allowed, and reading them gives a key away. By name and at any depth: a
 * project may lie in another, a home may be mounted elsewhere, and a file that does not exist yet is as good a place
 * to put something.
 *
 * Not in it: files that agents edit all day and that run only when someone runs the project (package.json, Makefile,
 * build scripts, tests), for a question about each of them would be answered without a look.
 */
type ProtectedNames = {
  /** Ends the sentence "This is …". */
  readonly what: string;
  /** Reading is protected too, not only changing. */
  readonly reading?: true;
  /** Patterns below any folder, or absolute ones. */
  readonly names: readonly string[];
  readonly except?: readonly string[];
};

/**
 * Programs of the system that people type, or that their own scripts start, and that no package of a project brings along.
 * In a folder that a project puts before the system's own on the search path, a file of such a name starts in its place.
 */
export const TYPED_PROGRAMS: ReadonlySet<string> = new Set(
  [
    "ls cat cp mv rm mkdir rmdir touch chmod chown ln stat find grep egrep fgrep sed awk sort head tail wc cut tr xargs",
    "tee diff less more man vi vim nvim nano emacs git ssh scp sftp ssh-add ssh-keygen gpg sudo su doas curl wget tar gzip",
    "gunzip unzip zip ps top htop df du whoami id date uname env sh bash zsh fish dash tmux screen docker kubectl systemctl",
    "journalctl apt apt-get dnf pacman brew pass open xdg-open",
  ].flatMap((line) => line.split(" ")),
);

/** The folders that environments and package managers put there, in the folder of a project. */
export const SEARCHED_FOLDERS: readonly string[] = [".venv/bin", "venv/bin", "node_modules/.bin"];

export const PROTECTED_NAMES: readonly ProtectedNames[] = [
  {
    // All of .git, for its hooks and settings run programs from many files (config.worktree, modules/*/config,
    // rebase-merge/git-rebase-todo), and .git as a file points elsewhere. GIT~1 is its short name on Windows.
    what: "git's own data: hooks and settings in it run programs",
    // A folder beside .git passes for a repository by its HEAD; for reading, git is forbidden to believe that.
    names: [
      ".git/**",
      "git~1/**",
      "*.git/hooks/**",
      "*.git/config",
      "*.git/info/attributes",
      "*.git/head",
      "commondir",
    ],
  },
  {
    what: "a setting of git, which runs programs and fetches what it names",
    names: listed(`
      .gitconfig, .config/git/**, .gitmodules, .gitattributes, .husky/**, .huskyrc*, husky.config.*, .githooks/**,
      .lefthook/**, .lefthook-local/**, .hg/**, .hgrc, .sl/**, .jj/**, .jjconfig.toml, .lfsconfig, .lazygit.yml, .arcconfig,
      _darcs/prefs/defaults, .pijul/config`),
  },
  {
    what: "a file of instructions for agents, which they obey from then on",
    names: listed(`
      agents.md, agents.override.md, agents.local.md, agent.md, claude.md, claude.local.md, gemini.md,
      qwen.md, codex.md, codebuddy.md, iflow.md, crush.md, warp.md, replit.md, .cursorrules, .continuerules, .windsurfrules, .clinerules/**,
      .roorules*/**, .roomodes, .kilocodemodes, .goosehints, .rules, .augment-guidelines,
      .openhands_instructions, .github/copilot-instructions.md, .github/instructions/**,
      .github/prompts/**, .github/chatmodes/**, .github/agents/**, .github/skills/**, .github/hooks/**`),
  },
  {
    what: "what other programs run when the code is committed or pushed, often with keys at hand",
    names: listed(`
      .github, .gitlab, .gitea, .forgejo, .github/workflows/**, .github/actions/**, .gitlab-ci.yml, .gitlab/ci/**, .circleci/**,
      azure-pipelines.yml, azure-pipelines.yaml, .azure-pipelines/**, jenkinsfile, jenkinsfile.*,
      bitbucket-pipelines.yml, .travis.yml, .drone.yml, .buildkite/**, .woodpecker.yml, .woodpecker.yaml, .woodpecker/**,
      .gitea/workflows/**, .forgejo/workflows/**, .pre-commit-config.yaml, .pre-commit-config.yml,
      .pre-commit-hooks.yaml, prek.toml, hk.pkl, hk.local.pkl, lefthook.*, .lefthook.*, lefthook-local.*, .lefthook-local.*,
      .lintstagedrc*, lint-staged.config.*, .simple-git-hooks.*, simple-git-hooks.*, .overcommit.yml,
      .git-hooks/**, .appveyor.yml, appveyor.yml, .cirrus.yml, .cirrus.yaml, .cirrus.star, .semaphore/**, cloudbuild.yaml,
      buildspec.yml, .teamcity/**, .tekton/**, .builds/**, .build.yml, codemagic.yaml, bitrise.yml`),
  },
  {
    // With reading: see the credentials below, where .npmrc and .yarnrc are.
    what: "a setting of a package manager or build tool, which runs programs or takes them from elsewhere",
    names: listed(`
      .yarnrc*, .yarn/releases/**, .yarn/plugins/**, .yarn/sdks/**, .pnp.cjs, .pnp.js,
      .pnp.loader.mjs, .pnpmfile.*, .npm-init.js, bunfig.toml, .bunfig.toml, .bazelrc, *.bazelrc,
      .bazelversion, .bazeliskrc, tools/bazel, .buckconfig*, .cargo/config*, rust-toolchain,
      rust-toolchain.toml, .mvn/**, gradle/wrapper/**, .gradle/init.gradle*, .gradle/init.d/**,
      .sbtopts, .jvmopts, .bundle/config, .bundle/plugin/**, .corepack.env, .gemrc, pip.conf, pip.ini, .pip/**, .config/pip/**,
      .condarc, .mambarc, sitecustomize.py, usercustomize.py, site-packages/*.pth,
      dist-packages/*.pth, nuget.config, .nuget/**, .latexmkrc, latexmkrc, .curlrc, .wgetrc, .docker/cli-plugins/**`),
  },
  {
    what: "a file that a program runs by itself when it starts in this folder or in the home folder",
    names: listed(`
      mise.toml, mise.*.toml, .mise.toml, .mise.*.toml, .mise/**, mise/config*.toml, .config/mise/**,
      .config/mise.toml, .rtx.toml, .tool-versions, .direnv/**, .config/direnv/**, .direnvrc,
      .autoenv*, .gdbinit, .lldbinit*, .pdbrc, .irbrc, .pryrc, .rdbgrc, .ghci, .ocamlinit, .erlang,
      .iex.exs, .psysh.php, .rprofile, .renviron, .rdata, .perldb, .octaverc, .gnuplot, .user.ini, .sqliterc, .psqlrc, .duckdbrc,
      .screenrc, .tmux.conf, .config/tmux/**, .lessfilter, .mailcap, .forward, .procmailrc, .rhosts,
      .shosts, .ipython/**, .jupyter/**, .julia/config/**, .gitpod.yml, .replit, .codesandbox/**,
      .idx/**, .gitpod/**, .ona/**, .rvmrc, .powrc, .powenv, .rbenv-vars, .byebugrc, .p4config, .stackblitzrc, ansible.cfg, .venv/bin/activate*, venv/bin/activate*, .luarc.json, .luarc.jsonc`),
  },
  {
    what: "a program that starts in place of the system's own of this name",
    names: SEARCHED_FOLDERS.flatMap((folder) => [...TYPED_PROGRAMS].map((name) => `${folder}/${name}`)),
  },
  {
    what: "a file that a shell runs when it starts",
    names: listed(`
      .bashrc, .bash_profile, .bash_login, .bash_logout, .bash_aliases, .profile, .zshrc, .zshenv,
      .zprofile, .zlogin, .zlogout, .kshrc, .cshrc, .tcshrc, .login, .logout, .inputrc, .xprofile,
      .xinitrc, .xsessionrc, .pam_environment, .config/fish/**, config.fish, .config/environment.d/**,
      .config/powershell/**, profile.ps1, *_profile.ps1, .xsession, .envrc, .envrc.*`),
  },
  {
    what: "something that runs by itself, at a time or at a login",
    names: listed(`
      /var/spool/cron/**, /var/at/**, .config/systemd/**, .local/share/systemd/**,
      .config/autostart/**, library/launchagents/**, library/launchdaemons/**,
      start menu/programs/startup/**`),
  },
  {
    what: "a setting of an editor or an agent, which can start programs and change what is allowed",
    names: listed(`
      .vscode/**, .vscode-server/**, .vscode-insiders/**, .vscode-oss/**, .config/cursor/**, .copilot/**,
      *.code-workspace, .devcontainer/**, .devcontainer.json, .idea/**,
      .zed/**, .config/zed/**, .cursor/**, .windsurf/**, .fleet/**, .vs/**, .nova/**, .helix/**,
      .config/helix/**, .config/kak/**, .kakrc, *.sublime-project, .vimspector.json, .theia/**, .obsidian/**, .bsp/**,
      buildserver.json, .lite_project.lua, .lazy.lua, .factorypath, .kateproject*, .lapce/**, .neoconf.json, .sourcekit-lsp/**, hie.yaml, .merlin, .ropeproject/**, .ruby-lsp/**, .ycm_extra_conf.py,
      .externaltoolbuilders/**,
      .config/code/user/**,
      application support/code/user/**, appdata/roaming/code/user/**, .vimrc, _vimrc, .gvimrc,
      .lvimrc, .local.vimrc, .exrc, .nvimrc, .nvim.lua, .vim/**, .config/nvim/**, .emacs, .emacs.d/**,
      .config/emacs/**, .doom.d/**, .spacemacs, .dir-locals.el, .dir-locals-2.el, .claude/**,
      .claude-plugin/**,
      .claude.json, claude_desktop_config.json, .codex/**, .gemini/**, .qwen/**, .continue/**, .continuerc.json, gptme.toml,
      .aider*/**, .mcp/**, .mcp.json, mcp.json, mcp_config.json, .agents/**, .agent/**, .cline/**,
      .roo/**, .kilocode/**, .kiro/**, .amazonq/**, .junie/**, .trae/**, .augment/**, .openhands/**,
      .factory/**, .amp/**, .vibe/**, .kimi/**, .warp/**, .zencoder/**, .crush/**, .crush.json, crush.json, gemini-extension.json,
      .pi/**, .iflow/**, .codebuddy/**, .qoder/**, .rovodev/**, .opencode/**, opencode.json, opencode.jsonc, .config/opencode/**, .goose/**, .config/goose/**`),
  },
  { what: "a setting of the system", names: ["/etc/**", "/private/etc/**", "system32/drivers/etc/**"] },
  {
    what: "a device or the system itself, not a file",
    names: ["/proc/**", "/sys/**", "/dev/**"],
    except: ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/stdout", "/dev/stderr", "/dev/fd/*"],
  },
  { what: "a folder of SSH keys and settings", names: [".ssh/**"] },
  {
    what: "a private key or a store of keys",
    reading: true,
    names: listed(`
      .ssh/**, id_rsa, id_dsa, id_ecdsa, id_ed25519, id_ecdsa_sk, id_ed25519_sk, *.ppk, ssh_host_*_key,
      .gnupg/**, .password-store/**, .local/share/keyrings/**, *.kdbx, library/keychains/**, *.p12,
      *.pfx`),
    except: ["**/.ssh/*.pub"],
  },
  {
    what: "where credentials are kept",
    reading: true,
    names: listed(`
      .aws/**, .azure/**, .config/gcloud/**, .oci/**, .boto, .s3cfg, .config/doctl/**, .kube/**,
      .docker/config.json, .docker/contexts/**, .dockercfg, .htpasswd, .config/containers/auth.json, .terraform.d/**, .terraformrc, .npmrc,
      .yarnrc, .yarnrc.yml, .pypirc, .cargo/credentials*, .gem/credentials, .m2/settings.xml,
      .gradle/gradle.properties, .netrc, _netrc, .git-credentials, .config/git/credentials,
      .config/gh/**, .config/glab-cli/**, .config/hub, .config/rclone/**, .pgpass, .my.cnf,
      .vault-token, .databrickscfg, .config/op/**, .claude/.credentials.json, .codex/auth.json,
      .gemini/oauth_creds.json, opencode/auth.json`),
  },
  {
    what: "Toolgate's own data: rules, answers, keys and history",
    reading: true,
    names: [".config/toolgate/**", ".local/state/toolgate/**"],
  },
  {
    what: "an environment file, which holds secrets",
    reading: true,
    names: [".env", ".env.*", ".envrc", ".envrc.*", ".flaskenv"],
    except: ["**/.env*.example", "**/.env*.sample", "**/.env*.template", "**/.env*.dist"],
  },
  {
    what: "a list of passwords or the memory of a program",
    reading: true,
    names: listed(`
      /etc/shadow*, /etc/gshadow*, /etc/sudoers, /etc/sudoers.d/**, /private/etc/master.passwd,
      /etc/krb5.keytab, /proc/**/environ, /proc/**/mem, /proc/**/cmdline, /proc/kcore, /run/secrets/**,
      /var/run/secrets/**`),
  },
  {
    what: "another way to a file that has a name of its own",
    reading: true,
    names: ["/proc/*/cwd/**", "/proc/*/root/**", "/proc/*/fd/**", "/proc/*/task/**"],
  },
  {
    what: "the profile of a browser, with its logins",
    reading: true,
    names: listed(`
      .mozilla/**, .config/google-chrome*/**, .config/chromium/**, .config/microsoft-edge*/**,
      .config/bravesoftware/**, application support/google/chrome/**, library/safari/**,
      application support/firefox/**, application support/chromium/**, library/cookies/**,
      application support/bravesoftware/**, application support/microsoft edge/**,
      google/chrome/user data/**, microsoft/edge/user data/**, mozilla/firefox/**`),
  },
  {
    what: "a history of what was typed",
    reading: true,
    names: [".*_history", "fish_history", "consolehost_history.txt", ".viminfo", ".lesshst"],
  },
];

/** Commas, since some names have spaces in them. */
function listed(names: string): readonly string[] {
  return names.split(",").map((name) => name.trim());
}
