/** Node and what grew around it. Whoever allows `npm *` means its scripts to run; not other people's packages. */
import type { Effects, NestedCommands, Programs, Seen, Spec } from "../vocabulary.js";

const CODE = "runs code that is given on the command line or loaded before the program";
const STDIN = "without a file, it runs whatever comes on standard input";
const ELSEWHERE = "works in another project than this one";
const CONFIG = "loads settings from elsewhere, and settings are code here";

/** What runs a file of this project; the rest of the line belongs to that program. */
const script = (words: readonly string[]): Effects => ({
  reads: words.slice(0, 1),
  doubts: words
    .slice(0, 1)
    .filter((word) => /^(?:https?|data|npm|jsr|file):/.test(word))
    .map((word) => `"${word}" is code from elsewhere`),
});

const node: Spec = {
  style: "first",
  flags: `-v -h -c --check --test --test-only --test-reporter= --test-name-pattern= --test-concurrency= --test-timeout= --test-force-exit --test-skip-pattern= --test-shard= --test-update-snapshots --test-isolation= --experimental-test-coverage --test-coverage-include= --test-coverage-exclude= --experimental-test-snapshots --watch --watch-path=< --watch-preserve-output
    --max-old-space-size= --max-semi-space-size= --stack-size= --stack-trace-limit= --enable-source-maps --no-warnings --trace-warnings --trace-deprecation --no-deprecation --throw-deprecation --trace-uncaught --trace-exit --pending-deprecation --unhandled-rejections= --expose-gc
    --experimental-strip-types --experimental-transform-types --no-experimental-strip-types --experimental-vm-modules --experimental-modules --experimental-json-modules --experimental-wasm-modules --experimental-fetch --experimental-sqlite --experimental-default-type= --input-type=
    --es-module-specifier-resolution= --preserve-symlinks --harmony --use-strict --zero-fill-buffers --dns-result-order= --title= --cpu-prof --heap-prof --prof --v8-options --completion-bash --disable-warning= --conditions= -C= --permission --allow-fs-read= --report-on-fatalerror --abort-on-uncaught-exception --force-color --no-experimental-fetch --no-experimental-global-webcrypto --experimental-permission --no-opt --trace-gc --icu-data-dir=< --tls-min-v1.2 --openssl-legacy-provider --run=`,
  doubt: {
    "-e= --eval= -p? --print= -pe= -i --interactive -r= --require= --import= --loader= --experimental-loader= --build-snapshot --build-snapshot-config= --snapshot-blob= --experimental-sea-config=":
      CODE,
    "--inspect? --inspect-brk? --inspect-wait? --inspect-port= --debug-port=":
      "opens a door through which code can be run",
    "--env-file= --env-file-if-exists= --openssl-config= --allow-child-process --allow-worker --allow-addons --allow-wasi --allow-fs-write= --test-reporter-destination= --redirect-warnings= --trace-event-file-pattern= --report-dir= --diagnostic-dir= --cpu-prof-dir= --heap-prof-dir=":
      "is not known to be harmless",
  },
  words: (words, seen) =>
    words.length === 0 &&
    !seen.has("-v", "--version", "-h", "--help", "--v8-options", "--test", "--completion-bash", "--run")
      ? { doubts: [STDIN] }
      : seen.has("--test")
        ? { reads: words }
        : words[0] === "-"
          ? { doubts: [STDIN] }
          : words[0] === "inspect"
            ? { doubts: ["opens a door through which code can be run"] }
            : script(words),
};

const NPM_GLOBAL = `-s --silent -q --quiet -d --verbose -dd -ddd --loglevel= --json -l --long -p --parseable --color? --no-color --progress --no-progress --no-audit --audit --no-fund --fund --offline --prefer-offline --prefer-online -w= --workspace= -ws --workspaces --no-workspaces
  --include-workspace-root --if-present --ignore-scripts --foreground-scripts --no-update-notifier --dry-run --yes -y --no -f --force --tag= --omit= --include= --legacy-peer-deps --strict-peer-deps --no-package-lock --package-lock-only --package-lock --depth= -a --all --unicode --timing -h -v`;
const NPM_DOUBTS = {
  "--prefix= -C= -g --global --location= --globalconfig= --userconfig=": ELSEWHERE,
  "--script-shell= --shell= --node-options= -n= --git= --editor= --viewer= --browser= --node-gyp= --init-module= --onload-script= --scripts-prepend-node-path= --unsafe-perm --call= -c=":
    "runs another program",
  "--registry= --proxy= --https-proxy= --cache= --ca= --cafile= --strict-ssl= --no-strict-ssl --otp= --cert= --key=":
    "takes packages from elsewhere or trusts them more",
};

