/**
 * Git. `allow git *` is the rule people write first, so what it may cover is listed at length: its settings,
 * transports and hooks can each run a program.
 */
import { orHere } from "../folder-reads.js";
import { isSecretFile } from "../path-effects.js";
import type { Effects, Programs, Seen, Spec } from "../vocabulary.js";

const RUNS = "runs another program";
const SKIPS = "skips the checks of this repository";
const LOSES = "can lose work that nothing else holds";
const BARE = "makes a repository whose settings, which run programs, lie among other files";
const WRITES = "writes a file, which is not expected of a command that shows something";

/** Settings that only say how something looks or who the author is. All others are doubted. */
const PLAIN_SETTINGS =
  /^(?:user\.(?:name|email|signingkey)|color\.[\w.-]+|init\.defaultbranch|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote|followtags)|fetch\.(?:prune|prunetags)|core\.(?:autocrlf|eol|safecrlf|filemode|ignorecase|quotepath|longpaths|abbrev|symlinks|precomposeunicode|whitespace|compression|bigfilethreshold)|merge\.(?:conflictstyle|ff|log|renamelimit)|diff\.(?:algorithm|renames|renamelimit|colormoved|mnemonicprefix|noprefix|context|wserrorhighlight|submodule)|log\.(?:date|decorate|abbrevcommit|follow|showsignature)|rebase\.(?:autostash|autosquash|updaterefs|stat)|rerere\.(?:enabled|autoupdate)|status\.[\w.-]+|branch\.(?:autosetuprebase|autosetupmerge|sort)|tag\.(?:sort|gpgsign)|commit\.(?:gpgsign|verbose|cleanup|status)|advice\.\w+|column\.\w+|gc\.auto|pack\.\w+|http\.(?:postbuffer|lowspeedlimit|lowspeedtime)|submodule\.recurse|stash\.\w+|blame\.\w+|feature\.\w+|index\.\w+|maintenance\.auto)$/i;

const COMMIT_CHOICE = `--all --branches? --tags? --remotes? --glob= --exclude= --reflog -g --walk-reflogs --merges --no-merges
  --min-parents= --max-parents= --no-min-parents --no-max-parents --first-parent --exclude-first-parent-only --not --single-worktree --ignore-missing
  --bisect --stdin --cherry-mark --cherry-pick --left-only --right-only --cherry --merge --boundary -n= --max-count= --skip= --since= --after= --until=
  --before= --since-as-filter= --max-age= --min-age= --author= --committer= --grep-reflog= --grep= --all-match --invert-grep -i --regexp-ignore-case --basic-regexp
  -E --extended-regexp -F --fixed-strings -P --perl-regexp --remove-empty --simplify-by-decoration --show-pulls --full-history --dense --sparse
  --simplify-merges --ancestry-path? --date-order --author-date-order --topo-order --reverse --no-walk? --do-walk --alternate-refs --exclude-hidden=`;

const COMMIT_LOOK = `--pretty? --format= --abbrev-commit --no-abbrev-commit --oneline --encoding= --expand-tabs? --no-expand-tabs --notes? --no-notes
  --show-notes? --[no-]standard-notes --show-signature --relative-date --date= --parents --children --left-right --graph --no-graph --show-linear-break?
  --no-decorate --decorate? --decorate-refs= --decorate-refs-exclude= --clear-decorations --source --[no-]mailmap --[no-]use-mailmap --follow --full-diff --log-size -L=
  --header --timestamp --count --objects --use-bitmap-index --disk-usage? --quiet`;

const DIFF = `-p -u --patch -s --no-patch --diff-merges= --no-diff-merges --combined-all-paths -U= --unified= --output-indicator-new= --output-indicator-old=
  --output-indicator-context= --raw --patch-with-raw -t --indent-heuristic --no-indent-heuristic --minimal --patience --histogram --anchored=
  --diff-algorithm= --stat? --stat-width= --stat-count= --stat-name-width= --compact-summary --numstat --shortstat -X? --dirstat? --cumulative --dirstat-by-file? --summary --patch-with-stat -z
  --name-only --name-status --submodule? --color? --no-color --color-moved? --no-color-moved --color-moved-ws= --no-color-moved-ws --word-diff? --word-diff-regex=
  --color-words? --no-renames --[no-]rename-empty --check --ws-error-highlight= --full-index --binary --abbrev? --no-abbrev -B? --break-rewrites? -M? --find-renames?
  -C? --find-copies? --find-copies-harder -D --irreversible-delete -l= --diff-filter= -S=~ -G=~ --find-object= --pickaxe-all --pickaxe-regex -O=<
  --skip-to= --rotate-to= -R --relative? --no-relative -a --text --ignore-cr-at-eol --ignore-space-at-eol -b --ignore-space-change -w --ignore-all-space
  --ignore-blank-lines -I= --ignore-matching-lines= --inter-hunk-context= -W --function-context --exit-code -q --no-ext-diff --no-textconv
  --ignore-submodules? --src-prefix= --dst-prefix= --no-prefix --default-prefix --line-prefix= --ita-invisible-in-index -m -c --cc --cached --staged --merge-base
  --no-index -0 -1 -2 -3 --base --ours --theirs --remerge-diff --dd`;

