/**
 * Random shell texts: a grammar of what people and models write, and noise of what shells care about.
 * Pieces that only the shell can know are marked dynamic; the other texts should mostly be read as plain.
 */
import * as fc from "fast-check";

export type ShellText = { readonly text: string; readonly dynamic: boolean };

/** None of these names is a program anywhere, so nothing real runs even when the PATH is lost. */
export const STUBS = "aax bbx ccx ddx eex ffx ggx hhx iix jjx kkx llx mmx nnx nox".split(" ");
export function shellText(): fc.Arbitrary<ShellText> {
  return fc.oneof(
    { arbitrary: grammar().script, weight: 3 },
    { arbitrary: settingText(), weight: 3 },
    { arbitrary: noise(), weight: 1 },
  );
}

/** Letters that mean something to a shell, in no order. There is no slash or dot: it stays in its folder. */
function noise(): fc.Arbitrary<ShellText> {
  const bits = [
    "'",
    '"',
    "\\",
    "$",
    "(",
    ")",
    ";",
    "|",
    "&",
    "<",
    ">",
    "\n",
    "{",
    "}",
    "[",
    "]",
    "*",
    "?",
    "~",
    "#",
    "!",
    "=",
    ",",
    "-",
    "`",
    " ",
    "\t",
    "aax",
    "bbx ",
    " ccx ",
    "$'",
    "\\\n",
    "a",
    "1",
    "<<",
    "&&",
    ";",
    " ",
    "&>",
    ">&",
    "|&",
    "<<<",
    "$[",
    '$"',
    "((",
    "))",
    "[[ ",
    " ]]",
    "${",
    "E\n",
    "<<E",
    "time ",
    "if ",
    "esac",
    "in ",
    "do ",
    "done",
    "2>",
    "10>",
    "@(",
    "^",
    "%",
    "é",
    "\n#",
    "\\\n",
  ];
  return fc
    .array(fc.constantFrom(...bits), { minLength: 1, maxLength: 14 })
    .map((some) => ({ text: `aax ${some.join("")}`, dynamic: true }));
}

type Grammar = { script: ShellText; command: ShellText; word: ShellText; list: ShellText };