/** Names from the registry are ordinary; addresses, archives and folders outside are code nobody listed. */
const packageWords = (words: readonly string[]): Effects => ({
  doubts: words
    .filter((word) =>
      /^(?:npm|git|https?|file|github|gitlab|bitbucket|gist|link|portal|exec|ssh|git\+\w+):|^[/~]|^\.\.?(?:\/|$)|^[\w.-]+\/[\w.-]+(?:#|$)|\.tgz$|\.tar\.gz$/i.test(
        word.replace(/^(?:@[\w.-]+\/)?[\w.-]+@(?=\w+:|[/.~])/, ""),
      ),
    )
    .map((word) => `"${word}" is a package from elsewhere`),
});

const names = (list: string, spec: Spec) => Object.fromEntries(list.split(" ").map((name) => [name, spec]));

/** Yarn hands on all that follows the name of a script, but for what would take it elsewhere. */
const yarnScript: Spec = {
  words: "text",
  prepare: (args) =>
    args.filter(
      (word) =>
        /^--(?:cwd|use-yarnrc|script-shell|global-folder|modules-folder|cache-folder|registry|proxy)\b/.test(
          word,
        ) || word === "env",
    ),
  check: envDoubts,
};

/** `npm run env` shows the environment. */
function envDoubts({ words }: Seen): Effects {
  return { doubts: words[0] === "env" ? ["shows the environment, where secrets are"] : [] };
}

/** After `--` or the script's name the words belong to the script, which this project wrote. */
const runScript: Spec = {
  flags: "",
  words: "text",
  prepare: (args) => {
    const at = args.indexOf("--");
    return at === -1 ? args : args.slice(0, at);
  },
  check: envDoubts,
};

const install: Spec = {
  flags:
    "-D --save-dev -S --save -P --save-prod -O --save-optional -E --save-exact -B --save-bundle --no-save --save-peer --production --only= --install-strategy= --prefer-dedupe --no-optional --no-bin-links --engine-strict --cpu= --os= --libc= --install-links --omit= --before=",
  words: packageWords,
};

const npm: Spec = {
  flags: NPM_GLOBAL,
  doubt: NPM_DOUBTS,
  inherits: true,
  subcommands: {
    ...names("test t tst start stop restart run run-script rum urn", runScript),
    ...names(
      "install i in ins add isntall ci clean-install install-ci-test cit install-test it update up upgrade udpate",
      install,
    ),
    ...names("uninstall un remove rm r unlink dedupe ddp prune rebuild rb audit fund find-dupes", {
      flags: "-D --save-dev -S --save --no-save --production --audit-level= --only=",
      words: "text",
    }),
    ...names("ls list la ll outdated why explain query", { words: "text", onlyReads: true }),
    ...names("view info show v search s se find docs home bugs repo ping diff doctor stars", {
      flags: "--searchlimit= --no-description --no-browser --diff= --diff-name-only --diff-unified=",
      words: "text",
    }),
    ...names("help help-search bin root prefix completion", { words: "text", onlyReads: true }),
    version: {
      flags:
        "--no-git-tag-version --git-tag-version --preid= -m= --message= --allow-same-version --no-commit-hooks --sign-git-tag",
      words: "text",
    },
    pack: { flags: "--pack-destination=> --ignore-scripts", words: packageWords },
    init: {
      flags: "-y --yes --scope= --init-type=",
      words: (words) => ({
        doubts: words.length > 0 ? [`downloads and runs "create-${words[0] ?? ""}"`] : [],
      }),
    },
    create: { words: (words) => ({ doubts: [`downloads and runs "create-${words[0] ?? ""}"`] }) },
    innit: { words: (words) => ({ doubts: words.map((word) => `downloads and runs "${word}"`) }) },
    config: {
      words: (words) => ({
        doubts:
          /^(?:get|list|ls)$/.test(words[0] ?? "list") && !/auth|token|password/i.test(words.join(" "))
            ? []
            : ["changes the settings of npm, some of which are programs"],
      }),
    },
    c: {
      words: (words) => ({
        doubts:
          /^(?:get|list|ls)$/.test(words[0] ?? "list") && !/auth|token|password/i.test(words.join(" "))
            ? []
            : ["changes the settings of npm, some of which are programs"],
      }),
    },
    pkg: {
      words: (words) => ({
        doubts:
          words[0] === "get" ||
          (words[0] === "set" &&
            words
              .slice(1)
              .every((word) =>
                /^(?:name|version|description|type|license|private|author|keywords|homepage|main|module|types)(?:\W|$)/.test(
                  word,
                ),
              ))
            ? []
            : ["changes package.json, whose scripts are programs"],
      }),
    },
    cache: {
      words: (words) => ({
        doubts: /^(?:ls|verify|clean)$/.test(words[0] ?? "") ? [] : ["adds to the cache"],
      }),
    },
    whoami: {},
    shrinkwrap: {},
    sbom: { flags: "--sbom-format= --sbom-type=" },
    exec: npx(),
    x: npx(),
  },
};

