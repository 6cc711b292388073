/**
 * The settings that a repository may have while git only reads: a closed list of settings that name no program, no
 * other settings file and no network address. The settings that we force override some of them (core.hooksPath,
 * core.fsmonitor).
 */
import type { GitSetting } from "./read-config.js";

const BOOLEAN = /^(?:|true|false|yes|no|on|off|0|1)$/i;

/** By section: the keys of settings without a name between section and key. */
const PLAIN: ReadonlyMap<string, string> = new Map([
  [
    "core",
    "repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol safecrlf " +
      "abbrev quotepath compression loosecompression bigfilethreshold sharedrepository trustctime checkstat untrackedcache " +
      "preloadindex commentchar commentstring whitespace longpaths protecthfs protectntfs fscache hidedotfiles commitgraph " +
      "multipackindex sparsecheckout sparsecheckoutcone usereplacerefs deltabasecachelimit packedgitlimit " +
      "packedgitwindowsize warnambiguousrefs fsyncmethod fsync fsyncobjectfiles createobject notesref hookspath",
  ],
  [
    "extensions",
    "worktreeconfig objectformat compatobjectformat refstorage noop noop-v1 relativeworktrees preciousobjects",
  ],
  ["user", "name email signingkey useconfigonly"],
  ["author", "name email"],
  ["committer", "name email"],
  ["init", "defaultbranch"],
  ["pull", "rebase ff octopus twohead"],
  ["push", "default autosetupremote followtags gpgsign recursesubmodules"],
  ["fetch", "prune prunetags parallel writecommitgraph output fsckobjects recursesubmodules"],
  ["transfer", "fsckobjects unpacklimit"],
  ["receive", "fsckobjects denycurrentbranch denynonfastforwards denydeletes"],
  ["merge", "conflictstyle ff log renamelimit renames stat autostash"],
  ["rebase", "autostash autosquash updaterefs stat abbreviatecommands missingcommitscheck"],
  [
    "diff",
    "algorithm renames renamelimit colormoved colormovedws mnemonicprefix noprefix context interhunkcontext wserrorhighlight " +
      "indentheuristic ignoresubmodules submodule statgraphwidth suppressblankempty",
  ],
  ["log", "date decorate abbrevcommit follow mailmap showroot"],
  [
    "status",
    "short branch showstash showuntrackedfiles relativepaths aheadbehind renames renamelimit submodulesummary",
  ],
  ["commit", "gpgsign verbose cleanup status"],
  ["tag", "sort gpgsign forcesignannotated"],
  ["stash", "showpatch showstat showincludeuntracked"],
  ["rerere", "enabled autoupdate"],
  ["gc", "auto autodetach autopacklimit pruneexpire reflogexpire reflogexpireunreachable writecommitgraph"],
  ["pack", "threads windowmemory window depth packsizelimit usesparse writereverseindex"],
  ["index", "version threads sparse recordendofindexentries recordoffsettable skiphash"],
  ["feature", "manyfiles experimental"],
  ["grep", "patterntype extendedregexp linenumber column fullname threads fallbacktonoindex"],
  ["blame", "coloring date showemail showroot blankboundary"],
  ["i18n", "commitencoding logoutputencoding"],
  ["http", "postbuffer lowspeedlimit lowspeedtime version maxrequests"],
  ["remote", "pushdefault"],
  ["checkout", "defaultremote guess"],
  ["submodule", "recurse active fetchjobs"],
  ["maintenance", "auto strategy"],
  ["column", "ui branch status tag"],
  ["lfs", "repositoryformatversion"],
]);

/** The same for settings with a name between the two. */
const NAMED: ReadonlyMap<string, string> = new Map([
  [
    "remote",
    "url pushurl fetch push tagopt prune prunetags mirror skipdefaultupdate skipfetchall gh-resolved followremotehead",
  ],
  ["submodule", "url active branch ignore fetchrecursesubmodules"],
  ["diff", "xfuncname funcname binary wordregex algorithm"],
  ["url", "insteadof pushinsteadof"],
  ["http", "extraheader"],
  ["lfs", "access locksverify"],
  ["color", "*"],
  ["gc", "reflogexpire reflogexpireunreachable"],
  ["maintenance", "enabled schedule"],
]);

/** Sections in which no key runs anything or leads elsewhere. */
const WHOLE = new Set(["branch", "color", "advice", "gui", "versionsort"]);

/** Why git may do more than read under this setting; `top`: the folder of the files that it is about. */
export function settingRisk({ name, value }: GitSetting): string | undefined {
  const [section = ""] = name.split(".", 1);
  const key = name.slice(name.lastIndexOf(".") + 1);
  const between = name.slice(section.length + 1, -key.length - 1);
  if (WHOLE.has(section)) return undefined;
  if (name === "core.fsmonitor" && BOOLEAN.test(value ?? "")) return undefined;
  // A repository that says it is bare has its settings among other files.
  if (name === "core.bare" && !/^(?:false|no|off|0)$/i.test(value ?? "true"))
    return "the repository is a bare one";
  const keys = between === "" ? PLAIN.get(section) : NAMED.get(section);
  if (keys !== undefined && (keys === "*" || keys.split(" ").includes(key))) return undefined;
  if (section === "include" || section === "includeif")
    return "the repository's configuration takes settings from another file";
  return NAMES_PROGRAM.test(name)
    ? `the repository's configuration names a program: ${name}`
    : `the repository's configuration has a setting that is not known to be harmless: ${name}`;
}

const NAMES_PROGRAM =
  /^(?:filter\.|alias\.|pager\.|gpg\.|credential\.|diff\.(?:external$|.*\.(?:command|textconv)$)|merge\..*\.driver$|(?:diff|merge|man|browser)tool\.|core\.(?:fsmonitor|sshcommand|pager|editor|askpass|gitproxy|alternaterefscommand)$|remote\..*\.(?:uploadpack|receivepack|vcs)$)/;
