/** What the shell itself does, and the small programs that stand beside it in every script. */
import type { Programs, Spec } from "../vocabulary.js";

const quiet: Spec = { words: "verbatim", onlyReads: true };
const text = (flags: string, more: Partial<Spec> = {}): Spec => ({
  flags,
  words: "verbatim",
  onlyReads: true,
  ...more,
});

/** Any word is text, flags and all. */
const verbatim: Spec = { prepare: (args) => ["--", ...args], words: "verbatim", onlyReads: true };

const test: Spec = {
  prepare: (args) => ["--", ...args],
  words: (words) => ({
    // `-v name[$(command)]` runs the command, even from between single quotes; so do the names of -R.
    doubts:
      words.includes("-v") || words.includes("-R") ? ["-v and -R evaluate the name they are given"] : [],
  }),
  onlyReads: true,
};

/** Variables whose value says nothing secret. */
const PLAIN_VARIABLES =
  /^(?:PATH|HOME|USER|SHELL|PWD|LANG|LC_\w+|TERM|EDITOR|HOSTNAME|TMPDIR|NODE_ENV|JAVA_HOME|GOPATH|GOROOT|VIRTUAL_ENV|OSTYPE|TZ|DISPLAY|COLUMNS|LINES|CI)$/;

export const shellPrograms = (): Programs => ({
  echo: verbatim,
  ":": verbatim,
  true: quiet,
  false: quiet,
  printf: {
    ...verbatim,
    words: ([first]) => (first?.startsWith("-v") ? { doubts: ["-v evaluates the name it is given"] } : {}),
  },
  test,
  "[": test,
  cd: { flags: "-L -P -e -@", words: "reads", onlyReads: true },
  pushd: { flags: "-n", plus: /^\+\d+$/, words: "reads", onlyReads: true },
  popd: text("-n", { plus: /^\+\d+$/ }),
  dirs: text("-c -l -p -v"),
  pwd: text("-L -P --logical --physical"),
  type: text("-a -f -p -P -t"),
  command: {
    flags: "-v -V",
    style: "first",
    words: (words, seen) => (seen.has("-v", "-V") ? {} : { doubts: [`runs "${words.join(" ")}"`] }),
    onlyReads: true,
  },
  which: text("-a -s --all"),
  whereis: text("-b -m -s -u -l"),
  hash: {
    words: (words) => ({ doubts: words.length > 0 ? ["changes which program a name means"] : [] }),
    flags: "-r -l -t",
  },
  sleep: text(""),
  seq: text("-f= --format= -s= --separator= -w --equal-width"),
  yes: text(""),
  factor: text("-h --exponents"),
  expr: verbatim,
  wait: text("-n -f"),
  jobs: text("-l -n -p -r -s"),
  exit: text(""),
  clear: text("-x -T= -V"),
  reset: text("-q"),
  tput: text("-T= -S", { onlyReads: true }),
  nproc: text("--all --ignore="),
  history: {
    flags: "",
    numbers: true,
    words: (words) => ({ doubts: words.every((word) => /^\d+$/.test(word)) ? [] : ["changes the history"] }),
    onlyReads: true,
  },
  getconf: text("-a -v="),
  cal: text("-1 -3 -n= -s -m -j -y -Y -w -B= -A= -h"),
  date: {
    flags:
      "-d= --date= -I? --iso-8601? -R --rfc-email --rfc-3339= -r=< --reference=< -u --utc --universal --debug -j -n -v= -z=",
    doubt: {
      "-s= --set=": "sets the clock",
      "-f= --file=": "shows the lines of a file in its complaints",
    },
    plus: /^\+/,
    words: (words) => ({
      doubts: words.some((word) => /^\d+(?:\.\d+)?$/.test(word)) ? ["sets the clock"] : [],
    }),
    onlyReads: true,
  },
  printenv: {
    flags: "-0 --null",
    words: (words) => ({
      doubts:
        words.length > 0 && words.every((word) => PLAIN_VARIABLES.test(word))
          ? []
          : ["shows the environment, where secrets are"],
    }),
    onlyReads: true,
  },
  env: {
    style: "first",
    words: () => ({
      doubts: ["shows the environment, where secrets are, or runs another program in a changed one"],
    }),
  },
  xargs: {
    style: "first",
    flags:
      "-0 --null -r --no-run-if-empty -t --verbose -n= --max-args= -L= -P= --max-procs= -d= --delimiter= -I= -s= -x -E=",
    words: (words) => {
      const plain =
        words.length === 0 ||
        /^(?:\/bin\/|\/usr\/bin\/)?(?:echo|basename|dirname|printf)$/.test(words[0] ?? "");
      return { doubts: plain ? [] : [`runs "${words.join(" ")}" with words that are not shown here`] };
    },
    onlyReads: true,
  },
  bc: text("-l --mathlib -q --quiet -s --standard -w --warn -i --interactive", { words: "reads" }),
  dc: {
    flags: "-V",
    doubt: { "-e= --expression= -f= --file=": 'takes a program, in which "!" runs a command' },
    words: () => ({ doubts: ['takes a program, in which "!" runs a command'] }),
  },
  man: {
    flags: `-k --apropos -f --whatis -a --all -w --where --path --location -W -s= --sections= -S= -K --global-apropos -i -I --names-only -u -c --catman -d --debug
      -R= -L= --locale= -m= --systems= -e= --extension= --regex --wildcard --no-subpages -7 --ascii -E= --encoding= -D --default -V -Z -t --troff -T?`,
    doubt: {
      "-H? --html? -X? --gxditview? -P= --pager= -p= --preprocessor=": "runs another program",
      "-C= --config-file= -M= --manpath=": "reads pages or settings from elsewhere",
      "-l --local-file": "formats a file, whose requests can run programs",
    },
    words: (words) => ({
      doubts: words
        .filter((word) => word.includes("/"))
        .map((word) => `"${word}" is a file, whose requests can run programs`),
    }),
    onlyReads: true,
  },
  apropos: text("-a --and -e --exact -l --long -r --regex -s= --sections= -w --wildcard -v"),
  whatis: text("-l --long -r --regex -s= --sections= -w --wildcard -v"),
  info: text("-k= --apropos= -n= --node= -a --all -w --where --usage --index-search= -d=", {
    doubt: {
      "-o= --output= --restore= --dribble= -f= --file= --init-file= --infodir=":
        "reads or writes another file",
    },
    words: (words) => ({
      doubts: words.filter((word) => word.includes("/")).map((word) => `"${word}" is a file`),
    }),
  }),
  tldr: text(
    "-u --update -p= --platform= -L= --language= -l --list -a -f= --no-color --color= -s= --search= -c --clear-cache -r -R -q",
  ),
  help: text("-d -m -s", { words: "text" }),
  timeout: { style: "first", words: () => ({ doubts: ["runs another program"] }) },
});