/** Tools of this world that only work on this project. Others, and programs of the system, are not expected here. */
const NPX_TOOLS =
  /^(?:tsc|eslint|oxlint|oxfmt|prettier|biome|stylelint|standard|xo|jest|vitest|mocha|ava|tap|playwright|cypress|nyc|webpack|vite|rollup|esbuild|parcel|next|nx|turbo|lerna|knip|publint|depcheck|madge)$/;

/** `npx tsc --noEmit` is judged as `tsc --noEmit`; a name not known here is someone's package. */
function npx(): Spec {
  const own = /^(?:--no-install|--no|--yes|-y|-q|--quiet|--offline|--prefer-offline|--silent|-s)$/;
  return {
    nested: (args): NestedCommands => {
      const at = args.findIndex((word) => !own.test(word) && word !== "--");
      const [name = "", ...rest] = at === -1 ? [] : args.slice(at);
      const flagFirst = name.startsWith("-");
      const plain = name.replace(/(?<=.)@[\w.^~-]*$/, "");
      return {
        words: flagFirst ? args : args.slice(0, Math.max(at, 0)),
        commands: at === -1 || flagFirst ? [] : [[NPX_TOOLS.test(plain) ? plain : `npx ${plain}`, ...rest]],
        mustOnlyRead: false,
      };
    },
    flags: "--no-install --no --yes -y -q --quiet --offline --prefer-offline --silent -s -h -v",
    doubt: {
      "-c= --call= -p= --package= --shell= --node-options= -n= --node-arg= --prefix=":
        "runs a command line or a package from elsewhere",
    },
    words: "text",
  };
}

const yarn: Spec = {
  flags:
    "-s --silent --verbose --json --offline --non-interactive --no-progress --prefer-offline --network-timeout= -v -h",
  doubt: {
    "--cwd= --use-yarnrc= --global-folder= --modules-folder= --cache-folder= --script-shell= --registry= --proxy= --https-proxy= --mutex=":
      ELSEWHERE,
  },
  inherits: true,
  subcommands: {
    ...names("test start build lint run format typecheck dev watch", yarnScript),
    ...names("install add up upgrade upgrade-interactive", {
      flags:
        "--frozen-lockfile --immutable --immutable-cache --check-cache --mode= --pure-lockfile --production --ignore-scripts --ignore-engines --ignore-optional --force -D --dev -P --peer -O --optional -E --exact -T --tilde -W --ignore-workspace-root-check --check-files --flat --har --no-lockfile -i --interactive -L --latest --pattern= --inline-builds",
      words: packageWords,
    }),
    ...names("remove dedupe autoclean check", {
      flags: "-A --all --integrity --verify-tree --strategy=",
      words: "text",
    }),
    ...names("list why info outdated licenses versions help bin audit", {
      flags: "--depth= --pattern= -A --all -R --recursive --level= --groups= --environment=",
      words: "text",
      onlyReads: true,
    }),
    workspaces: {
      words: (words) => ({
        doubts:
          words[0] === "list" || words[0] === "info" || words[0] === "run"
            ? []
            : ["runs a command in each workspace"],
      }),
      flags: "--since? -R --recursive -A --all -p -t -v",
    },
    workspace: {
      style: "first",
      words: ([, verb = ""]) => ({
        doubts: /^(?:run|test|build|lint|add|install|start)$/.test(verb)
          ? []
          : [`"${verb}" is not known to be harmless`],
      }),
    },
    init: { flags: "-y --yes -p --private" },
    config: {
      words: (words) => ({
        doubts: /^(?:get|list)$/.test(words[0] ?? "list")
          ? []
          : ["changes the settings of yarn, some of which are programs"],
      }),
    },
    cache: {
      words: (words) => ({
        doubts: /^(?:list|dir|clean)$/.test(words[0] ?? "") ? [] : ["is not known to be harmless"],
      }),
      flags: "--all --mirror",
    },
    version: { flags: "--patch --minor --major --new-version= --no-git-tag-version", words: "text" },
    tsc: { words: "text" },
    jest: { words: "text" },
    eslint: { words: "text" },
  },
};