function grammar() {
  return fc.letrec<Grammar>((tie) => {
    const program = still(...STUBS);

    const piece = mostly(
      still(
        "a",
        "-x",
        "--long=1",
        "b.txt",
        "'q r'",
        '"d e"',
        "\\;",
        "\\ ",
        "'$x'",
        '"\\$y"',
        "\\$z",
        "a\\\nb",
        '"l\\\nm"',
        "''",
        '""',
        "$'t\\tu'",
        "$'\\x41\\'b'",
        "'*'",
        "\\*",
        "x=1",
        "%",
        "+",
        ":",
        "@{1}",
        "{}",
        "a#b",
        "\\#",
        '"a`b"'.replaceAll("`", "\\`"),
        "'a;b'",
        '"c&&d"',
        "'|'",
        "é",
        "\\~",
        "'~'",
        "!",
        "a!b",
        '"!"',
        "^",
        "[",
        "]",
        "{",
        "}",
        "a,b",
        "-",
        "\\\\",
        '"\\a"',
        "'\n'",
        "$'\\'q'",
        "$'\\\\'",
        "$'\\' ; bbx #'",
        "$'a\\nb'",
        "$'\\101'",
        "$'\\e'",
        "a$",
        '"a$"',
        '"$%"',
        "$,",
        "if",
        "then",
        "done",
        "esac",
        "in",
        "do",
        "time",
        "function",
        "coproc",
        "select",
        "[[",
        "]]",
        "10",
        "2",
        "=b",
        "==",
        "a=b",
        '"#"',
        "a\\\n#b",
        "\\\n\\\n",
        "''\\\n''",
        "[^a]",
        "[!a]",
        "a{b}c",
        "{a..b",
        "{,",
        "%%",
        "?\\?",
        '"a\nb"',
        "\\'",
        '\\"',
        "'\"'",
        '"\'"',
        "\\&",
        "\\>",
        "\\<",
        "\\|",
        "\\(",
      ),
      moving(
        "$x",
        "${x}",
        '"$x"',
        "${x:-a b}",
        "{a,b}",
        "{1..3}",
        "*",
        "a*",
        "?",
        "[ab]*",
        "$((1+1))",
        "~root",
        "~+",
        "$@",
        '$"l"',
        "-*",
        "$[1+1]",
        '"$[1+1]"',
        '"${x}"',
        "$'a\\u00e9'",
        "$'\\c'a'",
        '$"a\'b"',
        "@(a|b)",
        "!(a)",
        "+(a)",
        "**",
        "src/**",
        "$((a[1]))",
        "$(( 1 ))",
        "${x:-$'\\''}",
        '"${x:-\'}"',
        "${#x}",
        "=(bbx)",
        "a=(b)",
        "{a,'}'}",
      ),
      80,
    );
    const word = fc.oneof(
      { arbitrary: piece, weight: 160 },
      { arbitrary: all(piece, piece), weight: 60 },
      { arbitrary: still("src/*.ts", "src/o*", "~", "~/f", "sub/?x", "src/[ot]*", "./*"), weight: 10 },
      { arbitrary: marked(all("$(", tie("list"), ")")), weight: 3 },
      { arbitrary: marked(all('"$(', tie("list"), ')"')), weight: 2 },
      { arbitrary: marked(all("`", program, "`")), weight: 1 },
      { arbitrary: marked(all("<(", tie("list"), ")")), weight: 1 },
    );
    const redirect = mostly(
      still(
        " > out",
        " >> sub/out",
        " 2>/dev/null",
        " 2>&1",
        " >&2",
        " < aax.txt",
        " &> all",
        " >| 'o u t'",
        " <> rw",
        " 3>o3",
        " >&word",
        " >src/'g h'",
        " >& 2",
        " 1>&2 2>&1",
        " 2>&-",
        " <&-",
        " 10> ten",
        " >&all",
        " >&'$(ccx)'",
        " >&'a b'",
        " >&a\\\\b",
        " <&'$(ccx)'",
        " &>'$(ccx)'",
        " >'$(ccx)'",
        " <<<'$(ccx)'",
        " &>> more",
        " &>/dev/null",
        " >! f",
        " 2>e1 >o1",
        " >\\\nout",
        " >'out'",
        " <<< word",
        " <<< 'a b'",
        " 2>&1-",
        " >&2-",
      ),
      moving(" > $x", " > out{1,2}", " < <(bbx)", " {fd}> f", " > *"),
      20,
    );
    const space = still(" ", " ", " ", "  ", "\t", " \\\n");
    const words = fc.array(all(space, tie("word")), { maxLength: 3 }).chain((some) => constant(some));
    const prefix = fc.oneof(
      { arbitrary: still(""), weight: 140 },
      {
        arbitrary: still(
          "env ",
          "nice ",
          "nice -n 1 ",
          "timeout 3 ",
          "timeout -k 1 3 ",
          "nohup ",
          "env -- ",
          "env -u X ",
          "env -C sub ",
          "env --chdir=src ",
          "stdbuf -oL ",
          "setsid -w ",
          "command ",
          "builtin echo; ",
          "exec ",
          "time ",
          "! ",
          "nice -5 ",
          "env -i PATH=/none ",
          "command -- ",
          "time -p ",
        ),
        weight: 30,
      },
      {
        arbitrary: moving(
          "xargs ",
          "x=1 ",
          "env X=1 ",
          "xargs -n 1 ",
          "env -S ",
          "PATH=sub ",
          "IFS=a ",
          "a[0]=b ",
          "env --ignore ",
          "timeout --sig INT 3 ",
        ),
        weight: 5,
      },
    );
    const heredoc = mostly(
      fc.oneof(all(program, " <<'E'\nx $y `aax`\nE\n", program), hereDocument(program)),
      marked(all(program, " <<E | bbx\n$(", program, ") \\$x\nE\n", program)),
      3,
    );
    const inner = fc.oneof(
      all("'", program, " i; ", program, "'"),
      all('"', program, " \"'j  k'", '" l"'),
      all("'cd sub && ", program, "'"),
    );
    const simple = all(
      prefix,
      program,
      words,
      fc.oneof({ arbitrary: still(""), weight: 30 }, { arbitrary: redirect, weight: 10 }),
    );
    const command = fc.oneof(
      { arbitrary: simple, weight: 200 },
      {
        arbitrary: still(
          "cd sub",
          "cd src/deep",
          "cd ./src",
          "cd nowhere",
          "cd",
          "pushd sub",
          "cd -- src",
          "cd -L sub",
          "cd -L -- src/deep",
          "cd -e sub",
          "cd ~/sub",
        ),
        weight: 30,
      },
      {
        arbitrary: moving(
          "cd -",
          "cd -P sub",
          "cd -eP src/..",
          "cd -PP sub",
          "cd -LP sub",
          "cd -PL sub",
          "cd -Pe ../src",
          "cd -q sub",
          "chdir sub",
          "popd",
          "cd $x",
          "cd src/*",
          "x=aax",
          "cd *",
          "pushd",
          "export x=1",
          "set -- a",
          "alias aax=bbx",
        ),
        weight: 6,
      },
      { arbitrary: all("(", tie("list"), ")"), weight: 10 },
      { arbitrary: all("{ ", tie("list"), "; }"), weight: 10 },
      {
        arbitrary: all("if ", tie("command"), "; then ", tie("list"), "; else ", tie("command"), "; fi"),
        weight: 10,
      },
      { arbitrary: all("case a in b) ", tie("list"), ";; *) ", tie("command"), ";; esac"), weight: 6 },
      { arbitrary: all("until ", tie("command"), "; do ", tie("command"), "; break; done"), weight: 4 },
      { arbitrary: marked(all("for x in a b; do ", tie("list"), "; ", program, " $x; done")), weight: 3 },
      { arbitrary: marked(all("aax() { ", tie("list"), "; }")), weight: 2 },
      { arbitrary: marked(all("cat <(", tie("list"), ")")), weight: 5 },
      { arbitrary: marked(all("cat aax.txt <(", tie("command"), ") <(", tie("command"), ")")), weight: 3 },
      {
        arbitrary: marked(
          all("while read -r x; do ", tie("command"), '; echo "$x"; done < <(', tie("list"), ")"),
        ),
        weight: 4,
      },
      {
        arbitrary: marked(
          all(
            "cat aax.txt | ",
            still("{ xargs cat; }", "xargs cat", "(cat)"),
            still(" <<< a", " < <(bbx)", " < aax.txt"),
          ),
        ),
        weight: 3,
      },
      { arbitrary: marked(all("echo ", still("$HOME $USER", "$(bbx)", "$PATH x"))), weight: 3 },
      {
        arbitrary: fc
          .constantFrom(...TRAPS)
          .chain((trap) => all(...trap.map((part) => (part === "@" ? program : part)))),
        weight: 12,
      },
      { arbitrary: printed(), weight: 8 },
      { arbitrary: evaluated(), weight: 8 },
      { arbitrary: all("sh -c ", inner), weight: 5 },
      { arbitrary: all("[[ a ", still("||", "&&", ">", "<", "=="), " ", program, " ]]"), weight: 4 },
      { arbitrary: all("time ", still("", "-p ", "-- ", "! "), tie("command")), weight: 4 },
      { arbitrary: marked(all("coproc ", tie("command"))), weight: 1 },
      { arbitrary: marked(all("function f { ", tie("list"), "; }")), weight: 1 },
      { arbitrary: marked(all("select x in a; do ", tie("list"), "; break; done")), weight: 1 },
      { arbitrary: marked(all("((", still("1", "a=1", "a[0]"), "))")), weight: 1 },
      { arbitrary: marked(all("for ((;;)); do ", tie("command"), "; break; done")), weight: 1 },
      {
        arbitrary: all(
          "case a in (a) ",
          tie("command"),
          still(" ;;", " ;&", " ;;&"),
          " *) ",
          program,
          " ;; esac",
        ),
        weight: 4,
      },
      {
        arbitrary: all(
          "if ",
          tie("command"),
          "\nthen ",
          tie("command"),
          "\nelif ",
          program,
          "; then ",
          program,
          "; fi",
        ),
        weight: 4,
      },
      { arbitrary: all("while ", tie("command"), "; do ", program, "; break; done"), weight: 3 },
      { arbitrary: all("{ ", tie("list"), "; } ", still("> out", "2>&1", "&> out", ">& out")), weight: 5 },
      { arbitrary: all("(", tie("list"), ") ", still("> out", "2>&1", "&> out", "<aax.txt")), weight: 5 },
      { arbitrary: all("eval ", inner), weight: 7 },
      { arbitrary: all("bash -c ", inner), weight: 7 },
      { arbitrary: all("env bash -c ", inner), weight: 3 },
      { arbitrary: marked(all("echo ", program, " | bash")), weight: 3 },
      {
        arbitrary: all("[[ a == ", tie("word"), " ]]").map(({ text }) => ({ text, dynamic: true })),
        weight: 2,
      },
      {
        arbitrary: still(
          "echo a",
          "printf '%s' b",
          ":",
          "true",
          "false",
          "[ -f aax.txt ]",
          "test a = b",
          "[[ a == a* ]]",
        ),
        weight: 10,
      },
    );
    const separator = still(
      "; ",
      " && ",
      " || ",
      " | ",
      "\n",
      " & ",
      ";",
      "&&",
      " |& ",
      " # c\n",
      "\n\n",
      " #' c\n",
      ";# c\n",
      " &&\n",
      " |\n",
      " ||# c\n",
      "&",
      "\\\n; ",
      " \\\n&& ",
      "&\\\n& ",
      "&! ",
    );
    const list = fc
      .array(fc.tuple(tie("command"), separator), { maxLength: 2 })
      .chain((some) => constant(some.flat()))
      .chain((head) =>
        tie("command").map((last) => ({
          text: head.text + last.text,
          dynamic: head.dynamic || last.dynamic,
        })),
      );
    return {
      word,
      command: fc.oneof(
        { depthSize: "small", withCrossShrink: false },
        { arbitrary: simple, weight: 60 },
        { arbitrary: command, weight: 100 },
      ),
      list,
      script: mostly(list, all(list, "\n", heredoc), 6),
    };
  });
}

