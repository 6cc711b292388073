/** Programs that read text and print text. One that can also write a file is doubted when it does. */
import { awkDoubts } from "../scripts/read-awk.js";
import { jqDoubts } from "../scripts/read-jq.js";
import { SECRET_NAMES } from "../path-effects.js";
import { readSed } from "../scripts/read-sed.js";
import { FOLLOWS, orHere, UNSEEN } from "../folder-reads.js";
import type { Effects, Programs, Seen, Spec } from "../vocabulary.js";

const WRITES = "writes a file, which is not expected of a program that reads";
const RUNS = "runs another program";
const SCRIPT = "takes its program from a file that is not shown here";

/** A choice of files that asks for the secret ones. */
const secretNames = (seen: Seen): Effects => ({
  doubts: seen
    .values("--include", "-g", "--glob", "--iglob", "-name", "-iname")
    .filter((name) => !name.startsWith("!") && SECRET_NAMES.test(name))
    .map((name) => `"${name}" asks for files that hold secrets`),
});

const grep: Spec = {
  check: secretNames,
  flags: `-E -F -G -P --extended-regexp --fixed-strings --basic-regexp --perl-regexp -e=~ --regexp=~ -f=<
    --file=< -i -y --ignore-case --no-ignore-case -w --word-regexp -x --line-regexp -z --null-data -s
    --no-messages -v --invert-match -V -m= --max-count= -b --byte-offset -n --line-number --line-buffered -H
    --with-filename -h --no-filename --label= -o --only-matching -q --quiet --silent --binary-files= -a --text
    -I -d= --directories= -D= --devices= -r --recursive --include= --exclude=
    --exclude-from=< --exclude-dir= -L --files-without-match -l --files-with-matches -c --count -T
    --initial-tab -Z --null -A= --after-context= -B= --before-context= -C= --context= --group-separator=
    --no-group-separator --color? --colour? -U --binary`,
  doubt: { "-R --dereference-recursive": FOLLOWS },
  numbers: true,
  words: (words, seen) => {
    const files = seen.has("-e", "--regexp", "-f", "--file") ? words : words.slice(1);
    const isRecursive =
      seen.has("-r", "--recursive", "-R", "--dereference-recursive") ||
      seen.values("-d", "--directories").includes("recurse");
    return { reads: isRecursive ? orHere(files) : files };
  },
  onlyReads: true,
};

const zgrep: Spec = {
  flags: `-E -F -G -P -e=~ -i -w -x -v -n -c -l -L -h -H -o -q -s -A= -B= -C= -m= -a --ignore-case --count`,
  words: "pattern, reads",
  onlyReads: true,
};

const ripgrep: Spec = {
  check: secretNames,
  flags: `-e=~ --regexp=~ -f=< --file=< -A= --after-context= -B= --before-context= -C= --context= -c --count
    --count-matches --color= --colors= --column --no-column --context-separator= --no-context-separator -E=
    --encoding= --no-encoding --engine= -F --fixed-strings --no-fixed-strings --files -l --files-with-matches
    --files-without-match --no-follow -g= --glob= --glob-case-insensitive --heading --no-heading
    --hidden -. --no-hidden --iglob= -i --ignore-case --ignore-file=< --ignore-file-case-insensitive
    --include-zero -v --invert-match --json --line-buffered --block-buffered -n --line-number -N
    --no-line-number -x --line-regexp -M= --max-columns= --max-columns-preview -m= --max-count= -d= --max-depth=
    --maxdepth= --max-filesize= --mmap --no-mmap -U --multiline --multiline-dotall --no-config --[no-]ignore
    --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global --no-ignore-messages
    --no-ignore-parent --no-ignore-vcs --[no-]messages --[no-]unicode -0 --null --null-data --one-file-system -o
    --only-matching --passthru --passthrough --path-separator= -P --pcre2 --no-pre --[no-]crlf -p --pretty -q
    --quiet --regex-size-limit= --dfa-size-limit= -r= --replace= -s --case-sensitive -S --smart-case --sort=
    --sortr= --stats --no-stats --stop-on-nonmatch -a --text -j= --threads= --trim --no-trim -t= --type= --type-add=
    --type-clear= --type-list -T= --type-not= -u --unrestricted -V --pcre2-version --vimgrep -H
    --with-filename -I --no-filename -w --word-regexp -b --byte-offset --binary --no-binary --debug --trace
    --hyperlink-format= --field-match-separator= --field-context-separator= --generate= --no-require-git
    --sort-files --no-search-zip`,
  doubt: { "--pre= --pre-glob= --hostname-bin= -z --search-zip": RUNS, "-L --follow": FOLLOWS },
  words: (words, seen) => ({
    reads: seen.has("--type-list")
      ? []
      : orHere(seen.has("-e", "--regexp", "-f", "--file", "--files") ? words : words.slice(1)),
  }),
  onlyReads: true,
};

