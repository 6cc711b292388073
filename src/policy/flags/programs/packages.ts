/** The system's own packages. Asking is harmless; installing is what the rule's author meant; hooks are not. */
import type { Programs, Spec } from "../vocabulary.js";

const RUNS = "runs another program, or takes packages from elsewhere";

const text = (flags: string, doubt: Record<string, string> = {}, more: Partial<Spec> = {}): Spec => ({
  flags,
  doubt,
  words: "text",
  ...more,
});
const names = (list: string, spec: Spec) => Object.fromEntries(list.split(" ").map((name) => [name, spec]));

/** A package by name comes from the sources that were set up; a file or an address does not. */
const byName: Spec["words"] = (words) => ({
  doubts: words
    .filter(
      (word) => /\/|\.(?:deb|rpm|apk|snap|pkg|zst)$|:\/\//.test(word) && !/^[\w.+-]+\/[\w-]+$/.test(word),
    )
    .map((word) => `"${word}" is a package from elsewhere`),
});

const apt: Spec = {
  flags:
    "-y --yes --assume-yes -q -qq --quiet -s --simulate --dry-run --just-print -d --download-only -f --fix-broken -m --fix-missing --no-install-recommends --install-recommends --no-upgrade --only-upgrade --reinstall --purge --autoremove --auto-remove -V --verbose-versions --installed --upgradable --all-versions -a --names-only -n --full -t= --target-release= --show-progress --allow-downgrades --no-install-suggests -u -v -h -c -i --recurse --no-all-versions --no-pager",
  doubt: {
    "-o= --option= -c= --config-file= --allow-unauthenticated --allow-insecure-repositories --force-yes":
      RUNS,
  },
  inherits: true,
  subcommands: {
    ...names(
      "update list search show policy depends rdepends showpkg showsrc madison pkgnames stats dump clean autoclean check moo",
      text(""),
    ),
    ...names(
      "install upgrade full-upgrade dist-upgrade remove purge autoremove autopurge build-dep download source satisfy reinstall",
      { words: byName },
    ),
    changelog: { words: () => ({ doubts: ["opens a pager, which has a shell"] }) },
  },
};

const dnf: Spec = {
  flags:
    "-y --assumeyes -q --quiet -v --verbose --assumeno -C --cacheonly --refresh --enablerepo= --disablerepo= --repo= --best --nobest --allowerasing --skip-broken --security --bugfix --advisory= --downloadonly --releasever= --showduplicates --available --installed --upgrades -x= --exclude= --all --obsoletes -h",
  doubt: {
    "-c= --config= --installroot= --setopt= --nogpgcheck --repofrompath= --plugin* --enableplugin= --destdir= --downloaddir=":
      RUNS,
  },
  inherits: true,
  subcommands: {
    ...names(
      "list search info check-update check-upgrade repolist history provides whatprovides deplist repoquery updateinfo makecache clean group grouplist groupinfo help check",
      text("--requires --provides --whatrequires= --whatprovides= --deplist -l --list -i"),
    ),
    ...names(
      "install update upgrade remove erase reinstall downgrade autoremove localinstall distro-sync swap mark builddep groupinstall module",
      { words: byName },
    ),
  },
};

const brew: Spec = {
  flags: "-v --verbose -q --quiet -d --debug -h",
  inherits: true,
  subcommands: {
    ...names(
      "list ls search info outdated deps uses desc home log config doctor leaves --version --prefix --cellar --cache options cat update tap-info services missing commands help",
      text(
        "--cask --formula --versions --json? --installed --tree --all --pinned -1 --multiple --include-build --recursive --greedy --eval-all",
      ),
    ),
    ...names("install uninstall remove rm upgrade reinstall cleanup autoremove pin unpin link unlink fetch", {
      flags:
        "--cask --formula -f --force --HEAD --build-from-source -s -n --dry-run --overwrite --greedy --zap --only-dependencies --ignore-dependencies --prune= --keep-tmp",
      words: (words) => ({
        doubts: words
          .filter((word) => /:\/\/|^[./~]|\.rb$/.test(word))
          .map((word) => `"${word}" is a package from elsewhere`),
      }),
    }),
  },
};