const DIFF_DOUBTS = {
  "--output=": WRITES,
  "--ext-diff --textconv": "runs the programs that the repository names",
};

/** A word with a path outside the tree makes git read it, repository or not. */
const outsideReads = (words: readonly string[]): Effects => ({
  reads: words.filter((word) => /^[/~]|^\.\.(?:\/|$)/.test(word)),
  doubts: words.filter(isSecretFile).map((word) => `"${word}" holds secrets`),
});

const show = (flags: string, more: Partial<Spec> = {}): Spec => ({
  flags,
  words: outsideReads,
  onlyReads: true,
  ...more,
});
const act = (flags: string, more: Partial<Spec> = {}): Spec => ({ flags, words: outsideReads, ...more });

const log = show(`${COMMIT_CHOICE} ${COMMIT_LOOK} ${DIFF}`, { doubt: DIFF_DOUBTS, numbers: true });

/** `ext::sh -c …` is an address that runs a program; so may any other helper. */
function addresses(words: readonly string[]): Effects {
  const urls = words.filter((word) =>
    /^[a-z][a-z0-9+.-]*:\/\/|^[\w.-]+@[\w.-]+:|^[\w.-]+\.[a-z]{2,}:/i.test(word),
  );
  const helpers = words.filter(
    (word) =>
      /^[a-z0-9+.-]+::/i.test(word) ||
      /^(?:ssh|git|https?|file|git\+ssh|ssh\+git):\/\/-/i.test(word) ||
      /^[^/]*@-|^-/.test(word),
  );
  const odd = urls.filter(
    (url) => /^[a-z][a-z0-9+.-]*:\/\//i.test(url) && !/^(?:https?|ssh|git|git\+ssh|ssh\+git):\/\//i.test(url),
  );
  return {
    urls: urls.filter((url) => !odd.includes(url)),
    reads: outsideReads(words).reads ?? [],
    doubts: [...new Set([...helpers, ...odd])].map(
      (word) => `"${word}" is an address that can run a program or read elsewhere`,
    ),
  };
}

/** A folder is as good a place to push to or fetch from as a remote, and has hooks of its own. */
const isFolder = (word: string): boolean => /^(?:[/~]|\.{1,2}(?:\/|$))|\//.test(word);

/** Where a push, fetch or pull goes: a remote is known by its name, all else is a place of its own. */
function places([target, ...refs]: readonly string[], does: string): Effects {
  const away = addresses(target === undefined ? [] : [target]);
  const isForeign = target !== undefined && ((away.urls ?? []).length > 0 || isFolder(target));
  return {
    ...away,
    reads: [...(away.reads ?? []), ...(outsideReads(refs).reads ?? [])],
    doubts: [
      ...(away.doubts ?? []),
      ...(isForeign ? [`${does} "${target}", which is no remote of this repository`] : []),
    ],
  };
}

const cloneWords = (words: readonly string[]): Effects => ({
  ...addresses(words.slice(0, 1)),
  writes: words.slice(1, 2),
});

function settingName(name: string): string[] {
  return PLAIN_SETTINGS.test(name) ? [] : [`"${name}" is not a setting known to be harmless`];
}

function configWords(words: readonly string[], seen: Seen): Effects {
  const reading = [
    "--get",
    "--get-all",
    "--get-regexp",
    "--get-urlmatch",
    "-l",
    "--list",
    "--get-color",
    "--get-colorbool",
  ];
  const [first = "", ...rest] = words;
  const lists = seen.has("-l", "--list") || first === "list";
  if (lists && seen.has("--global", "--system")) return { doubts: ["shows settings that may hold tokens"] };
  if (seen.has(...reading) || words.length === 0 || lists || first === "get") {
    const names = words.filter((word) =>
      /token|password|secret|credential|extraheader|\.\*|^\.?$/i.test(word),
    );
    return { doubts: names.map((name) => `"${name}" may be a secret`) };
  }
  if (first === "edit") return { doubts: ["opens the settings in an editor"] };
  const writing = /^(?:set|unset|rename-section|remove-section)$/.test(first);
  const [name = ""] = writing ? rest : words;
  const changes =
    writing ||
    rest.length > 0 ||
    seen.has("--unset", "--unset-all", "--add", "--replace-all", "--rename-section", "--remove-section");
  return { doubts: changes ? settingName(name) : [] };
}

const CONFIG_SHARED = `--global --system --local --worktree --get --get-all --get-regexp --get-urlmatch --replace-all --add --unset
  --unset-all --rename-section --remove-section -l --list --fixed-value --get-color --get-colorbool -t= --type= --bool --int --bool-or-int --bool-or-str --path
  --expiry-date -z --null --name-only --includes --no-includes --show-origin --show-scope --show-names --default= --all --regexp --value= --append --comment=`;

