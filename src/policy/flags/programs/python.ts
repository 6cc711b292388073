/** Python and its tools. A file of this project is ordinary; code on the command line is not. */
import type { Effects, Programs, Spec } from "../vocabulary.js";

const CODE = "runs code that is given on the command line";
const STDIN = "without a file, it runs whatever comes on standard input";
const ELSEWHERE = "loads settings, plugins or packages from elsewhere";

const pip: Spec = {
  flags:
    "-q --quiet -v --verbose -V -h --no-color --no-input --disable-pip-version-check --no-cache-dir --timeout= --retries= --require-virtualenv --isolated --debug --exists-action=",
  doubt: {
    "--proxy= --trusted-host= --cert= --client-cert= --cache-dir= --log= --python= --use-feature=": ELSEWHERE,
  },
  inherits: true,
  subcommands: {
    install: {
      flags:
        "-r=< --requirement=< -c=< --constraint=< -U --upgrade --upgrade-strategy= --user --pre --no-deps --force-reinstall -I --ignore-installed --no-build-isolation --only-binary= --no-binary= --prefer-binary --no-compile --dry-run --require-hashes --progress-bar= --no-warn-script-location --use-pep517 -e= --editable= --no-index --root-user-action=",
      doubt: {
        "-i= --index-url= --extra-index-url= -f= --find-links= -t= --target= --prefix= --root= --src= --global-option= --install-option= --build-option= -C= --config-settings= --python=":
          ELSEWHERE,
      },
      words: (words, seen) => {
        const editable = seen.values("-e", "--editable");
        const lists = seen
          .values("-r", "--requirement", "-c", "--constraint")
          .filter((list) => list.includes("://"));
        return {
          doubts: [
            ...requirementDoubts(words),
            ...lists.map((list) => `"${list}" names packages that are not shown here`),
            ...requirementDoubts(editable.filter((path) => !/^\.(?:\[[\w,-]+\])?$/.test(path))),
          ],
        };
      },
    },
    uninstall: {
      flags: "-r=< --requirement=<",
      doubt: { "-y --yes --break-system-packages": "removes packages without asking" },
      words: "text",
    },
    download: {
      flags:
        "-r=< --requirement=< -d=> --dest=> --no-deps --only-binary= --platform= --python-version= --no-binary= --pre",
      words: (words) => ({ doubts: requirementDoubts(words) }),
    },
    wheel: {
      flags: "-r=< --requirement=< -w=> --wheel-dir=> --no-deps",
      words: (words) => ({ doubts: requirementDoubts(words) }),
    },
    ...sameFor("list freeze show check inspect index debug help search hash", {
      flags:
        "-o --outdated -u --uptodate -e --editable -l --local --user --pre --format= --not-required --exclude= --all -f --files -r=< --requirement=< --exclude-editable --path=< -a --algorithm= --versions",
      words: "text",
    }),
    cache: {
      words: (words) => ({
        doubts: /^(?:dir|info|list|purge|remove)$/.test(words[0] ?? "")
          ? []
          : ["is not known to be harmless"],
      }),
    },
    config: {
      words: () => ({
        doubts: ["shows or changes where packages come from, passwords among it"],
      }),
      flags: "--global --user --site",
    },
  },
};

/** Names from the registry are ordinary, and so is this folder; addresses and folders elsewhere are not. */
function requirementDoubts(words: readonly string[]): string[] {
  return words
    .filter(
      (word) =>
        !/^\.(?:\[[\w,-]+\])?$/.test(word) &&
        /:\/\/|^[\w]+\+|^[./~]|@\s*\w+:|\.(?:whl|zip|tar\.gz|tgz)$|\//.test(word),
    )
    .map((word) => `"${word}" is a package from elsewhere`);
}

const PLAIN_MODULES = new Map<string, string>([
  ["pytest", "pytest"],
  ["py.test", "pytest"],
  ["mypy", "mypy"],
  ["black", "black"],
  ["isort", "isort"],
  ["flake8", "flake8"],
  ["ruff", "ruff"],
  ["pylint", "pylint"],
  ["pip", "pip"],
  ["coverage", "coverage"],
  ["tox", "tox"],
  ["build", "pyproject-build"],
]);