type Setting = { text: ShellText; list: ShellText; command: ShellText };

/** Texts in which variables are set, changed, lost and used, in every place that a shell keeps them in. */
function settingText(): fc.Arbitrary<ShellText> {
  return fc.letrec<Setting>((tie) => {
    const list = all(tie("command"), moving("; ", "; ", "\n", " && ", " || ", " | ", " & "), tie("command"));
    return {
      text: fc.oneof(
        { arbitrary: all("x=", KNOWN, "; y=", KNOWN, moving("; ", " && ", "\n"), tie("list")), weight: 5 },
        { arbitrary: tie("list"), weight: 1 },
      ),
      list: fc.oneof({ arbitrary: list, weight: 3 }, { arbitrary: tie("command"), weight: 1 }),
      command: fc.oneof(
        { depthSize: "small", withCrossShrink: false },
        { arbitrary: using(), weight: 6 },
        { arbitrary: setting(), weight: 7 },
        { arbitrary: moving(...STATE_CHANGES), weight: 3 },
        { arbitrary: all(moving("(", "{ "), tie("list"), moving("; }", ")")), weight: 1 },
        { arbitrary: all("(", tie("list"), ")"), weight: 1 },
        { arbitrary: all("{ ", tie("list"), "; }"), weight: 1 },
        {
          arbitrary: all("if ", tie("command"), "; then ", tie("list"), "; else ", tie("list"), "; fi"),
          weight: 1,
        },
        {
          arbitrary: all(
            "for ",
            NAME,
            " in ",
            VALUE,
            " ",
            VALUE,
            "; do ",
            tie("list"),
            "; ",
            using(),
            "; done",
          ),
          weight: 3,
        },
        {
          arbitrary: all(
            "for ",
            NAME,
            " in ",
            VALUE,
            "; do ",
            tie("list"),
            "; continue; ",
            tie("list"),
            "; done",
          ),
          weight: 1,
        },
        { arbitrary: all("until ", tie("command"), "; do ", tie("list"), "; break; done"), weight: 1 },
        {
          arbitrary: all("case ", USE, " in ", USE, ") ", tie("list"), ";; *) ", tie("list"), ";; esac"),
          weight: 1,
        },
        { arbitrary: all("eval '", tie("list"), "'"), weight: 1 },
        { arbitrary: all("bash -c '", tie("list"), "'"), weight: 1 },
        { arbitrary: all('eval "', tie("list"), '"'), weight: 1 },
      ),
    };
  }).text;
}

