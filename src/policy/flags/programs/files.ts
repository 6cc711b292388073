/** Programs that list, copy, move and delete files. Where they may do so is for the path rules. */
import { findCommands } from "../scripts/read-find.js";
import { FOLLOWS, orHere, readsOrHere, UNSEEN } from "../folder-reads.js";
import type { Effects, Programs, Seen, Spec } from "../vocabulary.js";

const list = (flags: string, more: Partial<Spec> = {}): Spec => ({
  flags,
  words: readsOrHere,
  onlyReads: true,
  ...more,
});

/** Without the recursion, a link that is met is one that was written out, and those are looked at elsewhere. */
const followsBelow =
  (...flags: string[]) =>
  (seen: Seen): Effects => ({
    doubts: seen.has(...flags) && seen.has("-R", "-r", "--recursive") ? [FOLLOWS] : [],
  });

/** Folders that hold what people wrote, not what programs made. */
const SOURCES =
  /^(?:\.\/)?(?:src|lib|source|sources|app|apps|packages|test|tests|docs|\.github|\.git|scripts|include)\/?$/;

const BACKUPS = "--backup? -b -S= --suffix=";

/** The last word, or `-t`, is where the others go; a move also takes them away. */
const into =
  (moves: boolean) =>
  (words: readonly string[], seen: Seen): Effects => {
    const named = seen.values("-t", "--target-directory");
    const sources = named.length > 0 ? words : words.slice(0, -1);
    return {
      reads: sources,
      deletes: moves ? sources : [],
      writes: named.length > 0 ? [] : words.slice(-1),
      doubts: [
        ...(sources.includes("/dev/null") ? ["empties what is there"] : []),
        // Under another name, what is in it is no longer seen to be git's.
        ...sources
          .filter((source) => /(?:^|\/|\w)\.git\/*$/.test(source))
          .map((source) => `"${source}" is a repository, whose settings run programs`),
      ],
    };
  };

/** A link makes what it points at reachable under a new name, so its target counts as read and as written. */
const linkWords = (words: readonly string[], seen: Seen): Effects => {
  const named = seen.values("-t", "--target-directory");
  const targets = named.length > 0 || words.length === 1 ? words : words.slice(0, -1);
  const outside = targets.filter((target) => /^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(target));
  return {
    reads: targets,
    writes: named.length > 0 || words.length === 1 ? [] : words.slice(-1),
    doubts: outside.map((target) => `links to "${target}", which may lie elsewhere`),
  };
};

function modeDoubts(mode: string, recursive: boolean): string[] {
  if (/[+=][rwxX]*[st]|^[2-7]\d{3}$/.test(mode)) return [`"${mode}" lets others run it as its owner`];
  if (/^0?\d\d[2367]$|(?:^|,)[ug]*[oa][ugoa]*[+=][rxX]*w/.test(mode))
    return [`"${mode}" lets everyone write it`];
  if (recursive && /^0*$|-[wxX]*r/.test(mode)) return [`"${mode}" locks everyone out`];
  return [];
}

const modeWords = (words: readonly string[], seen: Seen): Effects => {
  const named = seen.has("--reference");
  const mode = named ? "" : (words[0] ?? "");
  return {
    writes: named ? words : words.slice(1),
    doubts: modeDoubts(mode, seen.has("-R", "--recursive")),
  };
};

const owner: Spec = {
  flags:
    "-c --changes -f --silent --quiet -v --verbose --dereference -h --no-dereference --from= --no-preserve-root --preserve-root --reference=< -R --recursive -H -L -P",
  check: followsBelow("-H", "-L"),
  words: (words, seen) => ({ writes: seen.has("--reference") ? words : words.slice(1) }),
};

const find: Spec = {
  style: "whole",
  flags: `-P -D= -O0 -O1 -O2 -O3 -daystart -depth -d -help -ignore_readdir_race -maxdepth= -mindepth= -mount
    -noignore_readdir_race -noleaf -nowarn -regextype= -warn -xdev -amin=~ -anewer=< -atime=~ -cmin=~ -cnewer=< -ctime=~
    -empty -executable -false -fstype= -gid=~ -group= -ilname=~ -iname=~ -inum=~ -ipath=~ -iregex=~ -iwholename=~ -links=~
    -lname=~ -mmin=~ -mtime=~ -name=~ -newer=< -newerXY=< -newermt= -newerct= -newerat= -newermm=< -newercm=< -newerBt= -nogroup -nouser -path=~
    -perm=~ -readable -regex=~ -samefile=< -size=~ -true -type= -uid=~ -used=~ -user= -wholename=~ -writable -xtype= -context=
    -print -print0 -printf=~ -ls -prune -quit -a -and -o -or -not -E -X -x -s`,
  doubt: {
    "-delete": "deletes what it finds",
    "-fprint= -fprint0= -fprintf= -fls=": "writes a file",
    "-files0-from=": UNSEEN,
    "-H -L -follow": FOLLOWS,
  },
  nested: findCommands,
  words: (words, seen) => {
    const starts = orHere(words.filter((word) => !/^[()!,]$/.test(word)));
    if (!seen.has("-delete")) return { reads: starts };
    // As a pattern, and not the folders themselves: to delete some of what is in the workspace is not to delete it.
    return { reads: starts, deletes: starts.map((start) => `${start}/[found]`) };
  },
  onlyReads: true,
};

const fd: Spec = {
  flags: `-H --hidden -I --no-ignore -u --unrestricted -s --case-sensitive -i --ignore-case -g --glob --regex -F --fixed-strings -a --absolute-path
    -l --list-details -p --full-path -d= --max-depth= --min-depth= --exact-depth= -E= --exclude= --prune -t= --type= -e= --extension=
    -S= --size= --changed-within= --changed-before= -o= --owner= --format= --max-results= -1 -q --quiet --show-errors -c= --color= -j= --threads= -0 --print0
    --strip-cwd-prefix --one-file-system --base-directory=< --search-path=< --no-ignore-vcs --no-ignore-parent --and= -V -h`,
  doubt: { "-L --follow": FOLLOWS },
  nested: (args) => {
    const at = args.findIndex((word) => /^(?:-x|-X|--exec|--exec-batch)$/.test(word));
    if (at === -1) return { words: args, commands: [], mustOnlyRead: true };
    const rest = args.slice(at + 1);
    const end = rest.indexOf(";");
    const command = end === -1 ? rest : rest.slice(0, end);
    return {
      words: [...args.slice(0, at), ...(end === -1 ? [] : rest.slice(end + 1))],
      commands: [command],
      mustOnlyRead: true,
    };
  },
  words: (words) => ({ reads: orHere(words.slice(1)) }),
  onlyReads: true,
};

const ls = list(
  `-a --all -A --almost-all --author -b --escape --block-size= -B --ignore-backups -c -C --color? -d --directory -D
  --dired -f -F --classify? --file-type --format= --full-time -g --group-directories-first -G --no-group -h
  --human-readable --si -H --dereference-command-line --dereference-command-line-symlink-to-dir --hide= --hyperlink?
  --indicator-style= -i --inode -I= --ignore= -k --kibibytes -l -L --dereference -m -n --numeric-uid-gid -N --literal -o
  -p -q --hide-control-chars --show-control-chars -Q --quote-name --quoting-style= -r --reverse -R --recursive -s --size
  -S --sort= --time= --time-style= -t -T= --tabsize= -u -U -v -w= --width= -x -X -Z --context --zero -1 -@ -O -e`,
  {
    check: (seen) => ({
      doubts: seen.has("-L", "--dereference") && seen.has("-R", "--recursive") ? [FOLLOWS] : [],
    }),
  },
);

const exa = list(
  `-1 --oneline -G --grid -l --long -R --recurse -T --tree -x --across -F --classify? --color= --colour= --icons? --no-icons -a --all -d
  --list-dirs -L= --level= -r --reverse -s= --sort= --group-directories-first -D --only-dirs -f --only-files -I= --ignore-glob= --git-ignore -b --binary -B --bytes -g --group
  -h --header -i --inode -m --modified -M -S --blocksize -t= --time= -u --accessed -U --created --git --git-repos --time-style= --no-permissions --no-filesize
  --no-user --no-time --hyperlink --total-size -o --octal-permissions -n --numeric -H --links -Z --context -@ --extended`,
);

export const filePrograms = (): Programs => ({
  ls,
  dir: ls,
  vdir: ls,
  exa,
  eza: exa,
  lsd: list(
    "-a --all -A --almost-all -l --long -1 --oneline -R --recursive --tree --depth= -h --human-readable -d --directory-only -S --sizesort -t --timesort -r --reverse -F --classify --color= --icon= --group-dirs= --total-size -g --git -X --extensionsort -I= --ignore-glob=",
  ),
  tree: list(
    `-a -d -f -x -L= -R -P= -I= --gitignore --gitfile=< --ignore-case --matchdirs --metafirst --prune --info --noreport --charset= --filelimit= -q -N -Q -p -u -g -s -h --si
    --du -D --timefmt= -F -i -v -t -c -U -r --dirsfirst --filesfirst --sort= -n -C -A -S -X -J -H= -T= --nolinks --inodes --device --hintro= --houtro= -Z`,
    { doubt: { "-o=": "writes a file", "-l": FOLLOWS, "--fromfile": UNSEEN } },
  ),
  find,
  gfind: find,
  fd,
  fdfind: fd,
  locate: {
    flags:
      "-A --all -b --basename -c --count -e --existing -i --ignore-case -l= --limit= -n= -r --regexp --regex -0 --null -S --statistics -w --wholename -q --quiet -d=< --database=<",
    words: "text",
    onlyReads: true,
  },
  cp: {
    flags: `-a --archive --attributes-only ${BACKUPS} --copy-contents -d -f --force -i --interactive -H -l --link -L --dereference
      -n --no-clobber -P --no-dereference -p --preserve? --no-preserve= --parents -R -r --recursive --reflink? --remove-destination --sparse=
      --strip-trailing-slashes -s --symbolic-link -t=> --target-directory=> -T --no-target-directory -u --update? -v --verbose -x
      --one-file-system -Z --context? -c`,
    check: (seen) => ({
      doubts:
        seen.has("-H", "-L", "--dereference") && seen.has("-R", "-r", "--recursive", "-a", "--archive")
          ? [FOLLOWS]
          : [],
    }),
    words: into(false),
  },
  mv: {
    flags: `${BACKUPS} -f --force -i --interactive -n --no-clobber --strip-trailing-slashes -t=> --target-directory=> -T --no-target-directory
      -u --update? -v --verbose -Z --context --no-copy --exchange`,
    words: into(true),
  },
  install: {
    flags: `${BACKUPS} -c -C --compare -d --directory -D -g= --group= -m= --mode= -o= --owner= -p --preserve-timestamps -s --strip -t=>
      --target-directory=> -T --no-target-directory -v --verbose`,
    doubt: { "--strip-program=": "runs another program" },
    words: (words, seen) => {
      const modes = seen.values("-m", "--mode").filter((mode) => /s|^[2-7]\d{3}$/.test(mode));
      const doubts = modes.map((mode) => `"${mode}" lets others run it as its owner`);
      return seen.has("-d", "--directory")
        ? { writes: words, doubts }
        : { ...into(false)(words, seen), doubts };
    },
  },
  ln: {
    flags: `${BACKUPS} -d -F --directory -f --force -i --interactive -L --logical -n --no-dereference -P --physical -r --relative -s --symbolic
      -t=> --target-directory=> -T --no-target-directory -v --verbose -h`,
    words: linkWords,
  },
  link: { words: linkWords },
  rm: {
    flags:
      "-f --force -i -I --interactive? --one-file-system --preserve-root? -r -R --recursive -d --dir -v --verbose",
    doubt: { "--no-preserve-root": "lets it delete the root" },
    words: (words, seen) => ({
      deletes: words,
      doubts: words
        .filter((word) => seen.has("-r", "-R", "--recursive") && SOURCES.test(word))
        .map((word) => `"${word}" is a folder of sources`),
    }),
  },
  rmdir: { flags: "--ignore-fail-on-non-empty -p --parents -v --verbose", words: "deletes" },
  unlink: { words: "deletes" },
  trash: { flags: "-v -F", words: "deletes" },
  shred: {
    flags: "-f --force -n= --iterations= -s= --size= -u --remove? -v --verbose -x --exact -z --zero",
    words: (words) => ({ deletes: words, doubts: ["leaves nothing that could be brought back"] }),
  },
  truncate: {
    flags: "-c --no-create -o --io-blocks -r=< --reference=< -s= --size=",
    words: (words, seen) => ({
      writes: words,
      doubts:
        seen.values("-s", "--size").some((size) => size.startsWith("0")) &&
        !words.every((word) => word.endsWith(".log"))
          ? ["empties what is there"]
          : [],
    }),
  },
  touch: {
    flags: "-a -c --no-create -d= --date= -f -h --no-dereference -m -r=< --reference=< -t= --time=",
    words: "writes",
  },
  mkdir: { flags: "-m= --mode= -p --parents -v --verbose -Z --context?", words: "writes" },
  mktemp: { flags: "-d --directory -u --dry-run -q --quiet --suffix= -p?> --tmpdir?> -t", words: "writes" },
  mkfifo: { flags: "-m= --mode=", words: "writes" },
  tee: { flags: "-a --append -i --ignore-interrupts -p --output-error?", words: "writes" },
  sponge: { flags: "-a", words: "writes" },
  chmod: {
    flags:
      "-c --changes -f --silent --quiet -v --verbose --no-preserve-root --preserve-root --reference=< -R --recursive -h -H -L -P",
    check: followsBelow("-H", "-L"),
    prepare: (args) => args.map((word) => (/^-[rwxXst]+$/.test(word) ? `a${word}` : word)),
    words: modeWords,
  },
  chown: owner,
  chgrp: owner,
  dd: {
    words: (words) => {
      const value = (name: string) =>
        words.filter((word) => word.startsWith(`${name}=`)).map((word) => word.slice(name.length + 1));
      const unknown = words.filter(
        (word) =>
          !/^(?:if|of|bs|ibs|obs|cbs|count|skip|seek|iseek|oseek|conv|status|iflag|oflag)=/.test(word),
      );
      const emptied =
        /^\/dev\/(?:null|zero|u?random)$/.test(value("if")[0] ?? "") &&
        value("of").some((path) =>
          /\.(?:[cm]?[jt]sx?|py|rb|go|rs|c|h|cpp|java|json|ya?ml|toml|md|html|css|sql|db|sqlite)$/.test(path),
        );
      return {
        reads: value("if"),
        writes: value("of"),
        doubts: [
          ...(emptied ? ["overwrites a file with nothing of use"] : []),
          ...unknown.map((word) => `"${word}" is not an operand known to be harmless`),
        ],
      };
    },
  },
  stat: list("-L --dereference -f --file-system --cached= -c= --format= --printf= -t --terse -x -s -n -r -q"),
  file: list(
    `-b --brief -c --checking-printout -d --debug -e= --exclude= -E --extension -F= --separator= -h --no-dereference -i --mime --mime-type --mime-encoding -I -k
    --keep-going -L --dereference -l --list -n --no-buffer -N --no-pad -0 --print0 -p --preserve-date -P= --parameter= -r --raw -s --special-files -v -z
    --uncompress -Z --uncompress-noreport --apple`,
    {
      doubt: {
        "-m= --magic-file=": "reads rules from another file",
        "-C --compile": "writes a file",
        "-f= --files-from=": UNSEEN,
        "-S --no-sandbox": "gives up its sandbox",
      },
    },
  ),
  du: list(
    `-0 --null -a --all --apparent-size -B= --block-size= -b --bytes -c --total -D --dereference-args -d= --max-depth= -H -h
    --human-readable --inodes -k -l --count-links -m -P --no-dereference -S --separate-dirs --si -s --summarize -t= --threshold= --time? --time-style=
    -X=< --exclude-from=< --exclude= -x --one-file-system -I= -A -g`,
    { doubt: { "--files0-from=": UNSEEN, "-L --dereference": FOLLOWS } },
  ),
  dust: list(
    "-d= --depth= -n= --number-of-lines= -r --reverse -p --full-paths -X= --ignore-directory= -s --apparent-size -b --no-percent-bars -c --no-colors -i -x -f -t -e= -v= -F -D",
  ),
  df: list(`-a --all -B= --block-size= -h --human-readable -H --si -i --inodes -k -l --local --no-sync --output? -P --portability --sync --total -t= --type= -T
    --print-type -x= --exclude-type= -m -g`),
  ncdu: list("-x --one-file-system -e --extended --exclude= -q --color= -r --si -0 -1 -2", {
    doubt: { "-o=": "writes a file", "-f=": "reads a list from a file" },
  }),
  readlink: list(
    "-f --canonicalize -e --canonicalize-existing -m --canonicalize-missing -n --no-newline -q --quiet -s --silent -v --verbose -z --zero",
  ),
  realpath: list(
    "-e --canonicalize-existing -m --canonicalize-missing -L --logical -P --physical -q --quiet --relative-to= --relative-base= -s --strip --no-symlinks -z --zero",
  ),
  basename: { flags: "-a --multiple -s= --suffix= -z --zero", words: "verbatim", onlyReads: true },
  dirname: { flags: "-z --zero", words: "verbatim", onlyReads: true },
  pathchk: { flags: "-p -P --portability", words: "verbatim", onlyReads: true },
  namei: list("-x --mountpoints -m --modes -o --owners -l --long -n --nosymlinks -v --vertical"),
  lsattr: list("-R -a -d -l -p -v -V"),
  getfacl: list(
    "-a --access -d --default -c --omit-header -e --all-effective -n --numeric -p --absolute-names -R --recursive -t --tabular -L -P",
  ),
  setfacl: {
    flags:
      "-m= --modify= -x= --remove= -b --remove-all -k --remove-default -d --default -R --recursive -L -P -n --no-mask --mask --test",
    check: followsBelow("-L"),
    words: "writes",
  },
  sync: { flags: "-d --data -f --file-system", words: "reads" },
  patch: {
    flags: `-p= --strip= -F= --fuzz= -l --ignore-whitespace -c --context -n --normal -u --unified -N --forward -R --reverse -i=< --input=< -r=>
      --reject-file=> --merge? -E --remove-empty-files -Z --set-utc -T --set-time --quoting-style= -b --backup --backup-if-mismatch --no-backup-if-mismatch
      -V= --version-control= -z= --suffix= -t --batch -f --force -s --quiet --silent --verbose --dry-run --posix -d=> --directory=> --reject-format= --binary -v`,
    doubt: {
      "-e --ed": "runs an editor on the patch, which can run programs",
      "-g= --get=": "runs a version control program",
      "-o= --output= -D= --ifdef= -B= --prefix= -Y= --basename-prefix= --follow-symlinks":
        "writes elsewhere than the patch says",
    },
    words: ([original, patch]) => ({
      writes: original === undefined ? [] : [original],
      reads: patch === undefined ? [] : [patch],
    }),
  },
  rename: {
    flags: "-n --no-act --nono -v --verbose -f --force -o --no-overwrite -s --symlink -i --interactive",
    doubt: { "-e=": "takes a perl program" },
    words: (words) => {
      const [first = ""] = words;
      const plain = /^(?:s|y|tr)\/[^/@$`]*\/[^/@$`]*\/[gi]*$/.test(first);
      if (/^[\w.\- ]*$/.test(first)) return { writes: words.slice(2), deletes: words.slice(2) };
      return {
        writes: words.slice(1),
        deletes: words.slice(1),
        doubts: plain ? [] : ["its first word is a perl program"],
      };
    },
  },
  fdupes: list(
    "-r --recurse -R -H --hardlinks -n --noempty -A -f --omitfirst -1 --sameline -S --size -m --summarize -q --quiet",
    { doubt: { "-d --delete -N --noprompt": "deletes what it finds", "-s --symlinks": FOLLOWS } },
  ),
  exiftool: list(
    "-a -b -c= -d= -e -f -G* -g* -h -j -json -csv -l -L -n -p= -q -r -s -S -t -T -u -U -v* -x= -ee -fast* -ver -list -common -AllDates -CreateDate -DateTimeOriginal -FileName -ImageSize -Model -Make -GPSPosition -filename -all",
    { style: "whole" },
  ),
  mediainfo: list("--Full -f --Output= --Inform="),
  identify: list("-verbose -format= -ping -quiet", {
    style: "whole",
    words: (words) => ({
      reads: words,
      doubts: words.filter((word) => /^[|@]|^\w+:/.test(word)).map((word) => `"${word}" is not a plain file`),
    }),
  }),
  convert: imageMagick(),
  magick: imageMagick(),
  ffprobe: {
    style: "whole",
    flags:
      "-v= -loglevel= -show_format -show_streams -show_entries= -of= -print_format= -hide_banner -select_streams= -i=< -count_frames -count_packets -pretty -show_frames -show_packets -sexagesimal",
    words: mediaWords,
    onlyReads: true,
  },
  ffmpeg: {
    style: "whole",
    flags: `-i=< -y -n -v= -loglevel= -hide_banner -stats -nostdin -t= -to= -ss= -c= -c:v= -c:a= -c:s= -codec= -codec:v= -codec:a= -vcodec= -acodec= -b= -b:v= -b:a= -r= -s= -an -vn -sn
      -crf= -preset= -tune= -profile:v= -pix_fmt= -map= -map_metadata= -metadata= -f= -ar= -ac= -aspect= -vframes= -frames:v= -q= -q:v= -q:a= -qscale:v= -movflags= -shortest -threads=
      -loop= -framerate= -start_number= -copyts -itsoffset= -async= -vsync= -maxrate= -bufsize= -g= -bf= -level= -strict= -codecs -formats -encoders -decoders -filters -version -pass= -sseof= -af= -vf= -filter:v= -filter:a= -filter_complex= -lavfi= -update= -safe=`,
    words: (words, seen) => {
      const filters = seen
        .values("-vf", "-af", "-filter:v", "-filter:a", "-filter_complex", "-lavfi", "-f")
        .filter((value) =>
          /movie|frei0r|ladspa|lv2|sendcmd|zmq|subtitles|lut3d|\btee\b|concat$|textfile|fontfile|=@|\bfile/i.test(
            value,
          ),
        );
      const doubts = filters.map((value) => `"${value}" can open other files`);
      const both = mediaWords([...words, ...seen.values("-i")]);
      return { writes: words, urls: both.urls ?? [], doubts: [...doubts, ...(both.doubts ?? [])] };
    },
  },
});

function mediaWords(words: readonly string[]): Effects {
  const odd = words.filter((word) => /^[a-z0-9+]+:/i.test(word) && !/^https?:/.test(word));
  return {
    reads: words.filter((word) => !/^[a-z0-9+]+:/i.test(word)),
    urls: words.filter((word) => /^https?:/.test(word)),
    doubts: odd.map((word) => `"${word}" is not a plain file`),
  };
}

function imageMagick(): Spec {
  return {
    style: "whole",
    flags: `-resize= -quality= -rotate= -crop= -flip -flop -strip -trim -density= -background= -alpha= -flatten -append +append -gravity= -geometry= -extent= -thumbnail=
      -scale= -sample= -colorspace= -depth= -delay= -loop= -negate -blur= -sharpen= -border= -bordercolor= -auto-orient -verbose -quiet -monochrome -colors= -fuzz= -transparent= -type=
      -format= -compress= -interlace= -define= -size= -fill= -pointsize= -annotate= -splice= -composite -coalesce -layers= -repage -gamma= -modulate= -normalize -equalize -page=`,
    plus: /^\+(?:append|repage|adjoin|profile|dither)$/,
    words: (words) => {
      const plain = words[0] === "convert" || words[0] === "identify" ? words.slice(1) : words;
      const odd = plain.filter(
        (word) => /^[|@]|^\w+:/.test(word) && !/^(?:xc|canvas|png|jpg|jpeg|gif|pdf):[\w.#-]*$/.test(word),
      );
      return {
        reads: plain.slice(0, -1),
        writes: plain.slice(-1),
        doubts: odd.map((word) => `"${word}" is not a plain file`),
      };
    },
  };
}