/** Modules that only work on the files they are given. */
const FILE_MODULES =
  /^(?:venv|virtualenv|unittest|doctest|json\.tool|compileall|py_compile|tabnanny|calendar|this|platform|site|sysconfig|ensurepip|tokenize|ast|dis|pyclbr|gzip|zipfile|tarfile|base64|quopri|timeit|pprint)$/;

function pythonModule(name: string, words: readonly string[]): Effects {
  if (name === "timeit") return { doubts: [CODE] };
  if (name === "unittest") {
    const folders = words.filter((_word, index) =>
      /^(?:-s|--start-directory|-t|--top-level-directory)$/.test(words[index - 1] ?? ""),
    );
    return { reads: [...folders, ...words.filter((word) => word.includes("/") && !word.startsWith("-"))] };
  }
  if (name === "venv" || name === "virtualenv")
    return { writes: words.filter((word) => !word.startsWith("-")) };
  const files = words.filter((word) => !word.startsWith("-"));
  if (name === "json.tool") return { reads: files.slice(0, 1), writes: files.slice(1) };
  if (/^(?:zipfile|tarfile|gzip)$/.test(name))
    return { reads: files, writes: /^(?:-l|--list|-t|--test)$/.test(words[0] ?? "") ? [] : files };
  return { reads: files };
}

/** Whoever allows `python *` means this project's own requirements, not any package. */
const isOwnInstall = (words: readonly string[]) =>
  words[0] === "install" &&
  words
    .slice(1)
    .every(
      (word, index, all) =>
        /^-|^\.(?:\[[\w,-]+\])?$|^(?:pip|setuptools|wheel)$/.test(word) ||
        /^(?:-r|--requirement|-c|--constraint)$/.test(all[index - 1] ?? ""),
    );

const python: Spec = {
  style: "first",
  flags: "-B -b -bb -d -E -I -O -OO -P -q -s -S -u -v -V -VV -W= -x -X= -h",
  doubt: {
    "-c=": CODE,
    "-i": "goes on to run whatever comes on standard input",
    "--check-hash-based-pycs=": "is not known to be harmless",
  },
  nested: (args) => {
    const at = args.findIndex((word) => /^-[BbdEIOPqsSuv]*m/.test(word));
    const before = at === -1 ? [] : args.slice(0, at);
    // A script or a value may stand before; then this -m is not Python's own.
    if (at === -1 || before.some((word) => !/^-[BbdEIOPqsSuv]+$/.test(word)))
      return { words: args, commands: [], mustOnlyRead: false };
    const attached = (args[at] ?? "").replace(/^-[BbdEIOPqsSuv]*m/, "");
    const name = attached === "" ? (args[at + 1] ?? "") : attached;
    const rest = args.slice(attached === "" ? at + 2 : at + 1);
    const installs =
      name === "pip" && /^(?:install|uninstall|download|wheel)$/.test(rest[0] ?? "") && !isOwnInstall(rest);
    const known = installs ? undefined : PLAIN_MODULES.get(name);
    if (known !== undefined)
      return { words: [...before, "--module"], commands: [[known, ...rest]], mustOnlyRead: false };
    return { words: [...before, `--module=${name}`, "--", ...rest], commands: [], mustOnlyRead: false };
  },
  changes: "--module?",
  words: (words, seen) => {
    const [module] = seen.values("--module");
    if (module !== undefined) {
      return FILE_MODULES.test(module)
        ? pythonModule(module, words)
        : { doubts: [`the module "${module}" is not known to be harmless`] };
    }
    if (seen.has("--module", "-V", "-VV", "--version", "-h", "--help")) return {};
    const [file] = words;
    if (file === undefined || file === "-") return { doubts: [STDIN] };
    return { reads: [file] };
  },
};

function sameFor(names: string, spec: Spec): Record<string, Spec> {
  return Object.fromEntries(names.split(" ").map((name) => [name, spec]));
}

