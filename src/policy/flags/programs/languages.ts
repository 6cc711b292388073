/** Other interpreters. A file of this project is ordinary; code on the command line or from standard input is not. */
import type { Effects, Programs, Seen, Spec } from "../vocabulary.js";

const CODE = "runs code that is given on the command line or loaded before the program";
const STDIN = "without a file, it runs whatever comes on standard input";

const fileFirst = (words: readonly string[], seen: Seen): Effects => {
  if (seen.has("-v", "-V", "-h", "--help", "--version", "-version")) return {};
  const [file] = words;
  return file === undefined || file === "-" ? { doubts: [STDIN] } : { reads: [file] };
};

const interpreter = (flags: string, doubt: Record<string, string>, more: Partial<Spec> = {}): Spec => ({
  style: "first",
  flags,
  doubt,
  words: fileFirst,
  ...more,
});
const text = (flags: string, doubt: Record<string, string> = {}): Spec => ({ flags, doubt, words: "text" });
const names = (list: string, spec: Spec) => Object.fromEntries(list.split(" ").map((name) => [name, spec]));

const shell: Spec = {
  style: "first",
  flags: "-e -u -x -v -n -f --norc --noprofile --posix --login -l",
  doubt: {
    "-c=": CODE,
    "-s -i": "runs whatever comes on standard input",
    "--rcfile= --init-file= -O= -o=": CODE,
  },
  // -v and -h are no questions to a shell: it goes on to read its program.
  words: ([file], seen) =>
    file === undefined || file === "-"
      ? { doubts: seen.has("--help", "--version") ? [] : [STDIN] }
      : { reads: [file] },
};

const perl = interpreter("-w -W -X -c -v -V? -t -T -U -u", {
  "-e= -E= -n -p -i? -a -F= -l? -0? -M= -m= -I= -x? -d? -D= -s -S -C?": CODE,
});

const ruby = interpreter("-w -W? -c -v -y --yjit --enable= --disable= --verbose -U --jit", {
  "-e= -r= -I= -n -p -i? -a -l -F= -C= -x? -s -S -0? -E= -K= --dump= -X=": CODE,
});

const php: Spec = {
  style: "first",
  flags: "-v -m -l -n -q -s -w --ini --rf= --rc= --re= --ri= --version --syntax-check -h",
  doubt: {
    "-r= --run= -B= -R= -F= -E= --process-begin= --process-code= --process-file= --process-end= -a --interactive -d= --define= -c= --php-ini= -z= --zend-extension=":
      CODE,
    "-S= --server= -t= --docroot=": "opens this machine to others",
  },
  words: (words, seen) =>
    seen.has("-v", "-m", "--ini", "--rf", "--rc", "--re", "--ri", "--version", "-h", "--help")
      ? {}
      : seen.has("-f", "--file")
        ? {}
        : fileFirst(words, seen),
  changes: "-f=< --file=<",
};

/** `bundle exec x` is judged as `x`. */
const bundle: Spec = {
  subcommands: {
    ...names(
      "install update add remove outdated list show info check lock clean cache package viz doctor open",
      text(
        "--jobs= -j= --retry= --path= --without= --with= --deployment --frozen --local --quiet --verbose --force --all --conservative --group= -g= --patch --minor --major --strict --skip-install --parseable --paths --dry-run --name-only --version= --source=",
      ),
    ),
    exec: {
      nested: (args) => ({
        words: [],
        commands:
          args.length > 0
            ? [/^(?:rspec|rubocop|rake|rails)$/.test(args[0] ?? "") ? args : [`bundled ${args[0] ?? ""}`]]
            : [],
        mustOnlyRead: false,
      }),
      words: "text",
    },
    init: {},
    version: {},
    help: text(""),
    config: {
      words: (words) => ({
        doubts:
          words.length === 0 || words[0] === "list" || words[0] === "get"
            ? []
            : ["changes the settings of bundler"],
      }),
    },
  },
};

const tex: Spec = {
  style: "whole",
  flags:
    "-interaction=* -interaction= -halt-on-error -file-line-error -synctex=* -synctex= -jobname= -jobname=* -output-directory=> -draftmode -output-format=* -recorder -no-shell-escape -version -help -8bit -etex -pdf -xelatex -lualatex -c -C -f -g -quiet -silent -cd -outdir=> -auxdir=> -pv- -time -dvi -ps -bibtex",
  doubt: {
    "-shell-escape --shell-escape -enable-write18 --enable-write18 -shell-restricted -ini -fmt* -progname* -e= -r= -latex* -pdflatex* -pvc -pv -usepretex* -pretex* -lua* --lua*":
      CODE,
  },
  words: (words) => ({ reads: words, doubts: words.filter((word) => word.includes("\\")).map(() => CODE) }),
};