const RESTORES =
  "-q --quiet --[no-]progress -m --merge --conflict= -p --patch --recurse-submodules? --no-recurse-submodules --pathspec-from-file=< --pathspec-file-nul --ignore-skip-worktree-bits --[no-]overlay -2 --ours -3 --theirs";
const FETCHES = `-v --verbose -q --quiet --all --no-all --set-upstream -a --append --atomic -f --force -m --multiple -t --tags --no-tags -n -j= --jobs= --prefetch -p --prune
  --no-prune -P --prune-tags --recurse-submodules? --no-recurse-submodules --dry-run --[no-]write-fetch-head -k --keep -u --update-head-ok --[no-]progress --depth= --shallow-since= --shallow-exclude=
  --deepen= --unshallow --refetch --update-shallow --refmap= -o= --server-option= -4 --ipv4 -6 --ipv6 --negotiation-tip= --negotiate-only --filter= --[no-]auto-maintenance
  --[no-]auto-gc --[no-]show-forced-updates --write-commit-graph --stdin --porcelain`;
const MERGES = `--stat --no-stat --summary --log? --no-log --squash --no-squash --commit --no-commit -e --edit --no-edit --cleanup= --ff --no-ff --ff-only --[no-]rerere-autoupdate --[no-]verify-signatures
  -s= --strategy= -X= --strategy-option= --[no-]autostash --allow-unrelated-histories -S? --gpg-sign? --no-gpg-sign --[no-]signoff --[no-]verify`;
const PICKS = `--quit --continue --abort --skip --cleanup= -n --no-commit -e --edit --no-edit -s --signoff -m= --mainline= --rerere-autoupdate -X= --strategy-option= --strategy= -S? --gpg-sign?
  --no-gpg-sign -x --ff --allow-empty --allow-empty-message --keep-redundant-commits --empty= --reference`;
const REF_LIST = `--contains? --no-contains? --merged? --no-merged? --sort= --points-at= --format= --color? --no-color --column? --no-column -i --ignore-case --omit-empty --exclude= --count=`;

const upload = { "--upload-pack= --receive-pack= --exec=": RUNS };

/** The ways to write "all of it". */
const isEverything = (word: string): boolean => [".", "./", ":/", ":", "*"].includes(word);

const branch: Spec = {
  flags: `-v -vv --verbose -q --quiet ${REF_LIST} -r --remotes --abbrev? --no-abbrev -a --all -l --list --show-current`,
  changes:
    "-t --track? --no-track -u= --set-upstream-to= --unset-upstream -d --delete -m --move -c --copy --create-reflog --recurse-submodules --edit-description",
  doubt: { "-D -M -C -f --force": LOSES },
  words: "text",
  onlyReads: true,
};

const nestedWords = (names: string, spec: Spec) =>
  Object.fromEntries(names.split(" ").map((name) => [name, spec]));

const stash: Spec = {
  flags:
    "-p --patch -k --keep-index --no-keep-index -q --quiet -u --include-untracked -a --all -m= --message= -S --staged",
  words: "none",
  subcommands: {
    list: log,
    show: log,
    ...nestedWords(
      "push save",
      act(
        "-p --patch -k --keep-index --no-keep-index -q --quiet -u --include-untracked -a --all -m= --message= -S --staged --pathspec-from-file=< --pathspec-file-nul",
        { words: "text" },
      ),
    ),
    ...nestedWords(
      "pop apply branch create store",
      act("--index -q --quiet -m= --message=", { words: "text" }),
    ),
    ...nestedWords("drop clear", act("-q --quiet", { words: () => ({ doubts: [LOSES] }) })),
  },
};

const bisect: Spec = {
  subcommands: {
    ...nestedWords(
      "start bad good new old skip reset terms log view visualize",
      act("--term-good= --term-bad= --term-new= --term-old= --first-parent --no-checkout", { words: "text" }),
    ),
    run: { words: () => ({ doubts: [RUNS] }), prepare: (args) => ["--", ...args] },
  },
};

const submodule: Spec = {
  flags: "-q --quiet --cached",
  subcommands: {
    status: show("--cached --recursive -q --quiet"),
    summary: show("--cached --files -n= --summary-limit= --for-status"),
    init: act("-q --quiet"),
    deinit: act("-f --force --all -q --quiet"),
    update:
      act(`--init --remote -N --no-fetch -f --force --checkout --merge --rebase --[no-]recommend-shallow --depth= --recursive --[no-]single-branch -j= --jobs= -q --quiet --progress
      --filter=`),
    add: act("-b= --branch= -f --force --name= --depth= -q --quiet", { words: cloneWords }),
    sync: act("--recursive -q --quiet"),
    absorbgitdirs: act(""),
    "set-branch": act("-b= --branch= -d --default -q --quiet"),
    "set-url": act("-q --quiet", { words: (words) => addresses(words.slice(1)) }),
  },
};