const NAMES = [..."x x x x x x x x y y y y y y F F".split(" "), "path", "status", "OUT", "LANG"];
const NAME = fc.constantFrom(...NAMES).map((text) => ({ text, dynamic: true }));
const KNOWN: fc.Arbitrary<ShellText> = fc
  .constantFrom(
    ..."a b aax bbx src src/deep sub -x 1 2 '' $x $y \"$x\" a$x ${x}b $HOME ~/sub $PWD $(pwd) 'b c' ' a ' src/*.ts".split(
      / (?=[^ca'])/,
    ),
  )
  .map((text) => ({ text, dynamic: true }));
const VALUE: fc.Arbitrary<ShellText> = fc
  .oneof(
    KNOWN.map(({ text }) => text),
    KNOWN.map(({ text }) => text),
    fc.constantFrom(
      ..."a aax bbx src src/deep -x 1 2 08 ''".split(" "),
      ...'$x "$x" $y a$x "$y"b ${x} ${x}b ${x:-c} ${x:+c} ${y%x} ${y#a} ${#x} $? $# $((1+2)) $((x+1))'.split(
        " ",
      ),
      ..."~ ~/f a:~/f '~/f' a~1 'a:~' b=~/f a~+ src/*.ts 'src/*.ts' '*' {a,b} a{1..3} {$x,b} $x{a,b} \\* a=b".split(
        " ",
      ),
      ...'$HOME $PWD "$PWD" $PWD/a $(pwd) $(bbx) "$(bbx)" `bbx` $(seq 2) $(seq 1 2) $OLDPWD'.split(" "),
      "'b c'",
      "'a~1 b~'",
      "'a ~/f'",
      '"d  e"',
      "' a'",
      "'a '",
      "'a\nb'",
      "'aax $x'",
      "'cd sub'",
      "'x=b'",
      "'a[$(ccx)]'",
      "\"$(echo 'a[$(ccx)]')\"",
      "$(echo '$(ccx)')",
      "\"$(cat <<'E'\nq $x\nE\n)\"",
      "$'a\\tb'",
      "'a\\b'",
      "'{a,b}'",
    ),
  )
  .map((text) => ({ text, dynamic: true }));
const USE: fc.Arbitrary<ShellText> = fc
  .constantFrom(
    ...'$x "$x" $y "$y" ${x} "${y}" a$x "$x$y" $x/one.ts src/$x a-$x-b $x "$x" $y "$y" a b -x $? "a $x"'.split(
      / (?=[^$]|\$[^x]|\$x )/,
    ),
    ...'$x "$x" ${x} "${x}" $y "$y" $F "$OUT" a$x "$x"b $x$y "$x$y" $x/one.ts src/$x $x/* ${x}* \'$x\' \\$x'.split(
      " ",
    ),
    ...'${x:-d} "${x:-d}" ${x:+e} ${x:-\'a b\'} ${x%.ts} ${x##*/} ${#x} $? "$?" $! $$ $# $- $0 $1 $@ $x[1] $x:h'.split(
      " ",
    ),
    ...'$PWD "$PWD/a" $HOME/a ~/a $(pwd) $path $status $LANG "$status" $((x)) $((y+1)) $((1)) {$x,$y} $x{a,b} {a,b}$x'.split(
      " ",
    ),
    '"a $x b"',
    '"$(bbx $x)"',
    "\"$(cat <<'E'\n$x\nE\n)\"",
  )
  .map((text) => ({ text, dynamic: true }));

const setting = () =>
  fc.oneof(
    { arbitrary: all(NAME, "=", VALUE), weight: 8 },
    { arbitrary: all(NAME, "=", VALUE, " ", NAME, "=", VALUE), weight: 2 },
    { arbitrary: all(NAME, "+=", VALUE), weight: 1 },
    { arbitrary: all(NAME, "=", VALUE, " ", using()), weight: 1 },
    { arbitrary: all(moving("export ", "local ", "readonly ", "declare "), NAME, "=", VALUE), weight: 1 },
    { arbitrary: all(moving("export ", "env "), "LANG=C; ", using()), weight: 1 },
    {
      arbitrary: all(moving("LC_ALL=C ", "CI=1 ", "TZ=UTC x=1 ", "env CI=1 ", "IFS=a "), using()),
      weight: 1,
    },
    {
      arbitrary: all(moving("read ", "read -r ", "unset ", "bbx | read ", "IFS= read -r "), NAME),
      weight: 1,
    },
    { arbitrary: all("read ", NAME, " <<E\n", USE, " bbx\nE\n"), weight: 1 },
    { arbitrary: all("[ -f aax.txt ] && ", NAME, "=", VALUE), weight: 1 },
    { arbitrary: all("nox && ", NAME, "=", VALUE), weight: 1 },
    { arbitrary: all("(", NAME, "=", VALUE, ")"), weight: 1 },
    { arbitrary: all(NAME, "=", VALUE, " &"), weight: 1 },
    { arbitrary: all("bbx | ", NAME, "=", VALUE), weight: 1 },
  );

const using = () =>
  fc.oneof(
    { arbitrary: all("aax ", USE), weight: 8 },
    { arbitrary: all("aax ", USE, " ", USE), weight: 4 },
    { arbitrary: all(USE, " ", USE), weight: 2 },
    { arbitrary: all(moving("nice ", "env ", "command ", "timeout 3 "), "aax ", USE), weight: 1 },
    { arbitrary: all("aax a > ", USE), weight: 2 },
    { arbitrary: all("aax < ", USE), weight: 1 },
    { arbitrary: all("cd ", USE), weight: 2 },
    { arbitrary: all("bbx <<E\n", USE, "\nE\n"), weight: 1 },
    {
      arbitrary: all(moving("echo ", "printf '%s' ", "printf %d ", ": ", "test -n ", "test "), USE),
      weight: 3,
    },
    { arbitrary: all("[ ", USE, moving(" = ", " -eq ", " != ", " -a ", " -o ", " "), USE, " ]"), weight: 3 },
    { arbitrary: all("[[ ", USE, moving(" == ", " -eq ", " =~ "), USE, " ]]"), weight: 1 },
    {
      arbitrary: all(
        moving("exit ", "wait ", "kill ", "sleep 0", "set -e", "set -euo pipefail", "shift "),
        USE,
      ),
      weight: 1,
    },
    { arbitrary: all("bash -c ", USE), weight: 1 },
    { arbitrary: all("bash -n ", USE), weight: 1 },
    { arbitrary: all(moving(". ", "source "), moving("venv/bin/activate", ".venv/bin/activate")), weight: 1 },
    { arbitrary: all("eval ", USE), weight: 1 },
    { arbitrary: all("eval aax ", USE), weight: 1 },
  );

const STATE_CHANGES =
  "cd sub;cd -;cd src;pushd src;popd;pushd sub;pushd src/deep;cd nowhere;set -e;true;false;nox;break;continue".split(
    ";",
  );

/** Words that some builtins evaluate although they are quoted, and plain ones. */
const QUOTED = [
  "path[$(ccx)]",
  "HOME[$(ccx)]",
  "x[$(ccx)]",
  "x[`ccx`]",
  "x=path[$(ccx)]",
  "PATH=0",
  "-path[$(ccx)]",
  "1+HOME[$(ccx)]",
  "$(ccx)",
  "`ccx`",
  "x[1]",
  "HOME",
  "1",
  "-1",
  "0x1",
  "a b",
];

const quotedWord = () => fc.constantFrom(...QUOTED.map((word) => `'${word}'`));

/** `printf` with directives of every kind, and words for them. */
function printed(): fc.Arbitrary<ShellText> {
  const signs = ["%", "%", "%", "%-3", "%05", "%.2", "%*", "%l", "%1$", "%'", "%("];
  const letters = ["s", "s", "d", "i", "x", "e", "f", "c", "b", "q", "n", "%", "B", "H", "R", "P", "T", ")T"];
  const others = ["a", "\\n", "\\t", "\\045d", "\\x25d", "\\445d", "\\u0025d", "\\033[1m", "%", "[$(ccx)]"];
  const directive = fc
    .tuple(fc.constantFrom(...signs), fc.constantFrom(...letters))
    .map((pair) => pair.join(""));
  const format = fc.array(fc.oneof(directive, fc.constantFrom(...others)), { minLength: 1, maxLength: 3 });
  const words = fc.array(quotedWord(), { maxLength: 2 });
  return fc
    .tuple(fc.constantFrom("printf", "printf", "printf --", "printf -v x", "command printf"), format, words)
    .map(([start, pieces, values]) => ({
      text: [start, `"${pieces.join("").replaceAll(/[$`\\]/g, "\\$&")}"`, ...values].join(" "),
      dynamic: true,
    }));
}