export const packagePrograms = (): Programs => ({
  apt,
  "apt-get": apt,
  "apt-cache": apt,
  aptitude: { ...apt, subcommands: { ...apt.subcommands, why: text(""), "safe-upgrade": { words: byName } } },
  "apt-mark": text(""),
  "apt-file": {
    subcommands: names(
      "search list update find show",
      text("-l -x -F --regexp --fixed-string --package-only -i"),
    ),
  },
  dpkg: {
    flags:
      "-l --list -L --listfiles -s --status -S --search -p --print-avail -I --info -c --contents --get-selections --print-architecture --print-foreign-architectures --audit -C --verify -V --compare-versions -W --show -f --field --force-help --no-pager",
    doubt: {
      "-i --install --unpack -x --extract -X --vextract -e --control -R --recursive --admindir= --root= --instdir= --pre-invoke= --post-invoke= --status-logger= --configure -r --remove -P --purge --path-exclude= --log= --set-selections --add-architecture":
        "installs or removes something, or runs another program",
    },
    words: (words, seen) =>
      seen.has("-I", "--info", "-c", "--contents", "-f", "--field") ? { reads: words.slice(0, 1) } : {},
    onlyReads: true,
  },
  "dpkg-query": text(
    "-l --list -L --listfiles -s --status -S --search -W --show -f= --showformat= -p --no-pager",
    { "--admindir= --root=": RUNS },
    { onlyReads: true },
  ),
  "dpkg-deb": {
    flags:
      "-I --info -c --contents -f --field -W --show -b --build -x --extract -e --control --root-owner-group -Z= -z=",
    words: (words, seen) =>
      seen.has("-x", "--extract", "-e", "--control", "-b", "--build")
        ? { reads: words.slice(0, 1), writes: words.slice(1) }
        : { reads: words.slice(0, 1) },
  },
  rpm: {
    flags:
      "-q --query -a --all -l --list -i --info -f --file -p --package -V --verify -c --configfiles -d --docfiles --changelog -R --requires --provides --whatprovides --whatrequires --qf= --queryformat= -K --checksig --last --scripts -s --state --nosignature --nodigest -v",
    doubt: {
      "-U -F -e --install --upgrade --erase --eval= -E= --pipe= --define= -D= --root= --dbpath= --rcfile= --macros= --load= --import --initdb --rebuilddb --nodeps --force --noscripts":
        "installs or removes something, or runs another program",
    },
    words: (words, seen) =>
      seen.has("-q", "--query", "-V", "--verify", "-K", "--checksig", "--version", "--help")
        ? seen.has("-p", "--package", "-f", "--file", "-K")
          ? { reads: words }
          : {}
        : { doubts: ["installs or removes something"] },
  },
  dnf,
  yum: dnf,
  microdnf: dnf,
  zypper: {
    flags: "-n --non-interactive -q --quiet -v --no-refresh --no-color",
    doubt: { "--plus-repo= -p= --root= -R= --no-gpg-checks --config= -c=": RUNS },
    subcommands: {
      ...names(
        "se search if info lu list-updates lr repos refresh ref patches lp pa packages ps what-provides wp",
        text("-s -i -d -u --installed-only --details"),
      ),
      ...names("in install up update rm remove dup patch", {
        flags: "-y --no-confirm -f --force --dry-run --no-recommends",
        words: byName,
      }),
    },
  },
  pacman: {
    flags:
      "-S -s -i -l -y -u -Q -q -e -t -o -k -m -n -F -R -c -d -g -p -D -T -v --noconfirm --needed --asdeps --sync --query --search --info --refresh --sysupgrade --remove --recursive --files --list --quiet --unneeded --nosave -w --downloadonly --color= --print",
    doubt: {
      "-U --upgrade --config= --hookdir= -r= --root= -b= --dbpath= --cachedir= --gpgdir= --sysroot= --overwrite= --logfile= --assume-installed= --noscriptlet":
        RUNS,
    },
    words: byName,
  },
  apk: {
    flags: "-q --quiet -v --verbose -U --update-cache --no-cache -i",
    doubt: {
      "-X= --repository= --allow-untrusted -p= --root= --repositories-file= --keys-dir= --initdb": RUNS,
    },
    inherits: true,
    subcommands: {
      ...names(
        "info search list policy stats version update dot cache audit",
        text("-a --all -d -e --installed -L --contents -v -r -R -s -w -x -I -u --who-owns -W -o"),
      ),
      ...names("add del upgrade fix", {
        flags: "-t= --virtual= -l -u --upgrade -a --available -s --simulate --latest",
        words: byName,
      }),
    },
  },
  snap: {
    subcommands: {
      ...names(
        "list find info changes version services connections warnings known",
        text("--all --color= --unicode= --verbose"),
      ),
      ...names(
        "install remove refresh revert enable disable start stop restart",
        text("--channel= --edge --beta --candidate --stable --revision= --list --purge --no-wait", {
          "--dangerous --classic --devmode --jailmode --name=": "gives up the sandbox of the package",
        }),
      ),
    },
  },
  flatpak: {
    subcommands: {
      ...names(
        "list search info remotes history ps remote-ls",
        text("--app --runtime --columns= --show-details -d --user --system --all -a --updates"),
      ),
      ...names(
        "install update uninstall remove",
        text("-y --assumeyes --user --system --unused --noninteractive", { "--from --bundle": RUNS }),
      ),
    },
  },
  brew,
  port: {
    subcommands: names(
      "list search info installed outdated contents deps variants provides selfupdate",
      text("--name --line"),
    ),
  },
  nix: { subcommands: names("search flake path-info store log why-depends eval", text("--json")) },
  "update-alternatives": text(
    "--list --display --query --get-selections",
    {
      "--install --set --config --auto --remove --remove-all --force --altdir= --admindir= --log=":
        "changes which program a name means",
    },
    { onlyReads: true },
  ),
  asdf: {
    subcommands: names(
      "list current where which latest plugin-list plugin install global local reshim version info",
      text("--all"),
    ),
  },
  nvm: text(""),
  pyenv: {
    subcommands: names(
      "versions version which whence install global local shell root prefix rehash commands",
      text("-l --list -s --skip-existing -f --force -v --verbose --bare"),
    ),
  },
  rbenv: {
    subcommands: names(
      "versions version which whence install global local root prefix rehash",
      text("-l --list -s --bare"),
    ),
  },
});