const remote: Spec = {
  flags: "-v --verbose",
  onlyReads: true,
  subcommands: {
    show: act("-n", { words: "text" }),
    "get-url": show("--push --all", { words: "text" }),
    update: act("-p --prune", { words: "text" }),
    prune: act("-n --dry-run", { words: "text" }),
    add: act("-t= -m= -f --tags --no-tags --mirror?", {
      words: (words) => {
        const away = addresses(words.slice(1));
        return { ...away, doubts: [...(away.doubts ?? []), "names a place that later pushes may go to"] };
      },
    }),
    "set-url": act("--push --add --delete", {
      words: (words) => {
        const away = addresses(words.slice(1));
        return { ...away, doubts: [...(away.doubts ?? []), "sends later pushes elsewhere"] };
      },
    }),
    ...nestedWords(
      "rename set-head set-branches",
      act("-a --auto -d --delete --add --progress --no-progress", { words: "text" }),
    ),
  },
};

const worktree: Spec = {
  subcommands: {
    list: show("-v --verbose --porcelain -z --expire="),
    add: act(
      "-f --force -b= -B= -d --detach --[no-]checkout --lock --reason= -q --quiet --[no-]track --[no-]guess-remote --orphan --relative-paths",
      { words: ([path]) => ({ writes: path === undefined ? [] : [path] }) },
    ),
    remove: act("", { doubt: { "-f --force": LOSES }, words: "deletes" }),
    move: act("-f --force", { words: "copy" }),
    prune: act("-n --dry-run -v --verbose --expire="),
    lock: act("--reason="),
    unlock: act(""),
    repair: act(""),
  },
};