const sed: Spec = {
  flags: `-n --quiet --silent -e=~ --expression=~ -E -r --regexp-extended -s --separate -u --unbuffered -z
    --null-data -l= --line-length= --posix --debug --sandbox -b --binary --follow-symlinks`,
  doubt: { "-i? --in-place?": "rewrites its files in place", "-f= --file=": SCRIPT },
  words: (words, seen) => {
    const given = seen.values("-e", "--expression");
    const script = given.length > 0 ? given.join("\n") : (words[0] ?? "");
    const files = given.length > 0 ? words : words.slice(1);
    const { reads = [], doubts = [] } = readSed(script);
    const inPlace = seen.has("-i", "--in-place");
    const odd = files
      .filter((file) => /[{};]/.test(file))
      .map((file) => `"${file}" looks like a script, not a file`);
    return { doubts: [...doubts, ...odd], reads: [...reads, ...files], writes: inPlace ? files : [] };
  },
  onlyReads: true,
};

const awk: Spec = {
  flags: `-F=~ --field-separator=~ -v=~ --assign=~ -P --posix -c --traditional -S --sandbox -b
    --characters-as-bytes -M --bignum -N --use-lc-numeric -O --optimize -r --re-interval -s --no-optimize -t
    --lint-old -V -h -C --copyright --csv -k`,
  doubt: {
    "-f= --file= -E= --exec=": SCRIPT,
    "-i= --include= -l= --load=": "loads code",
    "-o? --pretty-print? -p? --profile? -d? --dump-variables?": WRITES,
    "-W=": "has a meaning of its own in each awk",
  },
  style: "first",
  words: ([program = "", ...files]) => ({
    doubts: awkDoubts(program),
    reads: files.filter((file) => !/^[A-Za-z_]\w*=/.test(file)),
  }),
  onlyReads: true,
};

const jq: Spec = {
  flags: `-n --null-input -r --raw-output -j --join-output -a --ascii-output -c --compact-output -C
    --color-output -M --monochrome-output -S --sort-keys -s --slurp -R --raw-input -e --exit-status --tab
    --indent= --unbuffered --stream --stream-errors --seq --arg= --argjson= --args --jsonargs --slurpfile=<
    --rawfile=< -h -V --build-configuration --raw-output0 -b --binary`,
  doubt: { "-f= --from-file=": SCRIPT, "-L=": "loads other filters" },
  prepare: foldPairs,
  words: ([filter = "", ...files], seen) => ({
    doubts: jqDoubts(filter),
    reads: seen.has("--args", "--jsonargs") ? [] : files,
  }),
  onlyReads: true,
};

/** `--arg name value` takes two words; they are folded into one. */
function foldPairs(args: readonly string[]): string[] {
  const folded: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? "";
    if (!/^--(?:arg|argjson|slurpfile|rawfile)$/.test(word)) {
      folded.push(word);
      continue;
    }
    const value = word.endsWith("file") ? (args[at + 2] ?? "") : "";
    folded.push(`${word}=${value}`);
    at += 2;
  }
  return folded;
}