const pytest: Spec = {
  flags: `-p= -v -vv -vvv --verbose -q -qq --quiet -x --exitfirst --maxfail= -k= -m= -s --capture= --tb= -l --showlocals --lf --last-failed --ff --failed-first --nf --new-first --sw --stepwise --sw-skip --stepwise-skip --collect-only --co --durations= --durations-min= -r= --cov? --cov-report= --cov-branch
    --cov-fail-under= --no-cov --cov-append -n= --numprocesses= --dist= --disable-warnings --disable-pytest-warnings -W= --pythonwarnings= --strict-markers --strict-config --color= --no-header --no-summary --setup-show --setup-only --setup-plan --fixtures --markers --ignore= --ignore-glob= --deselect= --runxfail --cache-show? --cache-clear
    --import-mode= --log-level= --log-cli-level= --timeout= --reruns= --reruns-delay= --benchmark-only --benchmark-skip --asyncio-mode= --randomly-seed= --junitxml=> --junit-xml=> --html=> --self-contained-html --snapshot-update --pyargs --code-highlight= --show-capture= --full-trace --doctest-modules --doctest-glob= --keep-duplicates --trace-config -h --version -V --failed-first --last-failed-no-failures= --lfnf=`,
  doubt: {
    "-c= --config-file= --rootdir= --confcutdir= --noconftest -o= --override-ini= --basetemp= --pdb --pdbcls= --trace --debug? --log-file= --pastebin= --cov-config= --cache-dir= --pythonpath=":
      ELSEWHERE,
  },
  words: (words) => ({ reads: words.map((word) => word.replace(/::.*$/, "")) }),
  check: (seen) => ({
    doubts: seen
      .values("-p")
      .filter((plugin) => !plugin.startsWith("no:"))
      .map((plugin) => `the plugin "${plugin}" is code`),
  }),
};

const tool = (flags: string, doubt: Record<string, string> = {}): Spec => ({ flags, doubt, words: "reads" });
const dev = (flags: string): Spec => ({ flags, words: "text" });

/** What a project's own environment is asked for. */
const PYTHON_TOOLS =
  /^(?:python3?(?:\.\d+)?|pytest|py\.test|mypy|black|isort|flake8|pylint|pyflakes|pycodestyle|pydocstyle|autopep8|yapf|bandit|pyright|ruff|coverage|tox|nox|mkdocs|sphinx-build|pre-commit|pyproject-build)$/;

/** `poetry run x` and its like are judged as `x`. */
const runs: Spec = {
  flags: "-q --quiet -v --verbose --frozen --locked --no-sync --isolated --no-project",
  doubt: {
    "--with= --with-requirements= --from= --python= -p= --env-file= --directory= --project= -m= --module= -s --script --index= --index-url= --extra-index-url=":
      ELSEWHERE,
  },
  nested: (args) => {
    const at = args.findIndex(
      (word) =>
        !/^(?:-q|--quiet|-v|--verbose|--frozen|--locked|--no-sync|--isolated|--no-project|--)$/.test(word),
    );
    const command = at === -1 ? [] : args.slice(at);
    const flagFirst = command[0]?.startsWith("-") === true;
    return {
      words: flagFirst ? args : args.slice(0, Math.max(at, 0)),
      commands:
        command.length === 0 || flagFirst
          ? []
          : [
              command[0]?.endsWith(".py")
                ? ["python", ...command]
                : PYTHON_TOOLS.test(command[0] ?? "")
                  ? command
                  : [`run ${command[0] ?? ""}`],
            ],
      mustOnlyRead: false,
    };
  },
  words: "text",
};