const subcommands = (): Record<string, Spec> => ({
  ...nestedWords("log show reflog whatchanged", log),
  reflog: {
    ...log,
    words: (words) =>
      /^(?:delete|expire|drop)$/.test(words[0] ?? "") ? { doubts: [LOSES] } : outsideReads(words),
  },
  diff: show(`${DIFF} --no-renames`, {
    doubt: DIFF_DOUBTS,
    numbers: true,
    words: (words, seen) => (seen.has("--no-index") ? { reads: words } : outsideReads(words)),
  }),
  ...nestedWords(
    "diff-tree diff-index diff-files range-diff",
    show(
      `${DIFF} ${COMMIT_LOOK} --root --creation-factor= --no-dual-color -v -r --no-commit-id --always --left-only --right-only`,
      { doubt: DIFF_DOUBTS },
    ),
  ),
  shortlog: show(
    `${COMMIT_CHOICE} -n --numbered -s --summary -e --email -w? --group= -c --committer --format= --date=`,
  ),
  status: show(
    "-v --verbose -s --short -b --branch --show-stash --[no-]ahead-behind --porcelain? --long -z --null -u? --untracked-files? --ignored? --ignore-submodules? --column? --no-column --[no-]renames -M? --find-renames?",
  ),
  blame:
    show(`--incremental -b --root --show-stats --[no-]progress --score-debug -f --show-name -n --show-number -p --porcelain --line-porcelain -c -t -l -s -e --show-email -w --ignore-rev= --ignore-revs-file=<
    --color-lines --color-by-age --minimal -S=< --contents=< -C? -M? -L= --abbrev? --date= --since= --first-parent --reverse --encoding=`),
  annotate: show("-l -t -S=< -L= -C? -M? -w --abbrev?"),
  grep: show(
    `--cached --no-index --untracked --no-exclude-standard --exclude-standard --recurse-submodules -v --invert-match -i --ignore-case -w --word-regexp -a --text -I --no-textconv -r --recursive --no-recursive --max-depth= -E
    --extended-regexp -G --basic-regexp -F --fixed-strings -P --perl-regexp -n --line-number --column -h -H --full-name -l --files-with-matches --name-only -L --files-without-match -z --null -o
    --only-matching -c --count --color? --no-color --break --heading -C= --context= -B= --before-context= -A= --after-context= --threads= -p --show-function -W --function-context -f=< -e=~ --and --or
    --not -q --quiet --all-match -m= --max-count=`,
    {
      doubt: {
        "-O? --open-files-in-pager?": RUNS,
        "--textconv": "runs the programs that the repository names",
      },
      numbers: true,
      words: (words, seen) => {
        const named = seen.has("-e", "-f") ? words : words.slice(1);
        const { doubts = [] } = outsideReads(words);
        return { doubts, reads: [...orHere(named), ...(outsideReads(words.slice(0, 1)).reads ?? [])] };
      },
    },
  ),
  "ls-files":
    show(`-z -t -v -f -c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage -k --killed --directory --no-empty-directory --eol --empty-directory -u --unmerged --resolve-undo -x= --exclude=
    -X=< --exclude-from=< --exclude-per-directory= --exclude-standard --full-name --recurse-submodules --error-unmatch --with-tree= --abbrev? --debug --deduplicate --sparse --format=`),
  "ls-tree": show(
    "-d -r -t -l --long -z --name-only --name-status --object-only --full-name --full-tree --abbrev? --format=",
  ),
  "ls-remote": act(
    "-h --heads -b --branches -t --tags --refs -q --quiet --exit-code --get-url --sort= --symref -o= --server-option=",
    { doubt: upload, words: addresses },
  ),
  "rev-parse":
    show(`--verify -q --quiet --short? --abbrev-ref? --symbolic --symbolic-full-name --all --branches? --tags? --remotes? --show-toplevel --show-cdup --show-prefix --git-dir --absolute-git-dir
    --git-common-dir --is-inside-git-dir --is-inside-work-tree --is-bare-repository --is-shallow-repository --show-superproject-working-tree --path-format= --git-path= --not --sq --default= --disambiguate= --revs-only
    --no-revs --flags --no-flags --since= --until= --glob= --exclude= --show-object-format? --local-env-vars --resolve-git-dir= --shared-index-path`),
  "rev-list": log,
  "name-rev": show(
    "--tags --refs= --exclude= --all --stdin --name-only --no-undefined --always --annotate-stdin",
  ),
  describe: show(
    "--contains --debug --all --tags --long --first-parent --abbrev= --exact-match --candidates= --match= --exclude= --always --dirty? --broken?",
  ),
  "merge-base": show("-a --all --octopus --independent --is-ancestor --fork-point"),
  "for-each-ref": show(
    `${REF_LIST} -s --shell --perl --python --tcl --stdin --start-after= --include-root-refs`,
  ),
  "show-ref": show(
    "--tags --heads --branches -d --dereference -s --hash? --verify --exists --abbrev? -q --quiet --head --exclude-existing?",
  ),
  "show-branch": show(
    "-a --all -r --remotes --color? --no-color --more? --list --no-name --current --sha1-name --merge-base --independent --topo-order --topics --sparse --date-order -g? --reflog?",
  ),
  "symbolic-ref": show("-q --quiet --short --recurse --no-recurse", {
    doubt: { "-d --delete -m=": LOSES },
    words: (words) => ({ doubts: words.length > 1 ? [LOSES] : [] }),
  }),
  "cat-file": show(
    "-e -p -t -s --batch? --batch-check? --batch-all-objects --buffer --follow-symlinks --unordered --allow-unknown-type --filter= -z -Z",
  ),
  "check-ignore": show("-q --quiet -v --verbose --stdin -z -n --non-matching --no-index"),
  "check-attr": show("-a --all --cached --stdin -z --source="),
  "check-ref-format": show("--branch --allow-onelevel --no-allow-onelevel --normalize --refspec-pattern"),
  "count-objects": show("-v --verbose -H --human-readable"),
  cherry: show("-v --verbose --abbrev?"),
  fsck: show(
    "--unreachable --no-dangling --dangling --root --tags --cache --no-reflogs --full --no-full --strict --verbose -v --lost-found --progress --no-progress --connectivity-only --name-objects",
  ),
  "verify-commit": show("-v --verbose --raw"),
  "verify-tag": show("-v --verbose --raw --format="),
  "verify-pack": show("-v --verbose -s --stat-only"),
  var: show("", { words: "text" }),
  version: show("--build-options"),
  help: show(
    "-a --all -g --guides -c --config -m --man -i --info -v --verbose --no-external-commands --no-aliases --user-interfaces --developer-interfaces",
    { words: "text" },
  ),
  config: {
    flags: CONFIG_SHARED,
    doubt: {
      "-f= --file= --blob=": "reads or writes settings elsewhere",
      "-e --edit": "opens the settings in an editor",
    },
    words: configWords,
  },
  add: act(
    "-n --dry-run -v --verbose -i --interactive -p --patch -e --edit -u --update --renormalize -N --intent-to-add -A --all --no-all --ignore-removal --no-ignore-removal --refresh --ignore-errors --ignore-missing --sparse --chmod= --pathspec-from-file=< --pathspec-file-nul --no-warn-embedded-repo",
    { doubt: { "-f --force": "adds what was meant to stay out" } },
  ),
  commit: act(
    `-q --quiet -v --verbose -F=< --file=< --author= --date= -m=~ --message=~ -c= --reedit-message= -C= --reuse-message= --fixup= --squash= --reset-author --trailer= -s --signoff --no-signoff -t=<
    --template=< -e --edit --no-edit --cleanup= --status --no-status -S? --gpg-sign? --no-gpg-sign -a --all -i --include --interactive -p --patch -o --only --verify --dry-run --short --branch --ahead-behind
    --porcelain --long -z --null --amend --no-post-rewrite -u? --untracked-files? --pathspec-from-file=< --pathspec-file-nul --allow-empty --allow-empty-message`,
    { doubt: { "-n --no-verify": SKIPS } },
  ),
  push: act(
    `-v --verbose -q --quiet --all --branches --tags -n --dry-run --porcelain --no-force-with-lease --force-with-lease? --[no-]force-if-includes --recurse-submodules= --no-recurse-submodules
    --[no-]thin -u --set-upstream --[no-]progress --verify --follow-tags --no-follow-tags --[no-]signed? --[no-]atomic -o= --push-option= -4 --ipv4 -6 --ipv6`,
    {
      doubt: {
        ...upload,
        "-f --force --mirror -d --delete --prune": "overwrites or deletes what others may hold",
        "--no-verify": SKIPS,
      },
      words: (words) => {
        const away = places(words, "sends the code to");
        const lost = words
          .slice(1)
          .filter((ref) => /^[+:]/.test(ref))
          .map((ref) => `"${ref}" overwrites or deletes what others may hold`);
        return { ...away, doubts: [...(away.doubts ?? []), ...lost] };
      },
    },
  ),
  fetch: act(FETCHES, {
    doubt: upload,
    words: (words, seen) => (seen.has("-m", "--multiple") ? addresses(words) : places(words, "fetches from")),
  }),
  pull: act(`${FETCHES} ${MERGES} -r? --rebase? --no-rebase`, {
    doubt: upload,
    words: (words) => places(words, "merges code from"),
  }),
  clone: act(
    `-v --verbose -q --quiet --[no-]progress --[no-]reject-shallow -n --no-checkout -l --local --no-local --no-hardlinks -s --shared --recurse-submodules? --recursive? --no-recurse-submodules -j= --jobs= --reference=<
    --reference-if-able=< --dissociate -o= --origin= -b= --branch= --depth= --shallow-since= --shallow-exclude= --[no-]single-branch --no-tags --tags --[no-]shallow-submodules --separate-git-dir=> --server-option= -4
    --ipv4 -6 --ipv6 --filter= --also-filter-submodules --[no-]remote-submodules --sparse --revision=`,
    {
      doubt: {
        "-u= --upload-pack=": RUNS,
        "--template=": "copies hooks, which are programs",
        "-c= --config=": "sets what may be a program",
        "--bundle-uri=": "reads from elsewhere",
        "--bare --mirror": BARE,
      },
      words: cloneWords,
    },
  ),
  init: act(
    "-b= --initial-branch= -q --quiet --shared? --object-format= --ref-format= --separate-git-dir=>",
    { doubt: { "--template=": "copies hooks, which are programs", "--bare": BARE }, words: "writes" },
  ),
  checkout: act(
    `${RESTORES} -b= -B= -l --[no-]guess -d --detach -t --track? --no-track --orphan= --[no-]overwrite-ignore --ignore-other-worktrees`,
    {
      numbers: true,
      doubt: { "-f --force": LOSES },
      words: (words) => ({ ...outsideReads(words), doubts: words.some(isEverything) ? [LOSES] : [] }),
    },
  ),
  switch: act(
    "-c= --create= -C= --force-create= --[no-]guess -q --quiet --recurse-submodules? --no-recurse-submodules --[no-]progress -m --merge --conflict= -d --detach -t --track? --no-track --orphan= --overwrite-ignore --ignore-other-worktrees",
  ),
  restore: act(`${RESTORES} -s= --source= -S --staged -W --worktree --ignore-unmerged`, {
    words: (words, seen) => ({
      ...outsideReads(words),
      doubts: words.some(isEverything) && !seen.has("-S", "--staged") ? [LOSES] : [],
    }),
  }),
  reset: act(
    "-q --quiet --no-quiet --refresh --no-refresh --mixed --soft --keep --recurse-submodules? --no-recurse-submodules -p --patch -N --intent-to-add --pathspec-from-file=< --pathspec-file-nul",
    { doubt: { "--hard --merge": LOSES } },
  ),
  branch,
  tag: {
    flags: `-l --list -n? ${REF_LIST} -v --verify`,
    changes:
      "-d --delete -a --annotate -m=~ --message=~ -F=< --file=< -e --edit --no-edit -s --sign --no-sign --cleanup= -u= --local-user= --create-reflog --trailer=",
    words: "text",
  },
  merge: act(
    `-n ${MERGES} -m=~ --message=~ -F=< --file=< --into-name= -v --verbose -q --quiet --abort --quit --continue --[no-]progress --overwrite-ignore`,
  ),
  rebase: act(
    `--onto= --keep-base --[no-]verify -q --quiet -v --verbose -n --no-stat --stat --signoff --committer-date-is-author-date --reset-author-date --ignore-date -C= --ignore-whitespace --whitespace= -f --force-rebase --no-ff --ff
    --continue --skip --abort --quit --edit-todo --show-current-patch --apply -m --merge -i --interactive --[no-]rerere-autoupdate --empty= --[no-]autosquash --[no-]update-refs -S? --gpg-sign? --no-gpg-sign --[no-]autostash
    -r? --rebase-merges? --no-rebase-merges --[no-]fork-point -s= --strategy= -X= --strategy-option= --root --[no-]reschedule-failed-exec --[no-]reapply-cherry-picks --[no-]keep-empty`,
    { doubt: { "-x= --exec=": RUNS } },
  ),
  "cherry-pick": act(PICKS),
  revert: act(PICKS),
  stash,
  clean: act("-q --quiet -n --dry-run -i --interactive -d -e= --exclude= -x -X", {
    check: (seen) => ({ doubts: seen.has("-f", "--force") && !seen.has("-n", "--dry-run") ? [LOSES] : [] }),
    changes: "-f --force",
  }),
  mv: act("-v --verbose -n --dry-run -f --force -k --sparse", { words: "copy" }),
  rm: act(
    "-n --dry-run -q --quiet --cached -f --force -r --ignore-unmatch --sparse --pathspec-from-file=< --pathspec-file-nul",
    {
      words: (words, seen) => (seen.has("--cached") ? {} : { deletes: words }),
    },
  ),
  apply: act(
    `--exclude= --include= -p= --no-add --stat --numstat --summary --check --index -N --intent-to-add --cached --apply -3 --3way -z -C= --whitespace= --ignore-space-change --ignore-whitespace -R --reverse --unidiff-zero
    --reject --allow-overlap -v --verbose -q --quiet --inaccurate-eof --recount --directory= --allow-empty --ours --theirs --union`,
    {
      doubt: { "--unsafe-paths": "lets the patch write outside the tree", "--build-fake-ancestor=": WRITES },
      words: "reads",
    },
  ),
  am: act(
    `-i --interactive -3 --3way -q --quiet -s --signoff -u --utf8 -k --keep --keep-non-patch -m --message-id --keep-cr --no-keep-cr -c --scissors --quoted-cr= --whitespace= --ignore-space-change --ignore-whitespace
    --directory= --exclude= --include= -C= -p= --patch-format= --reject --continue -r --resolved --skip --abort --quit --show-current-patch? --allow-empty --committer-date-is-author-date --ignore-date -S? --gpg-sign? --empty= --no-verify -n --[no-]3way`,
    { words: "reads" },
  ),
  "format-patch": act(
    `${DIFF} -n --numbered -N --no-numbered --signoff --stdout --cover-letter --numbered-files --suffix= --start-number= -v= --reroll-count= --rfc --subject-prefix= -o=> --output-directory=> -k --keep-subject --no-binary --zero-commit
    --ignore-if-in-upstream --no-stat --add-header= --to= --cc= --from? --in-reply-to= --attach? --inline? --thread? --no-thread --signature= --no-signature --base= --signature-file=< --quiet --progress --root --interdiff= --range-diff=`,
    { doubt: DIFF_DOUBTS, numbers: true },
  ),
  archive: act(
    "--format= --prefix= --add-file=< --add-virtual-file= -o=> --output=> --worktree-attributes -v --verbose -l --list --remote=@ --mtime=",
    { doubt: { "--exec=": RUNS }, numbers: true },
  ),
  bundle: act("-q --quiet --progress --all-progress --version= --all --branches --tags --since=", {
    words: (words) => (words[0] === "create" ? { writes: words.slice(1, 2) } : { reads: words.slice(1, 2) }),
  }),
  bisect,
  submodule,
  remote,
  worktree,
  notes: {
    flags: "--ref=",
    subcommands: {
      list: show(""),
      show: show(""),
      ...nestedWords(
        "add append edit copy remove merge prune get-ref",
        act(
          "-f --force -m=~ --message=~ -F=< --file=< -C= --reuse-message= -c= --allow-empty --ignore-missing -n -v",
          { words: "text" },
        ),
      ),
    },
  },
  "sparse-checkout": {
    subcommands: nestedWords(
      "list init set add reapply disable check-rules",
      act("--[no-]cone --[no-]sparse-index --stdin --skip-checks", { words: "text" }),
    ),
  },
  gc: act(
    "--aggressive --auto --no-prune -q --quiet --keep-largest-pack --cruft --no-cruft --detach --no-detach",
    {
      doubt: { "--prune? --force": LOSES },
    },
  ),
  prune: act("-n --dry-run -v --verbose --progress", { doubt: { "--expire=": LOSES } }),
  repack: act(
    "-a -A -d -f -F -l -n -q --quiet --window= --depth= --threads= --max-pack-size= -b -k -m --cruft",
  ),
  maintenance: {
    subcommands: nestedWords(
      "run stop unregister",
      act("--auto --schedule= --quiet --task= --scheduler= --detach"),
    ),
  },
  "pack-refs": act("--all --no-prune --prune"),
  "commit-graph": {
    subcommands: nestedWords(
      "write verify",
      act("--reachable --changed-paths --split? --progress --no-progress --append --shallow"),
    ),
  },
  "update-index": act(
    "-q --refresh --really-refresh --no-assume-unchanged --no-skip-worktree --add --remove --chmod= --force-remove --again -g --verbose --index-info --[no-]split-index --[no-]untracked-cache --[no-]fsmonitor -z --stdin --unresolve",
  ),
  "update-ref": {
    words: () => ({ doubts: [LOSES] }),
    doubt: { "-d -m= --no-deref --create-reflog --stdin -z": LOSES },
  },
  "update-server-info": act("-f --force"),
  "write-tree": act("--missing-ok --prefix="),
  "commit-tree": act("-p= -m= -F=< -S?"),
  "read-tree": act("-m --reset -u -i -n --dry-run -v --trivial --aggressive --prefix= --empty -q"),
  "hash-object": act("-t= -w --stdin --stdin-paths --no-filters --literally", { words: "reads" }),
  mktree: act("-z --missing --batch"),
  mailinfo: act("-k -b -u --encoding= -n -m --scissors --no-scissors", { words: "writes" }),
  rerere: { subcommands: nestedWords("status diff remaining gc clear forget", act("", { words: "text" })) },
  replace: show("-l --list --format=", {
    doubt: { "-d --delete -f --force --graft -e --edit": LOSES },
    words: "text",
  }),
  "interpret-trailers": act(
    "--in-place --trim-empty --where= --if-exists= --if-missing= --trailer= --only-trailers --only-input --unfold --parse",
    { words: (words, seen) => (seen.has("--in-place") ? { writes: words } : { reads: words }) },
  ),
  lfs: {
    subcommands: {
      ...nestedWords(
        "ls-files status env version locks",
        show("-l --long -s --size -n --name-only -a --all --json -d --debug", { words: "text" }),
      ),
      ...nestedWords(
        "track untrack fetch pull push checkout prune lock unlock migrate",
        act(
          "-v --verbose -n --dry-run --all -l --lockable --filename --recent --include= --exclude= -I= -X= --force",
          { words: "text" },
        ),
      ),
      install: act("--local --skip-repo --force -f --skip-smudge"),
    },
  },
  stage: act("-A --all -u --update -p --patch -f --force -v --verbose -n --dry-run"),
});