const uniq: Spec = {
  flags: `-c --count -d --repeated -D --all-repeated? --group? -f= --skip-fields= -i --ignore-case -s= --skip-chars=
    -u --unique -z --zero-terminated -w= --check-chars=`,
  words: ([input, output]): Effects => ({
    reads: input === undefined ? [] : [input],
    ...(output !== undefined && {
      writes: [output],
      doubts: [`"${output}" is written: the second word of uniq is its output`],
    }),
  }),
  onlyReads: true,
};

const yq: Spec = {
  flags: `-P --prettyPrint -r --unwrapScalar -o= --output-format= -p= --input-format= -C --colors -M --no-colors
    -j --tojson -n --null-input -e --exit-status -I= --indent= -N --no-doc -y --yaml-output -Y -s -c`,
  changes: "-i --inplace",
  doubt: { "--split-exp= -s= --from-file=": SCRIPT },
  words: (words, seen) => {
    const [first = "", ...rest] =
      words[0] === "eval" || words[0] === "e" || words[0] === "eval-all" || words[0] === "ea"
        ? words.slice(1)
        : words;
    const inPlace = seen.has("-i", "--inplace");
    const loads = /\benv\b|\bsystem\b|\bexec\b|\bstrenv\b|\benvsubst\b|\bload|\$ENV/.test(first)
      ? ["the expression reads the environment or another file"]
      : [];
    return { doubts: loads, reads: rest, writes: inPlace ? rest : [] };
  },
  onlyReads: true,
};

const sums: Spec = {
  flags: `-b --binary -c --check --tag -t --text -z --zero --ignore-missing --quiet --status --strict -w --warn -a=
    --algorithm= -l= --length= -0 -U`,
  words: "reads",
  onlyReads: true,
};

const base: Spec = {
  flags: `-d --decode -D -i --ignore-garbage -w= --wrap= --base64 --base64url --base32 --base32hex --base16
    --base2msbf --base2lsbf --z85`,
  words: "reads",
  onlyReads: true,
};

const hexdump: Spec = {
  flags: `-b --one-byte-octal -c --one-byte-char -C --canonical -d --two-bytes-decimal -e= --format= -f=< -n= --length= -o -s=
    --skip= -v --no-squeezing -x --two-bytes-hex -L? --color?`,
  words: "reads",
  onlyReads: true,
};

const od: Spec = {
  flags: `-A= --address-radix= --endian= -j= --skip-bytes= -N= --read-bytes= -S= --strings? -t= --format= -v
    --output-duplicates -w? --width? --traditional -a -b -c -d -f -i -l -o -s -x`,
  words: "reads",
  onlyReads: true,
};

const head: Spec = {
  flags: `-n= --lines= -c= --bytes= -q --quiet --silent -v --verbose -z --zero-terminated -f -F --follow? --retry -s=
    --sleep-interval= --pid= --max-unchanged-stats=`,
  numbers: true,
  plus: /^\+\d+[a-z]*$/,
  words: "reads",
  onlyReads: true,
};

const less: Spec = {
  flags: `-a -A -b= -B -c -C -d -D= -e -E -f -F -g -G -h= -i -I -j= -J -K -m -M -n -N -p= -P= -q -Q -r -R -s -S -u
    -U -V -w -W -x= -X -y= -z= -~ -# --RAW-CONTROL-CHARS --raw-control-chars --quit-if-one-screen --no-init --chop-long-lines
    --LINE-NUMBERS --line-numbers --ignore-case --IGNORE-CASE --quit-at-eof --QUIT-AT-EOF --tabs= --pattern= --mouse
    --use-color --status-column --squeeze-blank-lines --follow-name --long-prompt --LONG-PROMPT --no-lessopen -L`,
  doubt: {
    "-o= -O= --log-file= --LOG-FILE=": WRITES,
    "-k= --lesskey-file= --lesskey-src= --lesskey-content=": "reads keys that can run commands",
    "-t= -T= --tag= --tag-file=": "reads a tags file",
  },
  numbers: true,
  plus: /^\+(?:\d+|G|F|\/[^!|\n]*)$/,
  words: "reads",
  onlyReads: true,
};