export const pythonPrograms = (): Programs => ({
  python,
  python2: python,
  python3: python,
  "python3.9": python,
  "python3.10": python,
  "python3.11": python,
  "python3.12": python,
  "python3.13": python,
  pypy3: python,
  pip,
  pip3: pip,
  pipx: {
    subcommands: {
      list: dev("--short --json --include-injected"),
      environment: {},
      ...sameFor("install upgrade uninstall upgrade-all reinstall", {
        flags: "--force -f --include-deps --verbose -v --quiet -q",
        words: (words) => ({ doubts: requirementDoubts(words) }),
      }),
    },
  },
  pytest,
  "py.test": pytest,
  mypy: tool(
    "--strict --ignore-missing-imports --no-error-summary --show-error-codes --pretty --no-incremental --follow-imports= --python-version= --platform= --namespace-packages --explicit-package-bases --check-untyped-defs --disallow-untyped-defs --warn-unused-ignores --warn-return-any --no-strict-optional --exclude= -p= --package= -m= --module= --install-types --non-interactive --show-column-numbers --no-color-output --disable-error-code= --enable-error-code= --implicit-optional --allow-redefinition --txt-report=> --html-report=> --any-exprs-report=> -v --verbose --warn-unreachable --skip-cache-mtime-checks --cache-dir=> -V",
    {
      "--config-file= -c= --command= --python-executable= --custom-typeshed-dir= --custom-typing-module= --junit-xml=":
        ELSEWHERE,
    },
  ),
  black: tool(
    "--check --diff --color --no-color -l= --line-length= -t= --target-version= --skip-string-normalization -S --skip-magic-trailing-comma -C --preview --fast --safe --quiet -q -v --verbose --include= --exclude= --extend-exclude= --force-exclude= --workers= -W= --stdin-filename= --pyi --ipynb --unstable",
    { "--config= -c= --code=": ELSEWHERE },
  ),
  isort: tool(
    "-c --check --check-only --diff --df -q --quiet -v --verbose --profile= -l= --line-length= --skip= -s= --skip-glob= -m= --multi-line= --tc --sl --force-single-line-imports -d --stdout --atomic --float-to-top --filter-files --gitignore -i --settings-path=<",
    {},
  ),
  flake8: tool(
    "--max-line-length= --select= --ignore= --extend-ignore= --extend-select= --exclude= --extend-exclude= --count --statistics --show-source --max-complexity= --format= -q --quiet -v --verbose --per-file-ignores= --jobs= -j= --exit-zero --color= --filename= --benchmark --doctests --tee",
    {
      "--config= --append-config= --isolated --output-file= --enable-extensions= --require-plugins=":
        ELSEWHERE,
    },
  ),
  pylint: tool(
    "-E --errors-only --disable= -d= --enable= -e= -f= --output-format= -j= --jobs= --score= -s= --reports= -r= --max-line-length= --ignore= --ignore-patterns= --ignore-paths= --fail-under= --fail-on= --msg-template= --recursive= --list-msgs --verbose -v --persistent= --source-roots= --exit-zero --py-version= --help-msg=",
    {
      "--rcfile= --init-hook= --load-plugins= --output= --extension-pkg-allow-list= --unsafe-load-any-extension=":
        ELSEWHERE,
    },
  ),
  pyflakes: tool(""),
  pycodestyle: tool(
    "--max-line-length= --ignore= --select= --exclude= --show-source --show-pep8 --statistics --count -q -v --first --filename= --format=",
    { "--config=": ELSEWHERE },
  ),
  pydocstyle: tool("--convention= --add-ignore= --select= --ignore= --count -e -s -v --match= --match-dir=", {
    "--config=": ELSEWHERE,
  }),
  autopep8: tool(
    "-i --in-place -d --diff -a --aggressive -r --recursive --max-line-length= --ignore= --select= -j= --jobs= -v --verbose --experimental --exclude= -p= --list-fixes --exit-code",
    { "--global-config=": ELSEWHERE },
  ),
  yapf: tool(
    "-i --in-place -d --diff -r --recursive -p --parallel -q --quiet -e= --exclude= -l= --lines= --style-help --no-local-style -m -vv",
  ),
  bandit: tool(
    "-r --recursive -ll -l -i -ii -iii -lll -f= --format= -x= --exclude= -s= --skip= -t= --tests= -q --quiet -v --verbose --severity-level= --confidence-level= -o=> --output=> --exit-zero -n= -b=< --baseline=<",
    { "-c= --configfile= -p= --profile= --ini=": ELSEWHERE },
  ),
  pyright: tool(
    "--outputjson -p=< --project=< -w --watch --stats --verbose --level= --warnings --pythonversion= --pythonplatform= --dependencies --skipunannotated --threads? -v",
    { "--pythonpath= --venvpath= -t= --typeshedpath= --verifytypes= --createstub=": ELSEWHERE },
  ),
  ruff: {
    flags: "-q --quiet -v --verbose -s --silent --isolated --color= -n --no-cache -V -h",
    doubt: { "--config= --cache-dir=": ELSEWHERE },
    inherits: true,
    subcommands: {
      check: tool(
        "--fix --no-fix --unsafe-fixes --no-unsafe-fixes --show-fixes --diff -w --watch --fix-only --ignore-noqa --output-format= --target-version= --preview --no-preview --select= --ignore= --extend-select= --extend-ignore= --per-file-ignores= --fixable= --unfixable= --exclude= --extend-exclude= --respect-gitignore --force-exclude -e --exit-zero --exit-non-zero-on-fix --statistics --add-noqa --show-files --show-settings --line-length= --stdin-filename= -o=> --output-file=> --no-respect-gitignore",
      ),
      format: tool(
        "--check --diff --exclude= --line-length= --target-version= --preview --no-preview --stdin-filename= --range= --respect-gitignore --force-exclude",
      ),
      ...sameFor("rule config linter version clean help analyze", dev("--all --output-format=")),
    },
  },
  coverage: {
    subcommands: {
      report: dev(
        "-m --show-missing --skip-covered --skip-empty --include= --omit= --fail-under= --precision= --sort= --format= -i",
      ),
      html: dev(
        "-d=> --directory=> --include= --omit= --skip-covered --skip-empty --title= -q -i --show-contexts",
      ),
      xml: dev("-o=> -q -i --include= --omit= --fail-under="),
      json: dev("-o=> -q -i --pretty-print --include= --omit="),
      lcov: dev("-o=> -q -i"),
      erase: {},
      combine: { flags: "-a --append --keep -q", words: "reads" },
      debug: dev(""),
      help: dev(""),
      run: {
        flags:
          "-a --append --branch -p --parallel-mode --source= --include= --omit= --timid --concurrency= -L --pylib --data-file=> --context=",
        doubt: { "--rcfile= --save-signal=": ELSEWHERE },
        style: "first",
        nested: (args) => {
          const at = args.indexOf("-m");
          const file = args.find((word) => word.endsWith(".py"));
          if (at !== -1 && args.slice(0, at).every((word) => word.startsWith("-")))
            return {
              words: args.slice(0, at),
              commands: [["python", ...args.slice(at)]],
              mustOnlyRead: false,
            };
          return {
            words: file === undefined ? args : args.slice(0, args.indexOf(file)),
            commands: file === undefined ? [] : [["python", file]],
            mustOnlyRead: false,
          };
        },
      },
    },
  },
  tox: {
    flags:
      "-e= -q -v -vv -r --recreate -l --listenvs -a --listenvs-all -p? --parallel? -f= -m= --notest --skip-pkg-install --sdistonly -s= --skip-missing-interpreters? --showconfig -x --result-json=>",
    doubt: { "-c= --conf= --workdir= --root= --force-dep= -i= --index-url= --installpkg= --pre": ELSEWHERE },
    words: (words) => ({
      doubts: words.filter((word) => !/^(?:run|r|p|run-parallel|list|l|config|c)$/.test(word)).slice(0, 0),
    }),
  },
  nox: dev(
    "-l --list -s= --session= --sessions= -e= -k= --keywords= -t= --tags= -r --reuse-existing-virtualenvs -R -v --verbose --stop-on-first-error -x --no-venv --error-on-missing-interpreters -p= --python= --pythons=",
  ),
  poetry: {
    flags:
      "-q --quiet -v -vv -vvv --verbose -n --no-interaction --ansi --no-ansi --no-cache --no-plugins -V -h",
    doubt: { "-C= --directory= -P= --project=": ELSEWHERE },
    inherits: true,
    subcommands: {
      run: runs,
      ...sameFor("install add update remove lock build check show search version export", {
        flags:
          "--with= --without= --only= --no-root --no-dev --sync -E= --extras= --all-extras --dry-run -G= --group= -D --dev --optional --python= --platform= --allow-prereleases --lock --no-update --tree -t -l --latest -o --outdated -T --top-level -s --short -f= --format= --without-hashes --no-directory --strict -e --editable --regenerate",
        changes: "--output=>",
        doubt: { "--source=": ELSEWHERE },
        words: (words) => ({ doubts: requirementDoubts(words) }),
      }),
      env: {
        words: (words) => ({
          doubts: /^(?:info|list|activate)$/.test(words[0] ?? "") ? [] : ["changes which Python is used"],
        }),
        flags: "-p --path --full-path",
      },
      config: {
        words: (words, seen) => ({
          doubts: seen.has("--list") || words.length <= 1 ? [] : ["changes the settings of poetry"],
        }),
        flags: "--list --local --unset",
      },
      init: dev("--name= --description= --author= --python= --dependency= --dev-dependency= -l= --license="),
      new: { flags: "--name= --src --flat --readme=", words: "writes" },
      about: {},
      list: {},
    },
  },
  pipenv: {
    flags: "-h --bare --verbose -v -q --quiet",
    subcommands: {
      run: runs,
      ...sameFor("install uninstall update sync lock graph check clean verify requirements upgrade", {
        flags:
          "-d --dev --deploy --ignore-pipfile --skip-lock --pre --keep-outdated --all --json --json-tree --reverse -r=< --system -e=",
        words: (words) => ({ doubts: requirementDoubts(words) }),
      }),
    },
  },
  uv: {
    flags: "-q --quiet -v --verbose --offline --no-progress --color= -n --no-cache --no-config -V -h",
    doubt: { "--directory= --project= --config-file= --cache-dir= --allow-insecure-host=": ELSEWHERE },
    inherits: true,
    subcommands: {
      run: runs,
      pip,
      ...sameFor("sync lock add remove tree export init build version", {
        flags:
          "--frozen --locked --all-extras --extra= --group= --no-dev --dev --only-dev --all-groups --no-install-project --upgrade -U --upgrade-package= -P= --check --dry-run --optional= --editable --depth= --outdated --invert --format= --no-hashes --package= --all-packages --app --lib --script --bare --name= --python= -p= --no-sync --wheel --sdist --inexact --bump= --short",
        doubt: {
          "--index= --index-url= --default-index= --find-links= -f= --output-file= -o= --out-dir= --with-editable=":
            ELSEWHERE,
        },
        words: (words) => ({ doubts: requirementDoubts(words) }),
      }),
      venv: { flags: "--python= -p= --seed --prompt= --system-site-packages --clear", words: "writes" },
      python: {
        words: (words) => ({
          doubts: /^(?:list|find|install|pin|dir)$/.test(words[0] ?? "")
            ? []
            : ["is not known to be harmless"],
        }),
        flags: "--all-versions --only-installed",
      },
      cache: {
        words: (words) => ({
          doubts: /^(?:dir|clean|prune)$/.test(words[0] ?? "") ? [] : ["is not known to be harmless"],
        }),
      },
      help: dev(""),
    },
  },
  conda: {
    flags: "-V -h -q --quiet -v --verbose --json",
    inherits: true,
    subcommands: {
      ...sameFor("list info search env config", {
        flags: "-n= --name= -e --envs -a --all --explicit --export --show --show-sources --get=",
        words: (words) => ({
          doubts: /^(?:create|update|remove)$/.test(words[0] ?? "")
            ? ["changes an environment from a file"]
            : [],
        }),
      }),
      ...sameFor("install create update upgrade remove uninstall clean activate deactivate rename", {
        flags:
          "-n= --name= -y --yes --all -c= --channel= --dry-run -d --no-deps --clone= --update-deps --freeze-installed -t -p -i --tarballs --packages --index-cache -a",
        words: (words) => ({ doubts: requirementDoubts(words) }),
      }),
    },
  },
  "django-admin": dev(""),
  sphinx: dev(""),
  "sphinx-build": {
    flags: "-b= -M= -a -E -j= -n -q -Q -v -W -w=> -T -N -t= --keep-going",
    doubt: { "-c= -C -D= -A= -d=": ELSEWHERE },
    words: "copy",
  },
  mkdocs: {
    subcommands: {
      build: dev("-c --clean -s --strict -q -v -d=> --site-dir=>"),
      new: { words: "writes" },
      serve: dev("-s --strict -q -v --livereload --no-livereload --dirty"),
    },
  },
  "pre-commit": {
    subcommands: {
      run: dev(
        "-a --all-files --files -v --verbose --show-diff-on-failure --hook-stage= --from-ref= --to-ref= --color=",
      ),
      install: dev("--install-hooks -f -t= --hook-type="),
      autoupdate: dev("--freeze --bleeding-edge --repo="),
      uninstall: dev("-t="),
      clean: {},
      gc: {},
      "sample-config": {},
      "validate-config": { words: "reads" },
    },
  },
  "pyproject-build": {
    flags: "-s --sdist -w --wheel -o=> --outdir=> -n --no-isolation -v -x",
    words: "reads",
  },
  twine: { subcommands: { check: { flags: "--strict", words: "reads" } } },
  jupyter: {
    subcommands: {
      nbconvert: {
        flags: "--to= --output= --output-dir=> --no-input --clear-output --inplace",
        words: "reads",
      },
      kernelspec: dev(""),
      "--version": {},
    },
  },
});