const pnpm: Spec = {
  flags:
    "-s --silent -r --recursive -w --workspace-root --reporter= --loglevel= --color --no-color --stream --aggregate-output --parallel --if-present --no-bail --offline --prefer-offline -F= --filter= --filter-prod= --fail-if-no-match --use-stderr -h -v --json --long --parseable --depth= --workspace-concurrency=",
  doubt: {
    "-C= --dir= -g --global --global-dir= --script-shell= --shell-mode -c --shell-emulator --registry= --store-dir= --config.=":
      ELSEWHERE,
  },
  inherits: true,
  subcommands: {
    ...names("test t tst start run run-script build lint format typecheck dev check restart", runScript),
    ...names("install i add update up upgrade ci import fetch", {
      flags:
        "-D --save-dev -P --save-prod --prod --dev -O --save-optional -E --save-exact --save-peer --frozen-lockfile --no-frozen-lockfile --lockfile-only --ignore-scripts --force --no-optional --shamefully-hoist --strict-peer-dependencies --latest -L -i --interactive --workspace --fix-lockfile --prefer-frozen-lockfile",
      words: packageWords,
    }),
    ...names("remove rm uninstall un prune dedupe rebuild rb audit approve-builds", {
      flags: "-D --save-dev -P --save-prod --prod --dev --audit-level= --fix",
      words: "text",
    }),
    ...names("list ls ll outdated why licenses root bin help view info", {
      flags: "-P --prod -D --dev --only-projects --latest",
      words: "text",
      onlyReads: true,
    }),
    store: {
      words: (words) => ({
        doubts: /^(?:status|path|prune)$/.test(words[0] ?? "") ? [] : ["is not known to be harmless"],
      }),
    },
    init: {},
    exec: npx(),
    config: {
      words: (words) => ({
        doubts: /^(?:get|list)$/.test(words[0] ?? "list")
          ? []
          : ["changes the settings of pnpm, some of which are programs"],
      }),
    },
  },
};

const tsc: Spec = {
  check: (seen) => ({
    doubts: seen.words
      .filter((word) => word.startsWith("@"))
      .map((word) => `"${word}" holds more flags, which are not shown here`),
  }),
  flags: `-p=< --project=< -b --build -w --watch --noEmit --init --listFiles --listFilesOnly --showConfig --pretty --strict --target= -t= --module= -m= --lib= --jsx= --outDir=> --outFile=> --rootDir= --declaration -d --declarationMap --emitDeclarationOnly --sourceMap
    --inlineSourceMap --skipLibCheck --esModuleInterop --allowJs --checkJs --noImplicitAny --moduleResolution= --incremental -i --tsBuildInfoFile=> --diagnostics --extendedDiagnostics --traceResolution --explainFiles --force -f --verbose -v --clean --dry --preserveWatchOutput --noEmitOnError
    --resolveJsonModule --isolatedModules --experimentalDecorators --emitDecoratorMetadata --removeComments --types= --baseUrl= --noErrorTruncation --generateTrace=> --declarationDir=> --composite --strictNullChecks --noUnusedLocals --noUnusedParameters --all -h`,
  words: "reads",
};

const lint = (flags: string, doubts: Record<string, string>): Spec => ({
  flags,
  doubt: doubts,
  words: "reads",
});

const eslintBase = lint(
  `--ext= --fix --fix-dry-run --fix-type= --ignore-path=< --ignore-pattern= --no-ignore --quiet --max-warnings= -f= --format= --color --no-color --no-inline-config --report-unused-disable-directives --report-unused-disable-directives-severity= --cache --cache-location=> --cache-strategy= --cache-file=>
  --debug -h -v --print-config= --env= --global= --rule= --no-error-on-unmatched-pattern --exit-on-fatal-error --stdin --stdin-filename= -o=> --output-file=> --no-warn-ignored --pass-on-no-patterns --stats --concurrency= --env-info`,
  {
    "--rulesdir= -c= --config= --resolve-plugins-relative-to= --plugin= --parser= --parser-options= --no-eslintrc --no-config-lookup --inspect-config --mcp":
      CONFIG,
  },
);

