/** Programs that pack and unpack. Unpacking writes wherever it is told to, or here. */
import { FOLLOWS, UNSEEN } from "../folder-reads.js";
import type { Effects, Programs, Seen, Spec } from "../vocabulary.js";

const RUNS = "runs another program";

const TAR_LETTERS_WITH_VALUE = "bCfFgHIKLNTVX";

/** `tar xzf name` is `tar -x -z -f name`: values follow in the order of the letters that take one. */
function oldStyle(args: readonly string[]): readonly string[] {
  const [first = "", ...rest] = args;
  if (first.startsWith("-") || !/^[A-Za-z]+$/.test(first)) return args;
  const words: string[] = [];
  let used = 0;
  for (const letter of first) {
    words.push(`-${letter}`);
    if (!TAR_LETTERS_WITH_VALUE.includes(letter)) continue;
    words.push(rest[used] ?? "");
    used += 1;
  }
  return [...words, ...rest.slice(used)];
}

const COMPRESSORS =
  /^(?:gzip|pigz|bzip2|pbzip2|xz|pixz|zstd|lz4|lzip|lzop|lzma)(?: (?:-\d+|-T ?\d+|--threads=\d+|--long(?:=\d+)?|-k|--ultra|--fast))*$/;

const tar: Spec = {
  flags: `-c --create -x --extract --get -t --list -r --append -u --update -A --catenate --concatenate -d --diff --compare -f= --file= -z
    --gzip --gunzip --ungzip -j --bzip2 -J --xz --zstd --lzma --lzip --lzop -Z --compress --uncompress -a --auto-compress --no-auto-compress
    -I= --use-compress-program= -v --verbose -w --interactive -p --preserve-permissions --same-permissions --no-same-permissions -O
    --to-stdout -C=> --directory=> --exclude= --exclude-vcs --exclude-vcs-ignores --exclude-backups --exclude-caches -X=<
    --exclude-from=< --exclude-tag= --strip-components= --strip= --transform= --xform= -k --keep-old-files --keep-newer-files
    --skip-old-files --overwrite --overwrite-dir --no-overwrite-dir -U --unlink-first --recursive-unlink -m --touch
    --hard-dereference -l --check-links --one-file-system --totals? --wildcards --no-wildcards --anchored --no-anchored
    --ignore-case --no-ignore-case --wildcards-match-slash --no-recursion --recursion --owner= --group= --mode= --mtime= --sort=
    --numeric-owner --same-owner --no-same-owner -o -N= --newer= --after-date= --newer-mtime= --null --no-null
    --format= -H= --posix --pax-option= -b= --blocking-factor= -B -S --sparse --sparse-version= -i --ignore-zeros
    --ignore-failed-read --occurrence? -R --block-number --show-transformed-names --show-stored-names --show-omitted-dirs
    --utc --full-time --quoting-style= --warning= --checkpoint? --force-local -W --verify --acls --xattrs --selinux --no-acls --no-xattrs --no-selinux
    --backup? --suffix= -s --preserve-order --same-order --delay-directory-restore -g=> --listed-incremental=> -G --incremental -V= --label= --record-size=
    -n --seek --no-seek --clamp-mtime --exclude-ignore= --verbatim-files-from --add-file=< --level= -L= --tape-length= -M --multi-volume`,
  doubt: {
    "--to-command= --checkpoint-action= -F= --info-script= --new-volume-script= --rsh-command= --rmt-command=":
      RUNS,
    "-P --absolute-names": "lets the archive write anywhere",
    "--index-file= --volno-file=": "writes a file",
    "--remove-files --delete": "deletes files, in the archive or outside",
    "-K= --starting-file=": "is not known to be harmless",
    "-T= --files-from=": UNSEEN,
    "-h --dereference": FOLLOWS,
  },
  prepare: oldStyle,
  words: tarWords,
};

function tarWords(words: readonly string[], seen: Seen): Effects {
  const archives = seen.values("-f", "--file");
  const doubts = seen
    .values("-I", "--use-compress-program")
    .filter((program) => !COMPRESSORS.test(program))
    .map((program) => `runs "${program}"`);
  const remote = archives.filter((archive) => /^[^/]*:/.test(archive) && !seen.has("--force-local"));
  doubts.push(...remote.map((archive) => `"${archive}" is on another machine, reached by a program`));
  if (seen.has("--transform", "--xform") && seen.has("-x", "--extract", "--get"))
    doubts.push("renames what it unpacks");
  if (seen.has("-x", "--extract", "--get"))
    return {
      reads: archives,
      writes: seen.has("-O", "--to-stdout") ? [] : seen.has("-C", "--directory") ? words : [".", ...words],
      doubts,
    };
  if (seen.has("-t", "--list", "-d", "--diff", "--compare"))
    return { reads: [...archives, ...(seen.has("-t", "--list") ? [] : words)], doubts };
  return { reads: words, writes: archives, doubts };
}