/** Builtins of any shell, with words that they may evaluate. */
function evaluated(): fc.Arbitrary<ShellText> {
  const names =
    "exit return shift break continue ulimit umask kill wait type jobs pwd dirs times read mapfile getopts unset export " +
    "declare let caller hash enable compgen test [ -t [ -n [ -v [ -o [ -f integer print float typeset whence sleep pushd " +
    "disown help history fg bg set : true echo cd local readonly trap";
  const start = fc.constantFrom(
    ...names.split(/ (?!-)/),
    "ulimit -n",
    "wait -p",
    "wait -n",
    "test -t",
    "jobs -x",
  );
  const operator = fc.constantFrom("-eq", "-lt", "-nt", "=", "-a", "-o", "-ef", "=~");
  const one = fc.tuple(start, quotedWord()).map((pair) => pair.join(" "));
  const two = fc
    .tuple(fc.constantFrom("test", "["), quotedWord(), operator, quotedWord())
    .map((some) => some.join(" "));
  return fc
    .oneof(one, two)
    .map((text) => ({ text: text.startsWith("[") ? `${text} ]` : text, dynamic: true }));
}

/** Texts that shells have read in several ways; `@` is a program. */
const TRAPS: readonly (readonly string[])[] = [
  ["echo $'\\' ; ", "@", " #'"],
  ["echo a &>/dev/null ", "@"],
  ["echo a &>out ", "@", " b"],
  ["@", " a |& ", "@"],
  ["echo a >&out"],
  ["@", " a# b"],
  ["@", " a \\# b"],
  ["@", " 'a'#b"],
  ["@", " a;#'\n", "@", " '"],
  ["! ", "@"],
  ["! ! ", "@"],
  ["!", "@"],
  ["@", "\\\n", " a"],
  ["a\\\nax a"],
  ["i\\\nf ", "@", "; then ", "@", "; fi"],
  ["'if' ", "@"],
  ["@", " if; ", "@", " then"],
  ["echo {a,b}"],
  ["echo $[1]"],
  ["echo $[ ", "@", " ]"],
  ['echo $"a"'],
  ["@", " <<< a"],
  ["@", " a <(", "@", ")"],
  ["@", " 2>&1 >o2"],
  ["@", " a 2>&1 | ", "@"],
  ["@", " a >& o3 b"],
  ["@", " a > o4 b"],
  ["10>o5 ", "@"],
  ["@", " 10>o6"],
  ["{fd}>o7 ", "@"],
  ["x= ", "@"],
  ["x+=a ", "@"],
  ["x=(", "@", ")"],
  ["(", "@", ") | (", "@", ")"],
  ["((", "@", ") ; ", "@", ")"],
  ["( (", "@", "); ", "@", ")"],
  ["@", " a & ", "@", " b &"],
  ["{ ", "@", "; } & wait"],
  ["\\", "@", " a"],
  ["'", "@", "' a"],
  ['"', "@", '" a'],
  ["-- ", "@"],
  ["case in in in) ", "@", " ;; esac"],
  ["case a in a|b) ", "@", " ;; esac"],
  ["case 'a b' in *b) ", "@", " ;; esac"],
  ["for if in; do ", "@", "; done"],
  ["while ", "@", " && false; do ", "@", "; done"],
  ["until :; do ", "@", "; done"],
  ["if :; then :; else ", "@", "; fi > o8"],
  ["@", " $"],
  ["@", ' "$"'],
  ["@", " '$(", "@", ")'"],
  ["@", ' "\\`', "@", '\\`"'],
  ["@", " \\$(", "@", ")"],
  ["@", " \\`", "@", " \\`"],
  ["@", " a\n\n\n", "@", " b"],
  ["@", " a;; ", "@"],
  ["@", " ;\n", "@"],
  ["@", " >o9;", "@"],
  ["@", " > o10 a > o11"],
  [">o12"],
  [">o13 ", "@"],
  ["<aax.txt ", "@", " >o14"],
  ["@", " [ a ] "],
  ["[ a ] > o15"],
  ["[ a > o16 ]"],
  ["test a \\> b"],
  ["[[ a > o17 ]]"],
  ["[[ a ]] || ", "@"],
  ["[[ -f aax.txt && a == b ]] && ", "@"],
  ["command ", "@", " a"],
  ["command -p ", "@", " a"],
  ["exec ", "@", " a"],
  ["exec -a x ", "@"],
  ["eval '", "@", " a' '; ", "@", "'"],
  ['eval "', "@", ' \\"a;b\\""'],
  ["noglob ", "@"],
  ["repeat 2 ", "@"],
];