const eslint: Spec = {
  ...eslintBase,
  check: (seen) => ({
    doubts: seen
      .values("-f", "--format")
      .filter(
        (name) =>
          !/^(?:stylish|json|json-with-metadata|html|compact|unix|junit|tap|checkstyle|codeframe|visualstudio|pretty|github|gha)$/.test(
            name,
          ),
      )
      .map((name) => `the formatter "${name}" is code`),
  }),
};

const prettier = lint(
  `-w --write -c --check -l --list-different --ignore-path=< -u --ignore-unknown --no-error-on-unmatched-pattern --log-level= --loglevel= --no-config --no-editorconfig --parser= --print-width= --tab-width= --use-tabs --no-semi --semi --single-quote --jsx-single-quote --trailing-comma=
  --bracket-spacing --no-bracket-spacing --bracket-same-line --arrow-parens= --prose-wrap= --end-of-line= --quote-props= --stdin-filepath= --cache --cache-location=> --cache-strategy= --with-node-modules --insert-pragma --require-pragma --find-config-path= --file-info= --support-info --color --no-color -v -h`,
  { "--plugin= --plugin-search-dir= --config= --config-precedence=": CONFIG },
);

const jest: Spec = {
  flags: `-t= --testNamePattern= --testPathPattern= --testPathPatterns= --watch --watchAll --coverage --collectCoverage --coverageReporters= --collectCoverageFrom= -i --runInBand -w= --maxWorkers= -u --updateSnapshot --ci --silent --verbose --bail? -b? -o --onlyChanged --onlyFailures --lastCommit
    --changedSince= --findRelatedTests --passWithNoTests --listTests --showConfig --detectOpenHandles --forceExit --no-cache --cache --clearCache --color --colors --no-color --expand -e --json --logHeapUsage --notify --randomize --seed= --shard= --testTimeout= --selectProjects= --no-coverage --clearMocks --resetMocks --restoreMocks --errorOnDeprecated --workerIdleMemoryLimit= --watchman --no-watchman --ignoreProjects= --debug`,
  doubt: {
    "-c= --config= --rootDir= --roots= --globalSetup= --globalTeardown= --setupFiles= --setupFilesAfterEnv= --preset= --resolver= --runner= --testRunner= --testEnvironment= --transform= --reporters= --testResultsProcessor= --projects= --moduleNameMapper= --haste= --globals= --env= --filter= --snapshotSerializers= --cacheDirectory= --outputFile= --coverageDirectory= --prettierPath= --dependencyExtractor=":
      CONFIG,
  },
  words: "text",
};

const vitest: Spec = {
  flags: `-t= --testNamePattern= -w --watch --run -u --update --ui --open --coverage? --coverage.enabled? --coverage.reporter= --coverage.include= --coverage.exclude= --reporter= --silent? --bail= --changed? --shard= --passWithNoTests --hideSkippedTests --no-color --color --retry= --testTimeout= --hookTimeout= --pool= --threads --no-threads --no-isolate --isolate --maxWorkers= --minWorkers= --mode=
    --project= --sequence.shuffle? --sequence.seed= --allowOnly --dom --globals --logHeapUsage --typecheck --expandSnapshotDiff --disable-console-intercept --no-file-parallelism --fileParallelism --exclude= --slowTestThreshold= --expect.requireAssertions --clearScreen? --no-coverage --fail-on-console -h -v --silent`,
  doubt: {
    "-c= --config= -r= --root= --dir= --globalSetup= --environment= --api? --workspace= --snapshotEnvironment= --outputFile= --execArgv= --vmMemoryLimit= --setupFiles= --diff= --browser? --configLoader= --attachmentsDir= --coverage.provider= --coverage.customProviderModule= --coverage.reportsDirectory=":
      CONFIG,
    "--inspect? --inspectBrk? --inspect-brk?": "opens a door through which code can be run",
  },
  words: "text",
};

const runner = (flags: string, doubt: Record<string, string> = {}): Spec => ({ flags, doubt, words: "text" });

