/** Compilers and builders. Building this project is ordinary; choosing other programs to build it with is not. */
import type { Effects, Programs, Spec } from "../vocabulary.js";

const RUNS = "runs another program, or loads one into the compiler";
const ELSEWHERE = "builds something else than this project, or with other settings";

const text = (flags: string, doubt: Record<string, string> = {}): Spec => ({ flags, doubt, words: "text" });
const names = (list: string, spec: Spec) => Object.fromEntries(list.split(" ").map((name) => [name, spec]));

const make: Spec = {
  flags: `-j? --jobs? -k --keep-going -s --silent --quiet -n --just-print --dry-run --recon -q --question -B --always-make -i --ignore-errors -l? --load-average? -w --print-directory --no-print-directory -d --debug? -p --print-data-base -r --no-builtin-rules -R
    --no-builtin-variables -t --touch -O? --output-sync? -v -h --warn-undefined-variables --trace -S --no-keep-going -L -b -m -o= -W= --what-if= --old-file= --shuffle? -C=< --directory=<`,
  doubt: {
    "-f= --file= --makefile= -I= --include-dir= -e --environment-overrides": ELSEWHERE,
    "-E= --eval=": "runs rules that are given on the command line",
  },
  words: (words, seen) => ({
    // A prefix or a target folder is written to.
    writes: words.flatMap((word) => /^\w+=(?<path>[/~].*)$/.exec(word)?.groups?.["path"] ?? []),
    doubts: [
      ...words
        .filter((word) => /^[A-Za-z_.]\w*\s*(?:[:+?]?:?:?|!)=/.test(word) && !isPlainVariable(word))
        .map((word) => `"${word}" changes a variable that may be a command`),
      ...words.filter((word) => /[$`;|&<>]/.test(word)).map((word) => `"${word}" is not a plain target`),
      ...seen
        .values("-C", "--directory")
        .filter((path) => /^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(path))
        .map((path) => `"${path}" is not below this folder`),
    ],
  }),
};

/** Variables that say what to build, not with what. */
const isPlainVariable = (word: string) =>
  /^(?:V|VERBOSE|DEBUG|PREFIX|DESTDIR|BUILD|BUILD_TYPE|CONFIG|TARGET|ARCH|VERSION|TAG|ENV|NAME|TEST|TESTS|MODE|RELEASE|NODE_ENV|GOOS|GOARCH|PORT|HOST|O|W|J|JOBS|PLATFORM|IMAGE|BRANCH|COMMIT|FILE|PKG|PACKAGE)\s*=[\w./:,@ -]*$/.test(
    word,
  ) || /^(?:C|CXX|CPP)FLAGS=(?:-O\w?|-g\d?|-Wall|-Wextra|-Werror|-pedantic|-std=[\w+]+|\s)*$/.test(word);

const C_FLAGS = `-c -S -E -o=> -o>* -g -g* -O* -W* -w -std=* -std= -D= -D* -U= -U* -I=< -I<* -isystem=< -iquote=< -idirafter=< -include=< -L=< -L<* -l= -l* -static -shared -static-libgcc -static-libstdc++ -pthread -pipe -v -### -ansi -pedantic -pedantic-errors -fPIC -fPIE -fpic -fpie
  -fsyntax-only -fsanitize=* -fopenmp -fno-* -fvisibility=* -fstack-protector* -fdiagnostics-color* -fdiagnostics-* -fstrict-aliasing -ffast-math -fwrapv -funroll-loops -fomit-frame-pointer -flto* -fdata-sections -ffunction-sections -fcoroutines -fmodules -fcolor-diagnostics -fprofile-arcs -ftest-coverage -fcommon -fexceptions -frtti -finline-functions -fconcepts -ffreestanding -fsigned-char -fPIC
  -m32 -m64 -march=* -mtune=* -mcpu=* -msse* -mavx* -mfpu=* -mfloat-abi=* -nostdlib -nostdinc -nodefaultlibs -M -MM -MD -MMD -MP -MF=> -MT= -MQ= -MG -x= -dumpversion -dumpmachine -print-search-dirs -print-file-name=* -rdynamic -s -pie -no-pie --coverage -save-temps* -time -Q -dM -P -C -H -h --target= -target= -stdlib=* -ObjC -framework= -arch= -j* --std= -coverage -undef -traditional-cpp -dD -print-multi-lib`;

const compiler: Spec = {
  style: "whole",
  flags: C_FLAGS,
  doubt: {
    "-wrapper= -wrapper* -B= -B* -specs=* --specs=* -fplugin=* -fplugin* -fplugin-arg* -Xclang= -load= -Wl,* -Wa,* -Wp,* -Xlinker= -Xassembler= -Xpreprocessor= -fuse-ld=* -T= -T* -no-canonical-prefixes --sysroot= -isysroot= -fpass-plugin=* -plugin* -fdump* -dumpdir= -fprofile-use* -imacros= -fmodule-mapper* -ffile-prefix-map=* -iplugindir=* -fuse-linker-plugin -fprofile-dir* -frandom-seed* -fsave-optimization-record* -ftime-trace* -fcompare-debug* -aux-info= -config= --config= -gcc-toolchain= --gcc-toolchain= -resource-dir* -ld-path* --ld-path* -I-":
      RUNS,
  },
  words: compiled,
};

function compiled(words: readonly string[]): Effects {
  return {
    reads: words.filter((word) => !word.startsWith("@")),
    doubts: words
      .filter((word) => word.startsWith("@"))
      .map((word) => `"${word}" holds more flags, which are not shown here`),
  };
}

const binary = (flags: string, more: Partial<Spec> = {}): Spec => ({
  flags,
  words: compiled,
  onlyReads: true,
  ...more,
});

const GO_BUILD = `-v -x -n -a -race -msan -asan -cover -covermode= -coverpkg= -mod= -modcacherw -trimpath -tags= -p= -work -buildvcs= -buildmode= -compiler= -linkshared -installsuffix= -ldflags=~ -gcflags=~ -asmflags=~ -json -C=< -pgo=`;
const GO_DOUBTS = {
  "-toolexec= -exec= -vettool= -overlay= -modfile= -pkgdir= -gccgoflags= -workfile=": RUNS,
};

const go: Spec = {
  flags: "-C=<",
  subcommands: {
    build: { style: "whole", flags: `${GO_BUILD} -o=>`, doubt: GO_DOUBTS, words: "text", check: goLinker },
    install: {
      style: "whole",
      flags: GO_BUILD,
      doubt: GO_DOUBTS,
      words: (words) => ({
        doubts: words
          .filter((word) => word.includes("@"))
          .map((word) => `"${word}" is a program from elsewhere`),
      }),
      check: goLinker,
    },
    test: {
      style: "whole",
      flags: `${GO_BUILD} -run= -bench= -benchmem -benchtime= -count= -cpu= -short -timeout= -failfast -parallel= -list= -skip= -shuffle= -fuzz= -fuzztime= -fuzzminimizetime= -coverprofile=> -cpuprofile=> -memprofile=> -blockprofile=> -mutexprofile=> -trace=> -outputdir=> -o=> -c -vet= -fullpath -args`,
      doubt: GO_DOUBTS,
      words: "text",
      check: goLinker,
    },
    run: {
      style: "first",
      prepare: (args) => args.map((word) => (/^-[a-z]{2,}/.test(word) ? `-${word}` : word)),
      flags: "--race --tags= --mod= --trimpath -v -x -n -a",
      doubt: { "--exec= --toolexec= --overlay= --modfile=": RUNS },
      words: ([first = "", ...rest]) => ({
        reads: [first, ...rest.filter((word) => word.endsWith(".go"))].filter((word) => !word.includes("@")),
        doubts: first.includes("@") ? [`"${first}" is a program from elsewhere`] : [],
      }),
    },
    vet: { style: "whole", flags: `${GO_BUILD} -c= -printf -shadow -all`, doubt: GO_DOUBTS, words: "text" },
    fmt: { style: "whole", flags: "-n -x -mod=", words: "text" },
    generate: {
      style: "whole",
      words: () => ({ doubts: ["runs the programs that the sources name"] }),
      doubt: {},
    },
    list: {
      style: "whole",
      flags: `${GO_BUILD} -m -u -f= -deps -test -e -find -versions -retracted -compiled -export -reuse=`,
      doubt: GO_DOUBTS,
      words: "text",
      onlyReads: true,
    },
    doc: {
      style: "whole",
      flags: "-all -c -cmd -short -src -u -ex",
      doubt: { "-http": "opens this machine to others" },
      words: "text",
      onlyReads: true,
    },
    env: {
      style: "whole",
      flags: "-json -changed",
      doubt: { "-w -u": "changes the settings of go, some of which are programs" },
      words: "text",
    },
    get: { style: "whole", flags: "-u -u* -t -v -x -d", words: "text" },
    clean: { style: "whole", flags: "-n -x -r -i -testcache", words: "text" },
    version: { style: "whole", flags: "-m -v", words: "reads", onlyReads: true },
    help: { ...text(""), onlyReads: true },
    mod: {
      subcommands: {
        ...names("tidy download verify graph why vendor init", {
          style: "whole",
          flags: "-v -x -json -m -vendor -go= -compat= -e -o=> -reuse=",
          words: "text",
        }),
        edit: {
          style: "whole",
          flags: "-require= -droprequire= -go= -json -print -fmt -module= -exclude= -dropexclude=",
          doubt: { "-replace= -dropreplace= -toolchain= -tool=": "takes code from elsewhere" },
          words: "text",
        },
      },
    },
    work: {
      subcommands: names("init use sync edit vendor", {
        style: "whole",
        flags: "-r -json -print",
        words: "text",
      }),
    },
    tool: {
      style: "whole",
      flags: "-n -html=< -func=< -o=> -top -text -mode=",
      words: (words, seen) => ({
        doubts:
          words.length === 0 ||
          (/^(?:cover|nm|objdump|pprof|buildid|dist|addr2line)$/.test(words[0] ?? "") &&
            !seen.has("-toolexec"))
            ? []
            : [`runs "${words[0] ?? ""}"`],
      }),
    },
  },
};

/** Linker and compiler flags pass through to other programs. */
function goLinker(seen: { readonly values: (...names: string[]) => readonly string[] }): Effects {
  const passed = seen.values("-ldflags", "-gcflags", "-asmflags");
  return {
    doubts: passed
      .filter(
        (value) =>
          /-(?:extld|extldflags|toolexec|linkmode|I|r|tmpdir|o|importcfg|d)\b/.test(value) &&
          !/^-s -w$/.test(value),
      )
      .map((value) => `"${value}" passes flags on to another program`),
  };
}

const CARGO_BUILD = `-r --release --profile= --lib --bin= --bins --example= --examples --test= --tests --bench= --benches --all-targets -p= --package= --workspace --all --exclude= --features= -F= --all-features --no-default-features --target= -j= --jobs= --keep-going --message-format= --ignore-rust-version
  --timings? --future-incompat-report --no-run --no-fail-fast --doc --document-private-items --no-deps --open --fix --allow-dirty --allow-staged --allow-no-vcs --edition --broken-code --unit-graph -n --dry-run`;
const CARGO_DOUBTS = {
  "--config= -Z= --manifest-path= --target-dir= --artifact-dir= --out-dir= --lockfile-path= -C=": ELSEWHERE,
  "--git= --path= --registry= --index= --root= --git-fetch-with-cli": "takes code from elsewhere",
};
const cargoTask: Spec = { flags: CARGO_BUILD, words: "text" };

const cargo: Spec = {
  flags: "-q --quiet -v -vv --verbose --color= --frozen --locked --offline -V -h --list",
  doubt: CARGO_DOUBTS,
  inherits: true,
  subcommands: {
    ...names("build b check c test t bench doc d clippy fix nextest", cargoTask),
    run: { ...cargoTask, style: "first" },
    r: { ...cargoTask, style: "first" },
    fmt: { flags: "--all --check -p= --package= --message-format=", words: "text" },
    clean: { flags: "-r --release --doc --profile= --target= -p= --package= -n --dry-run" },
    ...names(
      "tree metadata pkgid locate-project search info verify-project version help read-manifest outdated audit deny machete udeps",
      {
        flags:
          "-e= --edges= -i? --invert? --depth= --prefix= --no-dedupe -d --duplicates --charset= -f= --format= --format-version= --no-deps --limit= --filter-platform= --prune= -p= --package= --features= --all-features --no-default-features --workspace --target= --message-format= --all-targets",
        words: "text",
      },
    ),
    ...names("update generate-lockfile fetch add remove rm vendor upgrade", {
      flags:
        "-p= --package= --precise= --aggressive --recursive --workspace -w --dev -D --build --optional --no-optional --features= -F= --no-default-features --default-features --rename= --target= --dry-run -n --breaking -s --sync",
      words: "text",
    }),
    install: {
      flags: "-f --force --version= --locked --list --features= --bin= --bins --debug --no-track",
      words: "text",
    },
    uninstall: { flags: "-p= --package= --bin=", words: "text" },
    ...names("new init", { flags: "--bin --lib --edition= --name= --vcs=", words: "writes" }),
    package: { flags: "-l --list --no-verify --allow-dirty --no-metadata -p= --package=" },
    expand: cargoTask,
    watch: { words: () => ({ doubts: ["runs commands when files change"] }) },
    llvm: cargoTask,
  },
};

const maven: Spec = {
  flags: `-q --quiet -B --batch-mode -ntp --no-transfer-progress -o --offline -U --update-snapshots -X --debug -e --errors -pl= --projects= -am --also-make -amd --also-make-dependents -rf= --resume-from= -T= --threads= -P= --activate-profiles= -N --non-recursive -fae --fail-at-end -ff
    --fail-fast -fn --fail-never -v --version -V --show-version -h -C -c -nsu -r --color=`,
  style: "whole",
  doubt: {
    "-f= --file= -s= --settings= -gs= --global-settings= -t= --toolchains= -gt= -l= --log-file= -b= --builder= -emp= -ep=":
      ELSEWHERE,
  },
  prepare: (args) =>
    args.flatMap((word) =>
      /^-T\d/.test(word)
        ? ["-T", word.slice(2)]
        : /^-P\w/.test(word)
          ? ["-P", word.slice(2)]
          : word.startsWith("-D")
            ? [`+${word}`]
            : [word],
    ),
  words: (words) => ({
    doubts: words.flatMap((word) => {
      if (word.startsWith("+-D"))
        return /^\+-D(?:skipTests|maven\.test\.skip|test|it\.test|skipITs|surefire\.failIfNoSpecifiedTests|failIfNoTests|checkstyle\.skip|spotless\.check\.skip|revision|project\.build\.sourceEncoding|groupId|artifactId|version|archetype(?:GroupId|ArtifactId|Version)|package|interactiveMode|includes|excludes|verbose|newVersion|processAllModules|generateBackupPoms|style\.color|maven\.javadoc\.skip|jacoco\.skip)(?:=|$)/.test(
          word,
        )
          ? []
          : [`"${word.slice(1)}" is not a property known to be harmless`];
      if (
        /^(?:clean|validate|compile|test-compile|test|package|verify|install|site|generate-sources|process-resources|process-classes|prepare-package|integration-test|initialize)$/.test(
          word,
        )
      )
        return [];
      return /^(?:dependency:(?:tree|analyze|resolve|list|go-offline|build-classpath)|versions:(?:display-[\w-]+|set|commit|revert)|help:[\w-]+|spotless:(?:check|apply)|checkstyle:check\w*|surefire:test|jacoco:report|archetype:generate|spring-boot:run|compiler:compile|clean:clean|javadoc:javadoc|enforcer:enforce)$/.test(
        word,
      )
        ? []
        : [`"${word}" is not a goal known to be harmless`];
    }),
  }),
};

const gradle: Spec = {
  flags: `-q --quiet -i --info -d --debug -w --warn -s --stacktrace -S --full-stacktrace --no-daemon --daemon --stop --status --offline --parallel --no-parallel --build-cache --no-build-cache --configuration-cache --no-configuration-cache --continue --dry-run -m --rerun-tasks --refresh-dependencies --scan --no-scan
    -x= --exclude-task= --console= --warning-mode= --max-workers= --profile --tests= -t --continuous --all -v -h --write-locks --info --rerun --configuration= --dependency= --type= --dsl= --project-name= --test-framework= --package=`,
  doubt: {
    "-I= --init-script= -b= --build-file= -c= --settings-file= -p= --project-dir= -g= --gradle-user-home= --include-build= -D= -P= -D* -P* --project-cache-dir= -M= -F= --gradle-version= --gradle-distribution-url= --distribution-url=":
      ELSEWHERE,
  },
  style: "anywhere",
  words: (words) => ({
    doubts: words
      .filter((word) => /publish|upload|deploy|release/i.test(word))
      .map((word) => `"${word}" sends something away`),
  }),
};

const cmake: Spec = {
  flags:
    "-S=< -B=> -G= -A= -T= -N -L -LA -LH -LAH --build=< --target= -t= --config= --parallel? -j? --clean-first --verbose -v --install=< --prefix=> --preset= --list-presets? --fresh --log-level= --warn-uninitialized -Wdev -Wno-dev --graphviz=> --trace --system-information --component= --strip -h --workflow --debug-output --no-warn-unused-cli -D= -D* -U= -U*",
  doubt: {
    "-P= -E= -C= --toolchain= --trace-redirect= --debugger --debugger-pipe= --profiling-output= --find-package --open=":
      RUNS,
  },
  style: "whole",
  words: (words, seen) => ({
    reads: words,
    doubts: [
      ...(seen.has("--build")
        ? words
            .filter((word) => !/^-?j?\d*$/.test(word))
            .map((word) => `"${word}" is handed to another builder`)
        : []),
      ...seen
        .values("-D")
        .filter(
          (value) =>
            !/^(?:CMAKE_(?:BUILD_TYPE|INSTALL_PREFIX|EXPORT_COMPILE_COMMANDS|CXX_STANDARD|C_STANDARD|VERBOSE_MAKEFILE|POSITION_INDEPENDENT_CODE|OSX_ARCHITECTURES|PREFIX_PATH|UNITY_BUILD)|BUILD_\w+|ENABLE_\w+|WITH_\w+|USE_\w+|\w+_(?:BUILD|ENABLE)_\w+)(?::\w+)?=[\w./;+-]*$/.test(
              value,
            ),
        )
        .map((value) => `"${value}" sets what may be a program`),
    ],
  }),
};

export const buildPrograms = (): Programs => ({
  make,
  gmake: make,
  gcc: compiler,
  cc: compiler,
  "g++": compiler,
  "c++": compiler,
  clang: compiler,
  "clang++": compiler,
  c99: compiler,
  ninja: {
    flags: "-v --verbose -j= -k= -n -l= -d= -C=< --quiet -h -t=",
    doubt: { "-f= -w=": ELSEWHERE },
    check: (seen) => ({
      doubts: seen
        .values("-t")
        .filter((tool) => !/^(?:targets|query|graph|list|commands|compdb|deps|inputs|rules)$/.test(tool))
        .map((tool) => `the tool "${tool}" is not known to be harmless`),
    }),
    words: "text",
  },
  cmake,
  ctest: {
    flags:
      "-V -VV --verbose --extra-verbose -Q --quiet -N --show-only? -R= -E= -L= -LE= -j= --parallel= --output-on-failure -C= --build-config= --timeout= --rerun-failed --test-dir=< --stop-on-failure --repeat= --progress --schedule-random --stop-time= --no-tests= --preset= -I= -W --label-summary --no-label-summary --output-junit=>",
    doubt: {
      "-S= -SP= --script= --build-and-test -D= -T= -M= --build-makeprogram= --test-command= --dashboard= --overwrite= --extra-submit= -O= --output-log=":
        RUNS,
    },
    style: "whole",
    words: "none",
    prepare: (args) => args.map((word) => (/^-j\d+$/.test(word) ? `--parallel=${word.slice(2)}` : word)),
  },
  meson: {
    subcommands: {
      ...names("compile test", {
        flags:
          "-C=< -j= -v --verbose --clean --list --suite= --no-suite= -q --quiet --print-errorlogs --no-rebuild --repeat= -t= --benchmark --num-processes=",
        doubt: { "--wrapper= --wrap= --ninja-args= --gdb --gdb-path= --setup= --test-args=": RUNS },
        words: "text",
      }),
      setup: {
        flags:
          "--buildtype= --prefix=> --reconfigure --wipe -D= --default-library= --optimization= --warnlevel= --werror --strip",
        doubt: { "--native-file= --cross-file=": RUNS },
        words: "copy",
      },
      introspect: {
        flags:
          "--targets --tests --buildoptions --projectinfo --all -a -i --indent --dependencies --installed --benchmarks",
        words: "reads",
      },
      install: { flags: "-C=< --destdir=> --no-rebuild --dry-run -n --quiet --tags=", words: "none" },
    },
  },
  bazel: {
    subcommands: names("build test query info clean version cquery coverage", {
      flags:
        "--config= -c= --compilation_mode= --test_output= --test_filter= --jobs= -j= --keep_going -k --verbose_failures -s --output= --nocache_test_results --cache_test_results= --test_timeout= --runs_per_test= --color= --curses= --noshow_progress --expunge --test_tag_filters= --build_tag_filters= --platforms= --test_arg= --flaky_test_attempts= --notool_deps --noimplicit_deps --test_size_filters=",
      words: "text",
    }),
  },
  just: {
    flags:
      "-l --list -n --dry-run -q --quiet -v --verbose --summary -s= --show= --dump --evaluate --color= --no-deps --unsorted -u",
    doubt: {
      "-f= --justfile= -d= --working-directory= --shell= --shell-arg= -c= --command= -e --edit --chooser= --choose --set= --init":
        ELSEWHERE,
    },
    words: "text",
  },
  task: {
    flags:
      "-l --list -a --list-all -p --parallel -s --silent -v --verbose -f --force -n --dry -w --watch --summary --status --json -j",
    doubt: { "-t= --taskfile= -d= --dir= -g --global -i --init -o=": ELSEWHERE },
    words: "text",
  },
  go,
  gofmt: { flags: "-l -d -s -e -r= -w", doubt: { "-cpuprofile=": "writes a file" }, words: "reads" },
  goimports: { flags: "-l -d -e -w -v -local= -format-only", style: "whole", words: "reads" },
  "golangci-lint": {
    subcommands: {
      run: text(
        "--fix -v --verbose --timeout= --fast --fast-only -E= --enable= -D= --disable= --disable-all --enable-all --new --new-from-rev= --out-format= --max-issues-per-linter= --max-same-issues= --tests --skip-dirs= --build-tags= -j= --concurrency= --issues-exit-code= --color= --allow-parallel-runners --show-stats --whole-files",
        { "-c= --config= --no-config --modules-download-mode=": ELSEWHERE },
      ),
      linters: {},
      version: {},
      fmt: text("-d --diff"),
    },
  },
  staticcheck: {
    style: "whole",
    flags: "-checks= -f= -tests= -explain= -go= -fail= -show-ignored -version -list-checks",
    words: "text",
  },
  cargo,
  rustc: {
    flags:
      "-o=> -O -g -C= --crate-type= --crate-name= --edition= --emit= --test --target= -v --verbose -V --explain= --print= -A= -W= -D= --cfg= -L=< -l= --out-dir=> --error-format= --color= --cap-lints= -h",
    doubt: { "-Z= --extern= --sysroot= --codegen=": RUNS },
    words: compiled,
    check: (seen) => ({
      doubts: [
        ...seen
          .values("-C")
          .filter(
            (value) =>
              !/^(?:opt-level|debuginfo|lto|target-cpu|codegen-units|panic|strip|overflow-checks|debug-assertions|incremental|metadata)=/.test(
                value,
              ),
          )
          .map((value) => `"-C ${value}" can choose another linker`),
        ...seen
          .values("--emit", "--print")
          .filter((part) => part.includes("="))
          .map((part) => `"${part}" names a file to write`),
      ],
    }),
  },
  rustfmt: {
    flags: "--check --edition= -l --files-with-diff -q -v --emit= --color= --backup -V",
    doubt: { "--config-path= --config=": ELSEWHERE },
    words: "reads",
  },
  rustup: {
    subcommands: {
      ...names("show check update which doc", text("-v --force --no-self-update --toolchain=")),
      toolchain: {
        words: (words) => ({
          doubts: /^(?:list|install|uninstall)$/.test(words[0] ?? "")
            ? []
            : ["links a toolchain from elsewhere"],
        }),
        flags: "-c= --component= -t= --target= --profile= --no-self-update -v",
      },
      target: {
        words: (words) => ({
          doubts: /^(?:list|add|remove)$/.test(words[0] ?? "") ? [] : ["is not known to be harmless"],
        }),
        flags: "--installed --toolchain=",
      },
      component: {
        words: (words) => ({
          doubts: /^(?:list|add|remove)$/.test(words[0] ?? "") ? [] : ["is not known to be harmless"],
        }),
        flags: "--installed --toolchain=",
      },
      default: text(""),
      override: {
        words: (words) => ({
          doubts: /^(?:list|set|unset)$/.test(words[0] ?? "") ? [] : ["is not known to be harmless"],
        }),
      },
    },
    flags: "-V -v -q",
  },
  mvn: maven,
  mvnw: maven,
  "./mvnw": maven,
  gradle,
  gradlew: gradle,
  "./gradlew": gradle,
  ant: {
    flags:
      "-v -verbose -q -quiet -d -debug -e -emacs -k -keep-going -p -projecthelp -S -silent -version -diagnostics",
    doubt: {
      "-f= -file= -buildfile= -lib= -D* -D= -listener= -logger= -inputhandler= -propertyfile= -main= -l= -logfile= -s= -find=":
        ELSEWHERE,
    },
    style: "whole",
    words: "text",
  },
  sbt: {
    flags: "-v --batch -batch --no-colors --client",
    doubt: { "-D* -J* --sbt-jar= --java-home=": ELSEWHERE },
    words: (words) => ({
      doubts: words
        .filter(
          (word) =>
            !/^(?:clean|compile|test|package|run|update|doc|publishLocal|assembly|reload|scalafmtAll|scalafmtCheckAll|test:compile|Test\/compile|testOnly [\w.*]+|runMain [\w.]+|dependencyTree)$/.test(
              word,
            ),
        )
        .map((word) => `"${word}" is not a task known to be harmless`),
    }),
  },
  javac: {
    style: "whole",
    flags:
      "-d=> -cp=< -classpath=< --class-path=< -sourcepath=< -source= -target= --release= -g -g* -Xlint -Xlint* -Werror -nowarn -verbose -encoding= -parameters -deprecation -version -help -proc:none -implicit* -s=> -h=> --enable-preview",
    doubt: {
      "-processor= -processorpath= --processor-path= -J* -Xplugin* -bootclasspath= -extdirs= --module-path= -p=":
        RUNS,
    },
    words: compiled,
  },
  java: {
    style: "whole",
    flags:
      "-version --version -showversion -Xmx* -Xms* -Xss* -ea -esa -enableassertions -server -client -help -h -verbose --enable-preview --dry-run -X --list-modules",
    changes: "-cp=< -classpath=< --class-path=<",
    doubt: {
      "-agentlib* -agentpath* -javaagent* -XX* -D* -Xbootclasspath* -Xrun* --module-path= -p= -Xdebug --add-opens= --add-exports= --patch-module= -m= --upgrade-module-path=":
        RUNS,
    },
    nested: (args) => {
      // What follows the class, the jar or the source file belongs to that program.
      const jar = args.indexOf("-jar");
      const main = args.findIndex(
        (word, index) =>
          !word.startsWith("-") && !/^(?:-cp|-classpath|--class-path)$/.test(args[index - 1] ?? ""),
      );
      const end = jar === -1 ? main : jar + 1;
      return {
        words: end === -1 ? args : args.slice(0, end + 1).map((word) => (word === "-jar" ? "-server" : word)),
        commands: [],
        mustOnlyRead: false,
      };
    },
    words: (words) => ({
      ...compiled(words),
      doubts: [
        ...(compiled(words).doubts ?? []),
        ...words
          .filter((word) => /^https?:|^jdk\.|^sun\.|^com\.sun\./.test(word))
          .map((word) => `"${word}" is not a program of this project`),
      ],
    }),
  },
  jar: {
    flags:
      "-t --list -x --extract -c --create -u --update -f=> --file=> -v --verbose -m=< --manifest=< -e= --main-class= -C=< -0 -M -i= -d --describe-module",
    prepare: (args) =>
      /^[ctxuvfme0M]+$/.test(args[0] ?? "")
        ? [
            ...(args[0] ?? "")
              .replaceAll(/[fme]/g, "")
              .split("")
              .map((letter) => `-${letter}`),
            "--",
            ...args.slice(1),
          ]
        : args,
    words: (words, seen) =>
      seen.has("-t", "--list")
        ? { reads: words }
        : { reads: words, writes: seen.has("-x", "--extract") ? ["."] : words.slice(0, 1) },
  },
  javap: {
    style: "whole",
    flags: "-c -v -verbose -p -private -public -s -l -constants -cp=< -classpath=< -sysinfo -version",
    words: "reads",
    onlyReads: true,
  },
  javadoc: {
    style: "whole",
    flags:
      "-d=> -sourcepath=< -subpackages= -exclude= -cp=< -classpath=< -private -public -author -version -quiet -windowtitle= -Xdoclint* -encoding=",
    words: compiled,
  },
  kotlinc: {
    style: "whole",
    flags: "-d=> -cp=< -classpath=< -include-runtime -version -jvm-target= -nowarn -Werror -verbose",
    doubt: { "-script -Xplugin* -P= -J* -kotlin-home= -e= -expression= -X*": RUNS },
    words: compiled,
  },
  dotnet: {
    flags: "--info --list-sdks --list-runtimes -h -d --diagnostics",
    subcommands: {
      ...names("build test run restore clean publish pack watch format", {
        flags:
          "-c= --configuration= -f= --framework= -r= --runtime= -o=> --output=> -v= --verbosity= --no-build --no-restore --nologo --filter= --logger= -l= --collect= --blame --project=< --launch-profile= --self-contained --no-self-contained --verify-no-changes -t --list-tests --no-dependencies --force --interactive --source= -a= --arch= --os= --version-suffix= --include= --exclude= --severity= --no-incremental --use-current-runtime",
        doubt: {
          "-p* -p: --property* --settings= -s= --test-adapter-path= -d= --diag= --results-directory= --configfile= --environment= -e= --tool-path= --additional-deps=":
            ELSEWHERE,
        },
        words: "text",
      }),
      new: {
        flags:
          "-n= --name= -o=> --output=> -f= --framework= --force --dry-run -lang= --language= --no-restore --list -l",
        words: "text",
      },
      add: { flags: "-v= --version= --prerelease -n --no-restore", words: "text" },
      remove: text(""),
      list: { flags: "--outdated --vulnerable --deprecated --include-transitive --format=", words: "text" },
      sln: text(""),
      tool: {
        words: (words) => ({
          doubts: /^(?:list|restore|search)$/.test(words[0] ?? "")
            ? []
            : ["installs or runs a program from elsewhere"],
        }),
        flags: "-g --global --local",
      },
      nuget: {
        words: (words) => ({
          doubts: words[0] === "list" || words[0] === "locals" ? [] : ["is not known to be harmless"],
        }),
        flags: "--list -l --clear -c",
      },
      help: text(""),
    },
  },
  swift: {
    subcommands: names("build test package run", {
      flags:
        "-c= --configuration= -v --verbose --filter= --parallel --product= --target= -j= --jobs= --enable-code-coverage --skip= --list-tests --show-bin-path --clean",
      doubt: { "-Xcc= -Xswiftc= -Xlinker= --package-path= --scratch-path= --build-path=": ELSEWHERE },
      words: "text",
    }),
    flags: "",
  },
  zig: {
    subcommands: {
      build: text("-j* --summary= -D* --release* --verbose"),
      test: { words: "reads" },
      fmt: { flags: "--check", words: "reads" },
      version: {},
      env: {},
      "build-exe": { flags: "-O= -target=", style: "whole", words: "reads" },
      run: { words: "reads" },
      init: {},
    },
  },
  ld: {
    style: "whole",
    flags:
      "-o=> -L* -l* -shared -static -r -s -v -V -e= -m= -z= -rpath= -soname= --verbose -h -pie -dynamic-linker=",
    doubt: { "-plugin= --plugin= -plugin-opt= -T= --script= -dT=": RUNS },
    words: compiled,
  },
  as: {
    flags: "-o=> -g --32 --64 -a? -D -W -Z -v --warn -I=< --gstabs --gdwarf-5 -march= -mtune=",
    style: "whole",
    words: compiled,
  },
  nasm: {
    style: "whole",
    flags: "-f= -f* -o=> -o>* -g -O* -w* -I* -D* -d* -F= -v -h -X= -l=> -E -e -a",
    words: compiled,
  },
  strip: {
    flags:
      "-s --strip-all -g -S -d --strip-debug --strip-unneeded -x --discard-all -X -K= --keep-symbol= -N= --strip-symbol= -p --preserve-dates -v --verbose -R= --remove-section= -o=> --info",
    doubt: { "--plugin=": RUNS },
    words: "writes",
  },
  objdump: binary(
    "-a --archive-headers -d --disassemble? -D --disassemble-all -f --file-headers -h --section-headers --headers -i --info -j= --section= -l --line-numbers -p --private-headers -r --reloc -R --dynamic-reloc -s --full-contents -S --source -t --syms -T --dynamic-syms -x --all-headers -w --wide -C? --demangle? -M= --disassembler-options= --start-address= --stop-address= --no-show-raw-insn -G -g --debugging -z -b= -m= --no-addresses --visualize-jumps? -W? --dwarf?",
    {
      check: (seen) => ({
        doubts: seen
          .values("-W", "--dwarf")
          .filter((part) => /debuginfod|follow|[DKL]/.test(part))
          .map((part) => `"${part}" asks a server`),
      }),
      doubt: { "--plugin= -P=": RUNS },
    },
  ),
  objcopy: {
    flags:
      "-O= --output-target= -I= --input-target= -j= --only-section= -R= --remove-section= -S --strip-all -g --strip-debug --only-keep-debug --add-gnu-debuglink=< -B= --binary-architecture= -v",
    doubt: { "--plugin=": RUNS },
    words: (words) => ({ reads: words.slice(0, 1), writes: words.slice(-1) }),
  },
  nm: binary(
    "-a --debug-syms -A -o --print-file-name -C? --demangle? -D --dynamic -f= --format= -g --extern-only -l --line-numbers -n -v --numeric-sort -p --no-sort -P --portability -r --reverse-sort -S --print-size -s -t= -u --undefined-only --defined-only --size-sort -X= -j -U",
    { doubt: { "--plugin=": RUNS } },
  ),
  readelf: binary(
    "-a --all -h --file-header -l --program-headers --segments -S --section-headers --sections -g -t -e --headers -s --syms --symbols --dyn-syms -n --notes -r --relocs -u -d --dynamic -V --version-info -A --arch-specific -D -x= --hex-dump= -p= --string-dump= -R= -w? --debug-dump? -I --histogram -W --wide -c -H -v -C? --demangle? -z",
  ),
  size: binary("-A -B -d -o -x -t -G --format= --totals --common"),
  ldd: {
    flags: "-v --verbose -u --unused -d --data-relocs -r --function-relocs",
    words: () => ({ doubts: ["may run the file to see what it loads"] }),
  },
  addr2line: binary("-a -b= -e=< -f -i -j= -p -s -C --demangle", { words: "text" }),
  "c++filt": { flags: "-_ -n -p -t -i -s=", words: "text", onlyReads: true },
  "pkg-config": {
    flags:
      "--cflags --libs --modversion --exists --list-all --variable= --print-errors --static --cflags-only-I --libs-only-L --libs-only-l --atleast-version= --print-requires --print-variables --silence-errors --short-errors",
    words: "text",
    onlyReads: true,
  },
  "clang-format": {
    flags:
      "-i --style= -style= -n --dry-run --Werror -Werror --verbose --sort-includes --fallback-style= --lines= --assume-filename=",
    style: "whole",
    words: "reads",
    check: (seen) => ({
      doubts: seen
        .values("--style", "-style")
        .filter((style) => style.includes(":"))
        .map(() => ELSEWHERE),
    }),
  },
  "clang-tidy": {
    style: "whole",
    flags:
      "--checks= -checks= --fix -fix --quiet -quiet -p=< --header-filter= --warnings-as-errors= --list-checks --format-style= --use-color",
    doubt: { "--load= -load= --config= --config-file= --extra-arg= --extra-arg-before= --vfsoverlay=": RUNS },
    words: "reads",
  },
  shellcheck: {
    flags:
      "-a --check-sourced -C? --color? -e= --exclude= -f= --format= -i= --include= -o= --enable= -s= --shell= -S= --severity= -V -W= -x --external-sources --list-optional --norc -P=<",
    words: "reads",
    onlyReads: true,
  },
  shfmt: {
    flags: "-l -d -i= -ci -bn -sr -kp -fn -s -mn -ln= -p -f -w --filename=",
    style: "whole",
    words: "reads",
  },
  hadolint: {
    flags: "-f= --format= --ignore= -t= --failure-threshold= --no-fail --no-color -V --trusted-registry=",
    doubt: { "-c= --config=": ELSEWHERE },
    words: "reads",
    onlyReads: true,
  },
  yamllint: {
    flags: "-f= --format= -s --strict -d= --config-data= --no-warnings --list-files",
    doubt: { "-c= --config-file=": ELSEWHERE },
    words: "reads",
    onlyReads: true,
  },
  markdownlint: {
    flags: "-f --fix -i= --ignore= --disable= --enable= -q --quiet --dot -p=<",
    doubt: { "-c= --config= -r= --rules= -o= --output=": ELSEWHERE },
    words: "reads",
  },
  actionlint: {
    flags: "-color -verbose -ignore= -format= -oneline -no-color",
    style: "whole",
    doubt: { "-shellcheck= -pyflakes= -config-file=": RUNS },
    words: "reads",
    onlyReads: true,
  },
  protoc: {
    flags:
      "--python_out=> --cpp_out=> --java_out=> --go_out=> --ts_out=> --js_out=> --csharp_out=> --ruby_out=> --descriptor_set_out=> -I=< --proto_path=< --include_imports --include_source_info --decode= --encode= --decode_raw",
    doubt: { "--plugin=": RUNS },
    words: compiled,
  },
  cloc: {
    flags:
      "--by-file --by-file-by-lang --exclude-dir= --exclude-lang= --include-lang= --include-ext= --exclude-ext= --json --csv --md --xml --yaml --quiet --vcs= --git --diff --skip-uniqueness --hide-rate --sum-one --timeout= --fullpath --not-match-d= --match-f= --not-match-f= --force-lang=",
    words: "reads",
    onlyReads: true,
  },
  tokei: {
    flags:
      "-f --files -e= --exclude= -s= --sort= -t= --type= -o= --output= -l --languages -C --compact --hidden --no-ignore -c= --columns=",
    words: "reads",
    onlyReads: true,
  },
  scc: {
    flags:
      "-w --wide --by-file -f= --format= -i= --include-ext= --exclude-dir= --no-cocomo -s= --sort= -c --no-complexity --no-size",
    words: "reads",
    onlyReads: true,
  },
  hyperfine: { words: () => ({ doubts: ["runs the commands it is given"] }) },
  pandoc: {
    flags:
      "-f= --from= -r= --read= -t= --to= -w= --write= -o=> --output=> -s --standalone --toc --table-of-contents --toc-depth= -N --number-sections --metadata= -M= -V= --variable= --wrap= --columns= --strip-comments --ascii --reference-links --highlight-style= --no-highlight --list-input-formats --list-output-formats --list-extensions? --list-highlight-languages --list-highlight-styles -c= --css= --embed-resources --self-contained --mathjax? --katex? --citeproc -C --bibliography=< --csl=< --resource-path=< --extract-media=> --shift-heading-level-by= --slide-level= --top-level-division= --markdown-headings= --atx-headers --title-prefix= --eol= --quiet --verbose --fail-if-warnings -i --incremental --section-divs --reference-doc=< --epub-cover-image=< --split-level= --template=< -p --preserve-tabs --tab-stop= -v -h",
    doubt: {
      "-F= --filter= -L= --lua-filter= --pdf-engine= --pdf-engine-opt= -H= -B= -A= --include-in-header= --include-before-body= --include-after-body= --data-dir= -d= --defaults= --log= --syntax-definition= --request-header= --no-check-certificate --abbreviations= --print-default-data-file= --trace --server":
        RUNS,
    },
    words: (words, seen) => ({
      reads: words.filter((word) => !/^https?:/.test(word)),
      urls: words.filter((word) => /^https?:/.test(word)),
      doubts: seen
        .values("-f", "--from", "-r", "--read", "-t", "--to", "-w", "--write")
        .filter((format) => /\.lua$|\//.test(format))
        .map((format) => `"${format}" is a program`),
    }),
  },
  doxygen: { flags: "-g -u -s -v -h -d=", words: "reads" },
  gcov: { flags: "-a -b -c -f -n -o= -p -r -s= -t -j -k -q -v", words: "reads" },
  lcov: {
    flags:
      "-c --capture -d=< --directory=< -o=> --output-file=> -a=< --add-tracefile=< -r= --remove= -e= --extract= -l --list -q --quiet --no-external -b= --summary --list-full-path",
    doubt: { "--gcov-tool= --rc= --config-file= --diff=": RUNS },
    words: "text",
  },
});