export const languagePrograms = (): Programs => ({
  bash: shell,
  sh: shell,
  dash: shell,
  zsh: shell,
  ksh: shell,
  fish: interpreter("-n -N --no-config -P --private -v -l", {
    "-c= --command= -C= --init-command= -i --interactive -d= -o= -D= --profile=": CODE,
  }),
  perl,
  ruby,
  php,
  lua: interpreter("-v -E -W", { "-e= -l= -i": CODE }),
  luajit: interpreter("-v -E", { "-e= -l= -i -j= -b -O=": CODE }),
  Rscript: interpreter("--vanilla --no-save --no-restore --slave --no-environ --quiet --verbose", {
    "-e= --default-packages= --no-init-file": CODE,
  }),
  julia: interpreter(
    "-q --quiet --startup-file= -t= --threads= -p= -O= --optimize= --color= --check-bounds= --compile= -v -h --project --banner=",
    {
      "-e= --eval= -E= --print= -L= --load= -i -J= --sysimage= -H= --home= --machine-file= --project=": CODE,
    },
  ),
  octave: interpreter("-q --quiet --silent --no-gui --no-window-system -H --no-history -f --no-init-file", {
    "--eval= --persist --path= -p= -i --exec-path= --doc-cache-file=": CODE,
  }),
  tclsh: interpreter("", {}),
  elixir: interpreter("-v --no-halt --color= --logger-sasl-reports=", {
    "-e= --eval= -r= -pr= -S= -pa= -pz= --app= --erl= --cookie= --sname= --name= --rpc-eval= --remsh= --boot=":
      CODE,
  }),
  mix: {
    subcommands: {
      ...names(
        "test compile format deps.get deps.update deps.tree credo dialyzer ecto.migrate ecto.create ecto.rollback phx.routes phx.server help deps clean docs xref hex.outdated",
        text(
          "--trace --failed --only= --exclude= --include= --seed= --cover --stale --max-failures= --check-formatted --dry-run --warnings-as-errors --force --all --strict --slowest= --quiet --no-color --color --listen-on-stdin --partitions=",
          { "-r= --require= --formatter=": CODE },
        ),
      ),
      new: { flags: "--sup --app= --module= --umbrella", words: "writes" },
    },
  },
  iex: { words: () => ({ doubts: [STDIN] }) },
  erl: { words: () => ({ doubts: [STDIN] }) },
  ghc: {
    style: "whole",
    flags:
      "-o=> -O -O0 -O1 -O2 -Wall -Werror -c --make -v -v0 -fno-code -threaded -rtsopts -dynamic -static -package= -odir=> -hidir=> -outputdir=> -i* -X* -W* --version",
    doubt: { "-e= --interactive -F -pgm* -opt* -fplugin* -package-db= -ghci-script= -C": CODE },
    words: "reads",
  },
  ghci: { words: () => ({ doubts: [STDIN] }) },
  runghc: interpreter("", { "-f= --ghc-arg=": CODE }),
  cabal: {
    subcommands: names(
      "build test run bench update install list info check clean freeze outdated repl configure haddock format init",
      text(
        "-v? --verbose? -j? --jobs? -O? --enable-tests --disable-tests --enable-benchmarks --test-show-details= --dry-run --only-dependencies --lib --ghc --non-interactive -n -m",
        { "-w= --with-compiler= --project-file= --ghc-options= --with-*": CODE },
      ),
    ),
  },
  stack: {
    subcommands: {
      ...names(
        "build test run bench install setup clean list update path ls haddock",
        text(
          "--fast --file-watch --pedantic --no-run-tests --no-run-benchmarks --dry-run --test --bench --coverage --ta= --test-arguments= --only-dependencies -j= --silent",
          { "--exec= --with-gcc= --with-ghc= --stack-yaml= --work-dir= --ghc-options=": CODE },
        ),
      ),
      new: { words: "writes" },
    },
  },
  gem: {
    flags: "-v -h",
    subcommands: {
      ...names(
        "list search info outdated environment env help contents specification dependency which cert",
        text(
          "-l --local -r --remote -a --all -d --details -e --exact --pre --versions -v= --version= -q --quiet",
        ),
      ),
      ...names("install i update uninstall cleanup fetch", {
        flags:
          "-v= --version= --no-document --no-ri --no-rdoc -N --user-install --conservative --pre --dry-run -q -a -x -I -f --force --minimal-deps --ignore-dependencies --platform= -d -n= --system",
        doubt: {
          "-s= --source= -i= --install-dir= -P= --trust-policy= -g --file= --http-proxy= --build-root= --bindir=":
            CODE,
        },
        words: (words) => ({
          doubts: words
            .filter((word) => /\/|\.gem$/.test(word))
            .map((word) => `"${word}" is a package from elsewhere`),
        }),
      }),
      build: { words: () => ({ doubts: ["runs the gemspec, which is code"] }), prepare: () => [] },
      pristine: text("--all --extensions"),
    },
  },
  bundle,
  bundler: bundle,
  rake: text(
    "-T? --tasks? -P --prereqs -n --dry-run -q --quiet -s --silent -v --verbose --trace? -t? -j? --jobs? -m --multitask -A --all -D? --describe? -W? --where?",
    {
      "-f= --rakefile= -e= --execute= -p= --execute-print= -E= --execute-continue= -r= --require= -I= --libdir= -R= --rakelibdir= -g --system -C= --directory= -N":
        CODE,
    },
  ),
  rspec: {
    flags:
      "-f= --format= -e= --example= -t= --tag= -P= --pattern= --fail-fast? --no-fail-fast --only-failures -n --next-failure --seed= --order= -c --color --colour --no-color -b --backtrace -w --warnings -p? --profile? --dry-run --bisect? -E= --example-matches= --force-color --exclude-pattern= -o=> --out=> --deprecation-out=>",
    doubt: { "-r= --require= -I= -O= --options= --drb": CODE },
    words: (words) => ({ reads: words.map((word) => word.replace(/:\d+.*$|\[.*$/, "")) }),
  },
  rubocop: {
    flags:
      "-a -A -x --autocorrect --auto-correct --autocorrect-all --only= --except= -f= --format= -P --parallel --no-parallel --display-cop-names -D --fail-level= --list-target-files -L --auto-gen-config --lint -l --safe --cache= --color --no-color --force-exclusion --fail-fast -F -E -S -d --debug -V -v --show-cops? -o=> --out=> --fix-layout",
    doubt: { "-c= --config= -r= --require= --plugin= --cache-root= --init --lsp --server": CODE },
    words: "reads",
  },
  rails: {
    subcommands: {
      ...names(
        "test db:migrate db:rollback db:seed db:create db:setup db:reset db:schema:load db:prepare routes about stats notes assets:precompile zeitwerk:check test:system log:clear tmp:clear db:migrate:status middleware version spec",
        text(
          "-n= --name= -v --verbose -c= --controller= -g= --grep= --expanded -d --defer-output -f --fail-fast -b --backtrace -e= --environment= -s= --seed=",
        ),
      ),
      ...names(
        "server s generate g destroy d",
        text(
          "-p= --port= -e= --environment= --skip --force --pretend -f -s --no-test-framework --skip-routes --api",
        ),
      ),
    },
  },
  composer: {
    flags:
      "-q --quiet -v -vv -vvv --verbose -n --no-interaction --no-ansi --ansi --profile --no-plugins --no-scripts --no-cache -V -h",
    doubt: { "-d= --working-dir=": "works in another project than this one" },
    inherits: true,
    subcommands: {
      ...names(
        "install update require remove dump-autoload dumpautoload outdated show info validate why why-not depends prohibits licenses audit search fund status check-platform-reqs reinstall bump diagnose list help about suggests u i",
        text(
          "--dev --no-dev -o --optimize-autoloader --optimize -a --classmap-authoritative --prefer-dist --prefer-source --dry-run --no-progress --with-all-dependencies -W -w --with-dependencies --ignore-platform-reqs --ignore-platform-req= --no-update --no-autoloader -D --direct -m --minor-only --strict --format= -t --tree --all -l --latest -i --installed --no-check-publish --prefer-stable --prefer-lowest --lock -N --name-only --no-suggest --with= --apcu-autoloader --outdated -s --self --locked --sort-packages --only-name -O",
        ),
      ),
      ...names("test check lint cs stan phpstan", text("")),
      "clear-cache": {},
      init: text("--name= --description= --author= --type= --license= --require= --require-dev= -s="),
    },
  },
  phpunit: {
    style: "first",
    flags:
      "--filter= --testsuite= --group= --exclude-group= --testdox --colors? --stop-on-failure --stop-on-error --no-coverage --coverage-text? --coverage-html=> --coverage-clover=> --log-junit=> -v --verbose --debug --list-tests --list-suites --list-groups --no-progress --order-by= --process-isolation --display-deprecations --display-warnings",
    doubt: {
      "--bootstrap= -c= --configuration= --include-path= -d= --printer= --loader= --extensions= --prepend= --no-configuration":
        CODE,
    },
    words: "reads",
  },
  phpstan: {
    subcommands: {
      ...names("analyse analyze", {
        flags:
          "-l= --level= --no-progress --error-format= --memory-limit= --debug -v -vvv --generate-baseline? --xdebug --no-ansi --ansi",
        doubt: { "-c= --configuration= -a= --autoload-file=": CODE },
        words: "reads",
      }),
      "clear-result-cache": {},
    },
  },
  artisan: text(""),
  pdflatex: tex,
  latex: tex,
  xelatex: tex,
  lualatex: { ...tex, words: (words) => ({ reads: words, doubts: ["its documents can hold programs"] }) },
  latexmk: tex,
  tex,
  pdftex: tex,
  bibtex: { flags: "-terse -min-crossrefs=*", style: "whole", words: "reads" },
  biber: { flags: "--quiet --debug", words: "reads" },
  gdb: { words: () => ({ doubts: ["a debugger, whose commands run programs"] }) },
  lldb: { words: () => ({ doubts: ["a debugger, whose commands run programs"] }) },
  crontab: {
    flags: "-l -u=",
    doubt: { "-e -r -i": "changes what runs later" },
    words: (words) => ({ doubts: words.length > 0 ? ["changes what runs later"] : [] }),
  },
});