/** diff follows links unless it is told not to. */
const followsInDiff = (seen: Seen): Effects => ({
  doubts: seen.has("-r", "--recursive") && !seen.has("--no-dereference") ? [FOLLOWS] : [],
});

const filter = (flags: string, more: Partial<Spec> = {}): Spec => ({
  flags,
  words: "reads",
  onlyReads: true,
  ...more,
});

export const textPrograms = (): Programs => ({
  grep,
  egrep: grep,
  fgrep: grep,
  zgrep,
  zegrep: zgrep,
  zfgrep: zgrep,
  bzgrep: zgrep,
  xzgrep: zgrep,
  rg: ripgrep,
  ag: filter(
    `-i -s -S -l -L -c -v -w -Q -F -A= -B= -C= -G= -g= -n -r -R -t -u -U -z -a -o -m= -0 -D -H --hidden --nocolor --color
    --nogroup --group --ignore= --ignore-dir= --depth= --stats --column --literal --files-with-matches --count --noheading
    --heading --nofilename --nonumbers --numbers --smart-case --ignore-case --case-sensitive --vimgrep --js --ts --py --python --html --css
    --ruby --go --rust --java --cpp --cc --json --md --markdown --all-types --all-text --unrestricted --list-file-types`,
    {
      doubt: { "-f --follow": FOLLOWS },
      words: (words, seen) => ({
        reads: orHere(seen.has("-g", "--list-file-types") ? words : words.slice(1)),
      }),
    },
  ),
  ack: filter(
    `-i -I -S -v -w -x -Q -l -L -c -h -H -o -m= -1 -A= -B= -C= -f -g= -n -r -R -k -t= -T= --type= --nocolor --color --nogroup
    --group --ignore-dir= --ignore-file= --column --help-types --js --ts --python --perl --html --css --ruby --go --rust --java --cpp --cc
    --json --markdown --passthru --sort-files --nofilter --noenv`,
    {
      doubt: { "--pager=": RUNS, "--output= --ackrc=": "can run code", "--follow": FOLLOWS },
      words: (words, seen) => ({ reads: orHere(seen.has("-f", "-g") ? words : words.slice(1)) }),
    },
  ),
  sed,
  gsed: sed,
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  jq,
  gojq: jq,
  jaq: jq,
  yq,
  xmllint: filter(
    `--format --noout --xpath= --pretty= --html --nonet --nowarning --noblanks --encode= --recover --huge --quiet --stream
    --timing --valid --dtdvalid=< --schema=< --relaxng=<`,
    {
      doubt: {
        "--output= -o=": WRITES,
        "--shell": "opens a shell of its own that can write files",
        "--noent --loaddtd --path=": "follows entities to other files",
      },
    },
  ),
  sort: filter(
    `-b --ignore-leading-blanks -d --dictionary-order -f --ignore-case -g --general-numeric-sort -i
    --ignore-nonprinting -M --month-sort -h --human-numeric-sort -n --numeric-sort -R --random-sort
    --random-source=< -r --reverse --sort= -V --version-sort --batch-size= -c --check? -C --debug
    -k= --key= -m --merge -s --stable -S= --buffer-size= -t= --field-separator= -T=> --temporary-directory=>
    --parallel= -u --unique -z --zero-terminated`,
    {
      doubt: { "-o= --output=": WRITES, "--compress-program=": RUNS, "--files0-from=": UNSEEN },
      plus: /^\+\d/,
    },
  ),
  uniq,
  cat: filter(`-A --show-all -b --number-nonblank -e -E --show-ends -n --number -s --squeeze-blank -t -T --show-tabs -u -v
    --show-nonprinting`),
  tac: filter("-b --before -r --regex -s= --separator="),
  bat: filter(
    `-p --plain -n --number -A --show-all -l= --language= -r= --line-range= -H= --highlight-line= --theme= --style=
    --color= --paging= --wrap= -d --diff --diff-context= --tabs= --list-languages --list-themes --decorations= -f --force-colorization -P --no-paging
    --file-name= -u --unbuffered -L -S --chop-long-lines -s --squeeze-blank`,
    { doubt: { "--pager=": RUNS } },
  ),
  batcat: filter(
    `-p --plain -n --number -A --show-all -l= --language= -r= --line-range= --theme= --style= --color= --wrap= -d --diff --list-languages
    --list-themes --decorations= -P --no-paging`,
    { doubt: { "--pager=": RUNS, "--paging=": "opens a pager, which has a shell" } },
  ),
  head,
  tail: head,
  zcat: filter("-f -k -l -r -v -q -d"),
  bzcat: filter("-f -k -v -q -d -s"),
  xzcat: filter("-f -k -v -q -d -T="),
  zstdcat: filter("-f -k -v -q -d"),
  wc: filter("-c --bytes -m --chars -l --lines -L --max-line-length -w --words --total=", {
    doubt: { "--files0-from=": UNSEEN },
  }),
  cut: filter(
    "-b= --bytes= -c= --characters= -d= --delimiter= -f= --fields= -n --complement -s --only-delimited --output-delimiter= -z --zero-terminated",
  ),
  tr: {
    flags: "-c -C --complement -d --delete -s --squeeze-repeats -t --truncate-set1",
    words: "verbatim",
    onlyReads: true,
  },
  paste: filter("-d= --delimiters= -s --serial -z --zero-terminated"),
  join: filter(
    "-a= -e= -i --ignore-case -j= -o= -t= -v= -1= -2= --check-order --nocheck-order --header -z --zero-terminated",
  ),
  comm: filter("-1 -2 -3 --check-order --nocheck-order --output-delimiter= --total -z --zero-terminated"),
  nl: filter(
    "-b= --body-numbering= -d= --section-delimiter= -f= --footer-numbering= -h= --header-numbering= -i= --line-increment= -l= --join-blank-lines= -n= --number-format= -p --no-renumber -s= --number-separator= -v= --starting-line-number= -w= --number-width=",
  ),
  fold: filter("-b --bytes -s --spaces -w= --width= -c", { numbers: true }),
  fmt: filter(
    "-c --crown-margin -p= --prefix= -s --split-only -t --tagged-paragraph -u --uniform-spacing -w= --width= -g= --goal=",
    { numbers: true },
  ),
  pr: filter(
    `-a --across -c --show-control-chars -d --double-space -D= --date-format= -e? -F -f --form-feed -h= --header= -i? -J
    -l= --length= -m --merge -n? -N= -o= --indent= -r -s? -S? -t --omit-header -T -v -w= --width= -W= --columns= --number-lines?`,
    { numbers: true, plus: /^\+\d+(?::\d+)?$/ },
  ),
  rev: filter("-0 --zero"),
  expand: filter("-i --initial -t= --tabs=", { numbers: true }),
  unexpand: filter("-a --all --first-only -t= --tabs=", { numbers: true }),
  column: filter(
    "-t --table -s= --separator= -o= --output-separator= -c= --output-width= -x --fillrows -n --table-name= -N= --table-columns= -R= --table-right= -H= --table-hide= -J --json -L --keep-empty-lines -e -d --table-noheadings -l= --table-columns-limit= -E= -T= -W=",
  ),
  shuf: {
    flags:
      "-e --echo -i= --input-range= -n= --head-count= -r --repeat -z --zero-terminated --random-source=<",
    doubt: { "-o= --output=": WRITES },
    words: (words, seen) => ({ reads: seen.has("-e", "--echo") ? [] : words }),
    onlyReads: true,
  },
  tsort: filter(""),
  ptx: filter("-A -f -i=< -o=< -O= -r -t -w= -b=< -g= -M= -R -S= -W= --ignore-case --width="),
  look: {
    flags: "-a --alternative -d --alphanum -f --ignore-case -t= --terminate=",
    words: (words) => ({ reads: words.slice(1) }),
    onlyReads: true,
  },
  diff: filter(
    `-q --brief -s --report-identical-files -c -C= --context? -u -U= --unified? -e --ed -n --rcs -y --side-by-side -W=
    --width= --left-column --suppress-common-lines -p --show-c-function -F= --show-function-line= --label= -L= -t
    --expand-tabs -T --initial-tab --tabsize= --suppress-blank-empty -l --paginate -r --recursive --no-dereference -N
    --new-file --unidirectional-new-file --ignore-file-name-case --no-ignore-file-name-case -x= --exclude= -X=<
    --exclude-from=< -S= --starting-file= --from-file=< --to-file=< -i --ignore-case -E --ignore-tab-expansion -Z
    --ignore-trailing-space -b --ignore-space-change -w --ignore-all-space -B --ignore-blank-lines -I=
    --ignore-matching-lines= -a --text --strip-trailing-cr -D= --ifdef= --GTYPE-group-format= --line-format= --old-line-format=
    --new-line-format= --unchanged-line-format= --old-group-format= --new-group-format= --changed-group-format= --unchanged-group-format= -d
    --minimal --horizon-lines= --speed-large-files --color? --palette= --normal`,
    { numbers: true, check: followsInDiff },
  ),
  sdiff: filter(
    "-i -E -Z -b -W -B -I= -a -w= -l -s -t -d -H --width= --ignore-case --left-column --suppress-common-lines --minimal --ignore-all-space",
    {
      doubt: { "-o= --output=": WRITES, "--diff-program=": RUNS },
    },
  ),
  diff3: filter("-A -e -E -m -3 -x -X -i -a -T --merge --label= -L=", { doubt: { "--diff-program=": RUNS } }),
  colordiff: filter("-u -c -r -q -w -b -B -y -N -W= -U= -i -s --no-dereference", {
    numbers: true,
    check: followsInDiff,
  }),
  vimdiff: { words: "writes", doubt: { "-c= --cmd= -S= -u= -s= -w= -W=": "runs commands of the editor" } },
  cmp: {
    flags: "-b --print-bytes -i= --ignore-initial= -l --verbose -n= --bytes= -s --quiet --silent",
    words: (words) => ({ reads: words.slice(0, 2) }),
    onlyReads: true,
  },
  less,
  more: filter("-d -l -e -f -p -c -s -u -n= --silent --squeeze --lines= -P=", {
    numbers: true,
    plus: /^\+(?:\d+|\/[^!]*)$/,
  }),
  most: filter("-1 -4 -a -b -c -d -k -M -r -s -t -v -w -z", { plus: /^\+(?:\d+|\/[^!]*)$/ }),
  strings: filter(
    "-a --all -f --print-file-name -n= --bytes= -t= --radix= -e= --encoding= -o -s= --output-separator= -w --include-all-whitespace -d --data",
    { numbers: true },
  ),
  xxd: {
    flags:
      "-a -autoskip -b -bits -c= -cols= -C -capitalize -d -e -E -g= -groupsize= -i -include -l= -len= -n= -o= -p -ps -plain -postscript -s= -seek= -u -v -R= -r -revert -c* -g* -l* -s* -o* -h",
    style: "whole",
    words: ([input, output]): Effects => ({
      reads: input === undefined ? [] : [input],
      ...(output !== undefined && {
        writes: [output],
        doubts: [`"${output}" is written: the second word of xxd is its output`],
      }),
    }),
    onlyReads: true,
  },
  hexdump,
  hd: hexdump,
  hexyl: filter(
    "-n= --length= -s= --skip= -v --no-squeezing --color= --border= -C --no-characters -p --plain --block-size=",
  ),
  od,
  base64: base,
  base32: base,
  basenc: base,
  base58: base,
  base16: base,
  ascii85: filter("-d -n="),
  md5sum: sums,
  sha1sum: sums,
  sha224sum: sums,
  sha256sum: sums,
  sha384sum: sums,
  sha512sum: sums,
  b2sum: sums,
  shasum: sums,
  cksum: sums,
  sum: filter("-r -s --sysv"),
  md5: filter("-q -r -s="),
  iconv: filter("-f= --from-code= -t= --to-code= -l --list -c -s --silent --verbose", {
    changes: "-o=> --output=>",
  }),
  dos2unix: { flags: "-b -f -h -k -l -q -s -v -c= -D= -e -i --keepdate --quiet --force", words: "writes" },
  unix2dos: { flags: "-b -f -h -k -l -q -s -v -c= -e -i --keepdate --quiet --force", words: "writes" },
  split: {
    flags: `-a= --suffix-length= --additional-suffix= -b= --bytes= -C= --line-bytes= -d --numeric-suffixes? -x --hex-suffixes? -e
    --elide-empty-files -l= --lines= -n= --number= -t= --separator= -u --unbuffered --verbose`,
    doubt: { "--filter=": RUNS },
    numbers: true,
    words: ([input, prefix = "x"]) => ({ reads: input === undefined ? [] : [input], writes: [prefix] }),
  },
  csplit: {
    flags:
      "-b= --suffix-format= -f=> --prefix=> -k --keep-files --suppress-matched -n= --digits= -s --quiet --silent -z --elide-empty-files",
    words: (words, seen) => ({
      reads: words.slice(0, 1),
      writes: seen.has("-f", "--prefix") ? [] : ["xx00"],
    }),
  },
  numfmt: {
    flags:
      "--debug -d= --delimiter= --field= --format= --from= --from-unit= --grouping --header? --invalid= --padding= --round= --suffix= --to= --to-unit= -z",
    words: "verbatim",
    onlyReads: true,
  },
  envsubst: {
    flags: "-v --variables",
    words: (words) =>
      words.length === 0 ? { doubts: ["fills in any variable of the environment, where secrets are"] } : {},
    onlyReads: true,
  },
  cowsay: {
    flags: "-b -d -g -p -s -t -w -y -e= -n -T= -W= -l",
    doubt: { "-f=": "loads a cow, which is a perl program" },
    words: "verbatim",
    onlyReads: true,
  },
  figlet: { flags: "-c -l -r -x -t -w= -k -o -s -S -p -n -m= -f=", words: "verbatim", onlyReads: true },
  aspell: {
    flags: "-l= --lang= -d= --mode= --encoding= -a -H -t -n",
    style: "first",
    subcommands: {
      list: { flags: "-l= --lang=" },
      dicts: {},
      dump: { words: "text" },
      check: { words: "writes" },
      "-c": { words: "writes" },
    },
  },
  csvtool: {
    subcommands: {
      col: { flags: "-t= -u= -z -o=>", words: (words) => ({ reads: words.slice(1) }) },
      head: { words: (words) => ({ reads: words.slice(1) }) },
      drop: { words: (words) => ({ reads: words.slice(1) }) },
      height: { words: "reads" },
      width: { words: "reads" },
      readable: { words: "reads" },
      namedcol: { words: (words) => ({ reads: words.slice(1) }) },
      join: { words: (words) => ({ reads: words.slice(2) }) },
      cat: { words: "reads" },
      transpose: { words: "reads" },
    },
  },
  ul: filter("-i -t="),
  msgcat: filter("-n= -t= -s -u --use-first --sort-output --no-wrap -w=", {
    changes: "-o=> --output-file=>",
  }),
  uuencode: { flags: "-m --base64", words: (words) => ({ reads: words.slice(0, -1) }), onlyReads: true },
  ed: {
    doubt: { "-p= -s": "takes commands that are not shown here" },
    words: () => ({ doubts: ["an editor that takes its commands, a shell among them, from standard input"] }),
  },
});