/** Packs `name` into `name.gz` beside it, or the other way round. */
const squeeze = (flags: string): Spec => ({
  flags: `-c --stdout --to-stdout -d --decompress --uncompress -h -k --keep -l --list -n --no-name -N --name -q --quiet -S= --suffix= -t --test -v --verbose -V -z
    --compress --fast --best -1 -2 -3 -4 -5 -6 -7 -8 -9 -0 ${flags}`,
  words: (words, seen) =>
    seen.has("-c", "--stdout", "--to-stdout", "-t", "--test", "-l", "--list")
      ? { reads: words }
      : { reads: words, writes: words, deletes: seen.has("-k", "--keep") ? [] : words },
  // To standard output nothing is replaced.
  check: (seen) => ({
    doubts:
      seen.has("-f", "--force", "-r", "--recursive", "--rm") &&
      !seen.has("-c", "--stdout", "--to-stdout", "-t", "--test", "-l", "--list")
        ? ["replaces many files, or ones that are there already"]
        : [],
  }),
  changes: "-f --force -r --recursive",
});

const xz = squeeze(
  "-e --extreme -T= --threads= -F= --format= -C= --check= -M= --memlimit= --memory= --no-sparse --single-stream -Q --no-warn --robot -H --block-size=",
);
const zstd = squeeze(
  "-o=> -T= --threads= --ultra --long? --fast? --train --maxdict= -D=< --adapt --no-progress --rm --sparse --no-sparse --check --no-check -b? -e? -i? --format= -M= --memory= -10 -11 -12 -13 -14 -15 -16 -17 -18 -19 -20 -21 -22 --exclude-compressed",
);

const sevenZip: Spec = {
  style: "whole",
  flags:
    "-y -r -r0 -aoa -aos -aou -aot -bd -slt -ba -spf2 -m* -t* -p* -x!* -i!* -v* -w -ssc -scs* -bs* -bb* -mmt* -mx* -mhe* -sfx",
  doubt: { "-spf -spf1": "lets the archive write anywhere", "-sdel": "deletes what it has packed" },
  prepare: (args) => args.map((word) => (word.startsWith("-o") ? `--into=${word.slice(2)}` : word)),
  words: (words, seen) => {
    const [letter = "", archive = "", ...rest] = words;
    const into = seen.values("--into");
    if (/^[ltih]$/.test(letter) || words.length === 0) return { reads: [archive] };
    if (/^[xe]$/.test(letter)) return { reads: [archive], writes: into.length > 0 ? into : ["."] };
    if (/^[au]$/.test(letter))
      return {
        reads: rest,
        writes: [archive],
        doubts: rest
          .filter((word) => word.startsWith("@"))
          .map((word) => `"${word}" names files that are not shown here`),
      };
    return { doubts: [`"${letter}" is not known to be harmless`] };
  },
  changes: "--into=",
};