export const javascriptPrograms = (): Programs => ({
  node,
  nodejs: node,
  npm,
  npx: npx(),
  yarn,
  pnpm,
  pnpx: npx(),
  bunx: npx(),
  tsc,
  tsx: {
    style: "first",
    flags: "--no-warnings --tsconfig=< --enable-source-maps --no-cache",
    doubt: {
      "-e= --eval= -p= --print= -r= --require= --import= --loader= -i --interactive --inspect? --inspect-brk? --env-file=":
        CODE,
    },
    words: (words) =>
      words.length === 0
        ? { doubts: [STDIN] }
        : words[0] === "watch" || words[0] === "test"
          ? script(words.slice(1))
          : script(words),
  },
  "ts-node": {
    style: "first",
    flags: "-T --transpile-only -P=< --project=< --esm -s --swc --files --pretty -v -vv",
    doubt: {
      "-e= --eval= -p= --print= -r= --require= -i --interactive -C= --compiler= -O= --compiler-options= --cwd= --skipProject":
        CODE,
    },
    bare: STDIN,
    words: script,
  },
  deno: {
    subcommands: {
      run: {
        style: "first",
        flags:
          "--check --no-check --watch --allow-read? -R? --allow-env? --no-prompt -q --quiet --frozen --cached-only --no-lock --lock=< --reload -r --unstable",
        doubt: {
          "-A --allow-all --allow-run? --allow-ffi? --allow-write? -W? --allow-net? -N? -S? --allow-sys? --import-map= -c= --config= --preload= --inspect? --v8-flags= --location= --cert= --env? --node-modules-dir?":
            "gives the program more than reading",
        },
        words: script,
      },
      ...names("test fmt lint check task doc info bench", {
        flags:
          "--check -q --quiet --watch --filter= --fail-fast --coverage? --json --fix --ignore= --parallel --no-check --doc --unstable --reporter= --allow-read? --frozen",
        words: "text",
      }),
      ...names("help types", { words: "text", onlyReads: true }),
    },
    flags: "-q --quiet -V -h",
  },
  bun: {
    flags: "-v -h --silent",
    subcommands: {
      run: {
        style: "first",
        flags: "--watch --hot --silent --if-present -b --bun --smol",
        words: ([first = ""]) => ({
          reads: /[./]/.test(first) ? [first] : [],
          doubts: /^https?:/.test(first) ? [`"${first}" is code from elsewhere`] : [],
        }),
      },
      ...names("test build", {
        flags:
          "--watch --hot --bail? -t= --test-name-pattern= --timeout= --coverage --only --todo --rerun-each= --update-snapshots -u --outdir=> --outfile=> --target= --format= --minify --sourcemap? --splitting --silent --if-present",
        words: "text",
      }),
      ...names("install i add update", {
        flags:
          "-d -D --dev --optional --peer -E --exact --frozen-lockfile --production -p --no-save --dry-run --force -f --ignore-scripts --silent --verbose --no-cache",
        words: packageWords,
      }),
      ...names("remove rm outdated why", { words: "text" }),
      pm: {
        flags: "--all",
        words: (words) => ({
          doubts:
            /^(?:ls|list|bin|hash|cache|version|view|why)$/.test(words[0] ?? "ls") && !words.includes("rm")
              ? []
              : ["trusts or removes packages"],
        }),
      },
      x: npx(),
      init: { flags: "-y --yes", words: "text" },
    },
  },
  eslint,
  oxlint: lint(
    "--fix --quiet --max-warnings= --deny-warnings -D= -A= -W= --deny= --allow= --warn= --ignore-path=< --ignore-pattern= --no-ignore -f= --format= --threads= --type-aware --tsconfig=< --import-plugin --react-plugin --jest-plugin --vitest-plugin --rules --init -h -V --type-check --silent",
    { "-c= --config=": CONFIG },
  ),
  oxfmt: lint(
    "--check --list-different --write --threads= --ignore-path=< --no-error-on-unmatched-pattern -h -V",
    { "-c= --config=": CONFIG },
  ),
  prettier,
  biome: {
    subcommands: {
      ...names(
        "check lint format ci",
        lint(
          "--write --fix --apply --unsafe --staged --changed --since= --max-diagnostics= --diagnostic-level= --reporter= --colors= --only= --skip= --verbose --no-errors-on-unmatched --error-on-warnings --indent-style= --line-width= --json --files-ignore-unknown= --formatter-enabled= --linter-enabled=",
          { "--config-path=": CONFIG },
        ),
      ),
      ...names("version rage explain", { words: "text" }),
      init: {},
    },
  },
  stylelint: lint(
    "--fix --quiet -q -f= --formatter= --ignore-path=< -i= --cache --cache-location=> --max-warnings= --allow-empty-input --aei --color --no-color --ignore-pattern= --report-needless-disables",
    {
      "--config= -c= --config-basedir= --custom-syntax= --plugin= --custom-formatter= -o= --output-file=":
        CONFIG,
    },
  ),
  standard: lint("--fix --verbose --env= --global= --ext= --ignore=", { "--plugin= --parser=": CONFIG }),
  xo: lint("--fix --quiet --reporter= --env= --global= --ignore= --space? --no-semicolon --prettier", {
    "--plugin= --cwd= --parser=": CONFIG,
  }),
  jest,
  vitest: {
    ...vitest,
    prepare: (args) => (/^(?:run|watch|dev|related|list|bench)$/.test(args[0] ?? "") ? args.slice(1) : args),
  },
  mocha: runner(
    "-R= --reporter= -g= --grep= -f= --fgrep= -i --invert -b --bail -t= --timeout= -s= --slow= -w --watch --recursive --exit --forbid-only --forbid-pending -p --parallel -j= --jobs= --retries= --ui= -u= --color --no-color -c -C --check-leaks --full-trace -d --delay --diff --no-diff --extension= --ignore= --sort -S -A --dry-run --watch-files= --list-files --allow-uncaught",
    {
      "-r= --require= --file= --config= --opts= --package= --spec= -n= --node-option= --inspect? --inspect-brk? --import= --loader= -O= --reporter-option=":
        CODE,
    },
  ),
  ava: runner(
    "--match= -m= --watch -w --verbose -v --fail-fast --serial -s --concurrency= -c= --timeout= -T= --tap -t --update-snapshots -u --color --no-color",
    { "--config= --node-arguments=": CODE },
  ),
  tap: runner(
    "--watch -w --bail -b --timeout= -t= --jobs= -j= --reporter= -R= --disable-coverage --allow-incomplete-coverage --grep= -g= --only -O --color",
  ),
  playwright: {
    subcommands: {
      test: runner(
        "--headed --ui --project= -g= --grep= --grep-invert= --reporter= --workers= -j= --retries= --timeout= -x --max-failures= --repeat-each= -u --update-snapshots --list --trace= --shard= --quiet --forbid-only --last-failed --only-changed? --pass-with-no-tests --fully-parallel",
        { "-c= --config= --debug --output= --tsconfig= --global-timeout=": CONFIG },
      ),
      "show-report": { words: "reads" },
      "show-trace": { words: "reads" },
      install: { flags: "--with-deps --dry-run --force", words: "text" },
    },
    flags: "-V",
  },
  cypress: {
    subcommands: {
      run: runner(
        "--headless --headed -b= --browser= -s= --spec= -q --quiet --record --tag= --parallel --group= --ci-build-id= --no-exit --component --e2e",
        { "-C= --config-file= -P= --project= -c= --config= -e= --env=": CONFIG },
      ),
      verify: {},
      info: {},
      version: {},
      open: { flags: "--e2e --component" },
    },
  },
  nyc: {
    style: "first",
    nested: (args) => ({
      words: args.filter(
        (word, index) => word.startsWith("-") && args.slice(0, index).every((other) => other.startsWith("-")),
      ),
      commands: [args.slice(args.findIndex((word) => !word.startsWith("-")))].filter(
        (command) => command.length > 0 && args.some((word) => !word.startsWith("-")),
      ),
      mustOnlyRead: false,
    }),
    flags: "--reporter= --all --silent -s --check-coverage --lines= --branches= --functions= --statements=",
    words: "text",
  },
  webpack: runner(
    "-w --watch --mode= --progress --stats? --json? --env= --node-env= -d? --devtool= --analyze --color --no-color --profile --fail-on-warnings --target= -t=",
    {
      "-c= --config= --config-name= -r= --require= --entry= -o= --output-path= -m --merge --extends=": CONFIG,
    },
  ),
  vite: {
    flags:
      "--port= --host? --open? --mode= -m= --strictPort --clearScreen -l= --logLevel= --force -d? --debug? --cors",
    doubt: { "-c= --config= --configLoader= --base=": CONFIG },
    inherits: true,
    subcommands: {
      build: {
        flags: "--watch -w --sourcemap? --minify? --outDir=> --emptyOutDir --target= --ssr? --manifest?",
        words: "none",
      },
      dev: {},
      serve: {},
      preview: { flags: "--outDir=" },
      optimize: {},
    },
  },
  rollup: runner(
    "-w --watch --silent --environment= -f= --format= -n= --name= -m? --sourcemap? -e= --external= -g= --globals=",
    { "-c? --config? -p= --plugin= --configPlugin= -i= --input= -o= --file= -d= --dir=": CONFIG },
  ),
  esbuild: {
    style: "whole",
    flags:
      "--bundle --minify --minify-whitespace --minify-identifiers --minify-syntax --sourcemap? --target= --platform= --format= --watch? --splitting --external:* --loader:* --define:* --outdir=> --outfile=> --metafile=> --global-name= --jsx= --jsx-factory= --jsx-import-source= --log-level= --tree-shaking= --keep-names --legal-comments= --analyze? --allow-overwrite --color= --charset= --drop:* --main-fields= --conditions= --public-path= --entry-names= --chunk-names= --asset-names= --packages= --resolve-extensions= --pure:*",
    doubt: { "--serve? --servedir=": "opens this machine to others" },
    words: "reads",
  },
  parcel: {
    subcommands: {
      build: runner(
        "--no-cache --no-source-maps --no-optimize --dist-dir=> --public-url= --target= --log-level= --detailed-report?",
      ),
      watch: runner("--no-cache --dist-dir=>"),
      serve: runner("-p= --port= --open --no-hmr --https --no-cache --dist-dir=>"),
    },
  },
  next: {
    subcommands: {
      build: runner("--debug -d --profile --no-lint --turbo --turbopack --no-mangling"),
      dev: runner("-p= --port= --turbo --turbopack -H= --hostname="),
      start: runner("-p= --port= -H= --hostname="),
      lint: runner("--dir= -d= --fix --strict --quiet --max-warnings= --file=", {
        "-c= --config= --rulesdir= --resolve-plugins-relative-to=": CONFIG,
      }),
      info: {},
      telemetry: { words: "text" },
    },
  },
  nx: {
    subcommands: {
      ...names(
        "run build test lint e2e serve affected run-many format:check format:write",
        runner(
          "-t= --target= --targets= --all --projects= -p= --base= --head= --files= --skip-nx-cache --parallel? --verbose --exclude= -c= --configuration= --prod --watch --uncommitted --untracked --output-style=",
        ),
      ),
      ...names("show graph list report", runner("--affected --projects --json --web --file= --with-target=")),
      reset: {},
    },
  },
  turbo: {
    subcommands: {
      run: runner(
        "--filter= -F= --force --concurrency= --dry? --dry-run? --no-cache --cache= --continue --parallel --only --output-logs= --log-order= --summarize --affected --graph? --env-mode= --log-prefix= -v --ui=",
      ),
      ls: { words: "text" },
    },
    flags: "--filter=",
  },
  lerna: {
    subcommands: {
      ...names(
        "run ls list changed diff bootstrap clean link",
        runner(
          "--scope= --ignore= --since? --no-private --stream --parallel --concurrency= --no-bail -a --all -l --long --json --yes -y --include-dependencies --include-dependents -p",
        ),
      ),
    },
  },
  knip: runner(
    "--production --strict -W= --workspace= --include= --exclude= --reporter= --no-progress --no-exit-code --max-issues= --debug --dependencies --exports --files --fix -f -n --cache -h -V",
    { "-c= --config= --directory= --preprocessor= -t= --tsConfig= --reporter-options=": CONFIG },
  ),
  publint: runner("--level= --strict --pack= --json", {}),
  depcheck: runner("--json --ignores= --ignore-dirs= --skip-missing? --oneline --quiet", {
    "--config= --parsers= --detectors= --specials=": CONFIG,
  }),
  madge: runner(
    "-c --circular -j --json -s --summary --orphans --leaves --no-color --extensions= -x= --exclude= -d= --depends= --warning --ts-config=< --no-spinner --no-count",
    { "--webpack-config= --require-config= --rcfile=": CONFIG },
  ),
  rimraf: { flags: "-v --verbose -g --glob --no-glob --preserve-root --tmp=", words: "deletes" },
  mkdirp: { flags: "-m= --mode= -p --print", words: "writes" },
  "http-server": { words: () => ({ doubts: ["opens this machine to others"] }) },
  serve: { words: () => ({ doubts: ["opens this machine to others"] }) },
  nodemon: {
    style: "first",
    flags: "-w= --watch= -e= --ext= -i= --ignore= -V --verbose -q --quiet -d= --delay= -L --legacy-watch",
    doubt: { "-x= --exec= -r= --require= --config= --cwd=": CODE },
    words: script,
  },
  pm2: {
    subcommands: {
      ...names(
        "list ls l status logs monit show describe info jlist",
        runner("--lines= --nostream --raw --json --err --out --timestamp"),
      ),
      ...names(
        "restart stop reload delete start save flush reset",
        runner("--watch --name= -n= -i= --instances= --update-env --silent -s", {
          "--interpreter= --interpreter-args= --node-args= -x --cron=": CODE,
        }),
      ),
    },
  },
});