/** A here-document with its end quoted in every way that shells know. */
function hereDocument(program: fc.Arbitrary<ShellText>): fc.Arbitrary<ShellText> {
  const ends = [
    "E",
    "'E'",
    '"E"',
    "\\E",
    "$'E'",
    '$"E"',
    "E'F'",
    "'E F'",
    "\\'E",
    "E$x",
    "`E`",
    "-E",
    "- 'E'",
    "\\\nE",
    "''",
    "E\\\nF",
    '"E"F',
  ];
  const lines = [
    "E",
    "EF",
    "E F",
    "$E",
    "'E",
    "\tE",
    "$x",
    "a\\",
    "\\$y",
    "`bbx`",
    "$(ccx)",
    "x'",
    '"',
    "E ",
    "",
    "`E`",
    "$'E'",
  ];
  const line = fc.oneof({ arbitrary: still(...lines), weight: 2 }, { arbitrary: program, weight: 1 });
  return fc
    .tuple(
      program,
      fc.constantFrom("<<", "<<-", "2<<", "<< "),
      fc.constantFrom(...ends),
      fc.array(line, { maxLength: 4 }),
      program,
    )
    .map(([first, sign, end, body, last]) => ({
      text: `${first.text} ${sign}${end}${body.length % 2 === 0 ? "" : " | bbx"}\n${body.map(({ text }) => text).join("\n")}\nE\n${last.text}`,
      dynamic: true,
    }));
}

const still = (...texts: string[]) => fc.constantFrom(...texts).map((text) => ({ text, dynamic: false }));
const moving = (...texts: string[]) => fc.constantFrom(...texts).map((text) => ({ text, dynamic: true }));
const all = (...parts: (string | fc.Arbitrary<ShellText>)[]): fc.Arbitrary<ShellText> =>
  fc.tuple(...parts.map((part) => (typeof part === "string" ? still(part) : part))).map((some) => ({
    text: some.map(({ text }) => text).join(""),
    dynamic: some.some(({ dynamic }) => dynamic),
  }));
const mostly = (common: fc.Arbitrary<ShellText>, rare: fc.Arbitrary<ShellText>, weight = 8) =>
  fc.oneof({ arbitrary: common, weight }, { arbitrary: rare, weight: 1 });
const marked = (arbitrary: fc.Arbitrary<ShellText>) => arbitrary.map(({ text }) => ({ text, dynamic: true }));

function constant(some: readonly ShellText[] | readonly (readonly ShellText[])[]): fc.Arbitrary<ShellText> {
  const flat = some.flat();
  return fc.constant({
    text: flat.map(({ text }) => text).join(""),
    dynamic: flat.some(({ dynamic }) => dynamic),
  });
}
