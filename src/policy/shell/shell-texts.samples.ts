/**
 * Random shell texts: a grammar of what people and models write, and noise of what shells care about.
 * Pieces that only the shell can know are marked dynamic; the other texts should mostly be read as plain.
 */
import * as fc from "fast-check";

export type ShellText = { readonly text: string; readonly dynamic: boolean };

/** None of these names is a program anywhere, so nothing real runs even when the PATH is lost. */
export const STUBS = "aax bbx ccx ddx eex ffx ggx hhx iix jjx kkx llx mmx nnx nox".split(" ");
export function shellText(): fc.Arbitrary<ShellText> {
  return fc.oneof({ arbitrary: grammar().script, weight: 3 }, { arbitrary: noise(), weight: 1 });
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
      all(program, " <<'E'\nx $y `aax`\nE\n", program),
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
          "cd -P sub",
          "cd ~/sub",
        ),
        weight: 30,
      },
      {
        arbitrary: moving(
          "cd -",
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
    const separator = still("; ", " && ", " || ", " | ", "\n", " & ", ";", "&&", " |& ", " # c\n");
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