export const archivePrograms = (): Programs => ({
  tar,
  gtar: tar,
  bsdtar: {
    flags:
      "-c -x -t -r -u -f= -z -j -J -a -v -p -O -C=> --exclude= --strip-components= -k -m -n -q -o -S --format= -X=< --zstd --lz4",
    doubt: { "-T=": UNSEEN, "-L -h -H": FOLLOWS },
    prepare: oldStyle,
    words: tarWords,
  },
  gzip: squeeze("-a --ascii --rsyncable --synchronous"),
  gunzip: squeeze("-a --ascii"),
  pigz: squeeze("-p= --processes= -b= -i -K --zip -R -A -m -M -11"),
  bzip2: squeeze("-s --small"),
  bunzip2: squeeze("-s --small"),
  pbzip2: squeeze("-p* -m* -b*"),
  xz,
  unxz: xz,
  lzma: xz,
  unlzma: xz,
  zstd,
  unzstd: zstd,
  lz4: squeeze("-m --multiple -B* --no-frame-crc --content-size -12 -10 -11 --rm"),
  unlz4: squeeze("-m"),
  lzop: squeeze("-o=> -p -x -U"),
  brotli: squeeze("-o=> --output=> -j --rm -w= --lgwin= --quality= -D=<"),
  compress: squeeze("-b="),
  uncompress: squeeze(""),
  zip: {
    flags: `-r --recurse-paths -R -q --quiet -v --verbose -u --update -f --freshen -9 -8 -7 -6 -5 -4 -3 -2 -1 -0 -j --junk-paths -x= --exclude= -i= --include= -e --encrypt -P= --password=
      -y --symlinks -s= --split-size= -D --no-dir-entries -g --grow -o --latest-time -l -ll -z -c -A -J -L -h -h2 -F -FF -FS --filesync -n= --suffixes= -t= -tt= -T --test -sf --show-files -O=> --output-file=> --out=> -b=> -X --no-extra -Z= --compression-method= -sd -db -dc -dd -dg -du -dv -nw -ic -lf=> -la -k -U= -w -ws -p --paths -S -a -B? -sp -sb`,
    doubt: {
      "-TT= --unzip-command=": RUNS,
      "-d --delete -m --move": "deletes files, in the archive or outside",
      "-@": UNSEEN,
    },
    style: "whole",
    prepare: (args) =>
      args.flatMap((word) =>
        /^-[rqjuv9yeXo]{2,}$/.test(word)
          ? word
              .slice(1)
              .split("")
              .map((letter) => `-${letter}`)
          : [word],
      ),
    words: ([archive, ...files], seen) => ({
      reads: files,
      writes: archive === undefined ? [] : [archive],
      deletes: seen.has("-m") ? files : [],
    }),
  },
  unzip: {
    flags:
      "-l -t -v -z -p -c -o -n -q -qq -u -f -j -a -aa -b -B -C -L -M -V -X -K -d=> -x= -P= -O= -I= -Z -1 -T -s -D -U -W",
    doubt: { "-: -^": "lets the archive write outside the folder" },
    words: (words, seen) => ({
      reads: words.slice(0, 1),
      writes: seen.has("-l", "-t", "-v", "-z", "-p", "-c", "-Z")
        ? []
        : seen.has("-d")
          ? words.slice(1)
          : [".", ...words.slice(1)],
    }),
  },
  zipinfo: {
    flags: "-1 -2 -s -m -l -v -h -t -T -z -x= -C",
    words: (words) => ({ reads: words.slice(0, 1) }),
    onlyReads: true,
  },
  zipgrep: { flags: "-i -n -l -v -E -F", words: (words) => ({ reads: words.slice(1, 2) }), onlyReads: true },
  "7z": sevenZip,
  "7za": sevenZip,
  "7zr": sevenZip,
  "7zz": sevenZip,
  unrar: {
    flags: "-o+ -o- -y -r -p* -ad -ep -inul -id -c-",
    style: "whole",
    words: ([letter = "", archive = "", , into]) =>
      /^(?:l|lt|lb|t|v|vt|p)$/.test(letter)
        ? { reads: [archive] }
        : /^[xe]$/.test(letter)
          ? { reads: [archive], writes: [into ?? "."] }
          : { doubts: [`"${letter}" is not known to be harmless`] },
  },
  rar: {
    flags: "-r -y -m0 -m1 -m3 -m5 -p* -hp* -v* -ep -ep1 -x* -rr* -o+ -o- -inul",
    style: "whole",
    words: ([letter = "", archive = "", ...files]) =>
      /^[au]$/.test(letter)
        ? { reads: files, writes: [archive] }
        : /^(?:l|lt|t|v)$/.test(letter)
          ? { reads: [archive] }
          : /^[xe]$/.test(letter)
            ? { reads: [archive], writes: ["."] }
            : { doubts: [`"${letter}" is not known to be harmless`] },
  },
  ar: {
    prepare: (args) => ["--", ...args.map((word, index) => (index === 0 ? word.replace(/^-/, "") : word))],
    words: ([letters = "", archive = "", ...files]) => {
      if (!/^[mpqrtxabcDfilNoPsSTuUvV]+$/.test(letters))
        return { doubts: [`"${letters}" is not known to be harmless`] };
      return /[tp]/.test(letters)
        ? { reads: [archive] }
        : /x/.test(letters)
          ? { reads: [archive], writes: ["."] }
          : { reads: files, writes: [archive] };
    },
  },
  cpio: {
    flags:
      "-i --extract -o --create -p --pass-through -t --list -v --verbose -d --make-directories -m --preserve-modification-time -u --unconditional -F= -I=< -O=> -H= --format= -B -0 --null --quiet -a -V -L -n --no-absolute-filenames -c -D=> -E=<",
    doubt: { "--rsh-command= --to-stdout": RUNS, "--absolute-filenames": "lets the archive write anywhere" },
    words: (words, seen) => {
      const archives = seen.values("-F");
      if (seen.has("-p", "--pass-through"))
        return { writes: words, doubts: ["copies files whose names come from standard input"] };
      if (seen.has("-o", "--create"))
        return {
          writes: archives,
          takesList: true,
          doubts: [UNSEEN, ...(archives.some((name) => name.includes(":")) ? [RUNS] : [])],
        };
      return {
        reads: archives,
        writes: seen.has("-t", "--list") ? [] : ["."],
        doubts: archives.some((name) => name.includes(":")) ? [RUNS] : [],
      };
    },
  },
  unar: { flags: "-o=> -output-directory=> -f -D -d -q -p= -e=", words: "reads" },
  lsar: { flags: "-l -L -t -j", words: "reads", onlyReads: true },
  unsquashfs: {
    flags: "-d=> -dest=> -l -ls -ll -lls -s -stat -f -force -n -q -i -info -no-progress",
    style: "whole",
    words: "reads",
  },
  uudecode: {
    flags: "",
    changes: "-o=> --output-file=>",
    words: (words, seen) => ({ reads: words, writes: seen.has("-o", "--output-file") ? [] : ["."] }),
  },
  asar: {
    subcommands: {
      list: { words: "reads" },
      l: { words: "reads" },
      extract: { words: "copy" },
      e: { words: "copy" },
      pack: { words: "copy" },
      p: { words: "copy" },
    },
  },
});