const git = (): Spec => ({
  flags:
    "-C=< --no-pager -P --no-replace-objects --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --html-path --man-path --info-path -v -h -c=",
  doubt: {
    "--exec-path?": "changes which programs git runs",
    "--config-env=": "sets what may be a program",
    "--git-dir= --work-tree= --namespace= --super-prefix= --attr-source=":
      "points git at another repository, whose settings can run programs",
    "-p --paginate": "opens a pager, which has a shell",
  },
  subcommands: subcommands(),
  check: (seen) => ({
    doubts: seen.values("-c").flatMap((setting) => {
      const [name = "", value = ""] = setting.split("=", 2);
      return /^core\.pager$/i.test(name) && (value === "cat" || value === "") ? [] : settingName(name);
    }),
  }),
});

export const gitPrograms = (): Programs => ({
  git: git(),
  gh: githubCli(),
  hub: {
    subcommands: { ...subcommands(), browse: { words: "text" }, pr: { words: "text", flags: "-s= -L= -b=" } },
  },
  tig: {
    words: "text",
    flags: "--all --oneline",
    subcommands: {
      log: { words: "text", flags: "--all" },
      status: {},
      show: { words: "text" },
      stash: {},
      blame: { words: "reads" },
    },
  },
});

function githubCli(): Spec {
  const shown =
    "-R= --repo= -L= --limit= -s= --state= --json= -q= --jq= -t= --template= -w --web -a= --assignee= -A= --author= -l= --label= -c --comments -S= --search= -b= --branch= -u= --user= -e= --event= --status= --exit-status --log --log-failed -j= --job= -v --verbose -H= --head= -B= --base= -d --draft --name-only --patch --color= -i= --interval= --watch --required --fail-fast --hostname= -h --attempt= --owner= --visibility= --language= --topic= --sort= --order= -o= --org= --source --fork --archived --no-archived -m= --milestone= -y --yes -N";
  const done = `${shown} --title= --body= -F=< --body-file=< --notes= -n= --notes-file=< --generate-notes --latest --prerelease --target= -f --fill --fill-first --reviewer= -r= --delete-branch --merge --squash --rebase --auto --subject= --add-label= --remove-label= --add-reviewer= --add-assignee= --approve --request-changes --comment --reason= --detach --private --description= --clone --source=< --remote= --push --add-readme --failed --ref= --raw-field= --field= --pattern= -p= -D=> --dir=> --clobber --name= --confirm --undo --event= -T= --color=`;
  const look: Spec = { flags: shown, words: "text" };
  const does: Spec = { flags: done, words: "text" };
  const names = (shownNames: string, actNames: string): Spec => ({
    flags: "-R= --repo=",
    subcommands: { ...nestedWords(shownNames, look), ...nestedWords(actNames, does) },
    inherits: true,
  });
  return {
    subcommands: {
      pr: names(
        "list view status checks diff",
        "create checkout merge close reopen comment edit review ready update-branch",
      ),
      issue: names("list view status", "create close reopen comment edit develop pin unpin"),
      repo: names("list view", "create clone fork sync set-default"),
      run: names("list view watch", "rerun cancel download"),
      workflow: names("list view", "run enable disable"),
      release: names("list view", "create edit upload download"),
      gist: names("list view", ""),
      search: names("repos issues prs code commits", ""),
      label: names("list", "create edit"),
      project: names("list view", ""),
      cache: names("list", ""),
      auth: { subcommands: { status: { flags: "-h= --hostname=" } } },
      browse: does,
      status: look,
      ruleset: names("list view check", ""),
      variable: names("list get", ""),
      secret: names("list", ""),
      org: names("list", ""),
    },
    flags: "-R= --repo=",
    doubt: {},
  };
}
