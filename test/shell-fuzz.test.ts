/**
 * The command reader against the very shells that read the texts: bash as it is started here, dash and busybox, and in
 * the long mode those of zsh, mksh, ksh and yash that the machine has.
 *
 * Random shell texts run in a throw-away folder with a PATH of stubs. strace shows which programs were run or looked
 * up, in which folder, which files were opened for writing and which connections were made: the reader must have
 * foreseen all of it, or have had doubts. TOOLGATE_RUNS sets the number of texts, TOOLGATE_SEED selects them.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import * as fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { type ReadCommand, readShell } from "../src/policy/shell/read-shell.js";
import { shellText, STUBS } from "../src/policy/shell/shell-texts.samples.js";
import { shellWords } from "../src/tools/find-shell.js";
import { type Seen, seenIn, traced } from "./strace-kit.js";

const RUNS = Number(process.env["TOOLGATE_RUNS"] ?? 50);
// In CI the same texts each time, so that red means a change.
const SEED = Number(process.env["TOOLGATE_SEED"] ?? (process.env["CI"] ? 302 : Date.now() % 1_000_000));
const BATCH = 500;
const REAL = "cat env nice seq timeout xargs nohup setsid stdbuf bash".split(" ");
const FOLDERS = ["src", "src/deep", "sub"];
const FILES = ["src/one.ts", "src/two.ts", "sub/-x", "aax.txt"];

type Shell = { readonly language: "bash" | "sh"; readonly words: readonly string[] };

/** The words that start each, without the text. */
const SHELLS: { readonly [name: string]: Shell } = {
  bash: { language: "bash", words: shellWords({ shell: "/bin/bash", language: "bash" }, "").slice(0, -1) },
  dash: { language: "sh", words: shellWords({ shell: "/usr/bin/dash", language: "sh" }, "").slice(0, -1) },
  busybox: { language: "sh", words: ["/usr/bin/busybox", "sh", "-c", "--"] },
  // The long mode uses all shells of the machine; the short one is the same on every machine.
  ...Object.fromEntries(
    (process.env["TOOLGATE_RUNS"] === undefined ? [] : ["zsh", "mksh", "ksh", "yash"])
      .map((name) => `/usr/bin/${name}`)
      .filter((program) => existsSync(program))
      .map((program): [string, Shell] => [
        posix.basename(program),
        { language: "sh", words: [program, "-c", "--"] },
      ]),
  ),
};

const root = mkdtempSync(join(tmpdir(), "toolgate-shell-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test.each(Object.entries(SHELLS))(
  `%s does nothing that was not foreseen or doubted (seed ${SEED})`,
  { timeout: 3_600_000 },
  (name, shell) => {
    const { language } = shell;
    const samples = fc.sample(shellText(), { numRuns: RUNS, seed: SEED });
    const plain = samples.filter(({ text }) => reading(text, language).doubts.length === 0);
    const surprises: string[] = [];
    let executed = 0;
    for (let start = 0; start < plain.length; start += BATCH) {
      const texts = plain.slice(start, start + BATCH).map(({ text }) => text);
      for (const [index, happened] of runAll(texts, shell).entries()) {
        executed += happened.filter(({ type }) => type === "ran").length;
        surprises.push(...surprisesIn(texts[index] ?? "", happened, language));
      }
    }
    const literal = samples.filter(({ dynamic }) => !dynamic);
    const share = literal.filter((sample) => plain.includes(sample)).length / literal.length;
    process.stderr.write(
      `${name}: ${samples.length} texts, ${plain.length} without doubts, ${executed} programs run; ${Math.round(share * 100)} % of ${literal.length} literal texts without doubts\n`,
    );
    expect(surprises.slice(0, 20)).toEqual([]);
    // Three standard deviations below the least that these texts give on average.
    const ran = language === "bash" ? RUNS / 4 : RUNS / 6;
    expect(executed).toBeGreaterThan(ran - 3 * Math.sqrt(ran));
    const least = language === "bash" ? 0.6 : 0.3;
    expect(share).toBeGreaterThan(least - 3 * Math.sqrt((least * (1 - least)) / literal.length));
  },
);

test.each(Object.values(SHELLS))("the comparison can fail: what was not foreseen is a surprise", (shell) => {
  const ran = (cwd: string, ...argv: string[]): Seen => ({ type: "ran", cwd, argv });
  expect(surprisesIn("aax one", [ran("", "bbx", "one")], "sh")).toHaveLength(1);
  expect(surprisesIn("aax one", [ran("sub", "aax", "one")], "sh")).toHaveLength(1);
  expect(surprisesIn("aax one", [{ type: "changed", path: "file" }], "sh")).toHaveLength(1);
  expect(surprisesIn("aax one", [{ type: "sought", name: "other" }], "sh")).toHaveLength(1);
  expect(surprisesIn("aax one", [{ type: "connected", to: "somewhere" }], "sh")).toHaveLength(1);
  const [happened = []] = runAll(["cd sub && aax 'b c' > out; (cd ../src; nox é & wait); unknown"], shell);
  const inOrder = (all: readonly Seen[]) => all.map((seen) => JSON.stringify(seen)).toSorted();
  expect(inOrder(happened.filter(({ type }) => type !== "sought"))).toEqual(
    inOrder([{ type: "changed", path: "sub/out" }, ran("sub", "aax", "b c"), ran("src", "nox", "é")]),
  );
  expect(happened).toContainEqual({ type: "sought", name: "unknown" });
});

/** Stands for the folder that a text runs in, which is its HOME too. */
const HERE = "/HOME";

const reading = (text: string, language: Shell["language"]) =>
  readShell(text, { language, cwd: HERE, inherited: { HOME: HERE } });

function surprisesIn(text: string, happened: readonly Seen[], language: Shell["language"]): string[] {
  const { commands, doubts } = reading(text, language);
  if (doubts.length > 0) return [];
  const files = new Set(
    commands.flatMap(({ writes, after }) => writes.map((file) => place([...after, file]))),
  );
  const isForeseen = (seen: Seen): boolean => {
    if (seen.type === "ran") return commands.some((command) => foretells(command, seen));
    if (seen.type === "sought") return commands.some(({ argv }) => argv[0] === seen.name);
    return seen.type === "changed" && files.has(seen.path);
  };
  return happened
    .filter((seen) => !isForeseen(seen))
    .map((seen) => `${JSON.stringify(text)}: ${JSON.stringify(seen)}`);
}

/** Where these changes lead, seen from the folder that the text runs in. */
const place = (changes: readonly string[]): string =>
  posix.relative(HERE, posix.resolve(HERE, ...changes.map((change) => change.replace(/^~(?=\/|$)/, HERE))));

function foretells(
  { argv, after, unknown = [] }: ReadCommand,
  ran: Seen & { readonly type: "ran" },
): boolean {
  // A word that is not known may be any.
  const words = argv.map((word, at) =>
    unknown.includes(word) ? (ran.argv[at] ?? word) : word.replaceAll(HERE, "HOME"),
  );
  return place(after) === ran.cwd && wordsMatch(words, ran.argv);
}

function wordsMatch([word, ...words]: readonly string[], actual: readonly string[]): boolean {
  if (word === undefined) return actual.length === 0;
  const [first, ...rest] = actual;
  if (first === undefined) return false;
  // The shell numbers the pipes of process substitutions as it likes.
  const isPipe = PIPE.test(word) && PIPE.test(first);
  if ((word === first || tilde(word) === first || isPipe) && wordsMatch(words, rest)) return true;
  // A glob below a named folder becomes one word or more.
  if (!/\/.*[*?[]/s.test(word) || !globPattern(word).test(first)) return false;
  return wordsMatch(words, rest) || wordsMatch([word, ...words], rest);
}

const PIPE = /^\/dev\/fd\/\d+$/;

function globPattern(word: string): RegExp {
  const letters = word.replaceAll(/[.+^${}()|\\]|\[(?!\w+\])|(?<!\[\w+)\]/g, String.raw`\$&`);
  return new RegExp(`^${letters.replaceAll("*", "[^/]*").replaceAll("?", "[^/]")}$`, "s");
}

const tilde = (word: string) => word.replace(/^~(?=\/|$)/, "HOME");

let batches = 0;

/** The effects of each text, with paths and folders relative to its own folder. */
function runAll(texts: readonly string[], { words }: Shell): readonly (readonly Seen[])[] {
  const base = join(root, `batch-${batches++}`);
  const programs = join(base, "stubs");
  const runs = join(base, "runs");
  mkdirSync(programs, { recursive: true });
  writeFileSync(join(programs, "stub"), STUB, { mode: 0o755 });
  for (const name of STUBS) symlinkSync("stub", join(programs, name));
  for (const name of REAL) symlinkSync(join("/usr/bin", name), join(programs, name));
  symlinkSync("/usr/bin/dash", join(programs, "sh"));
  for (const [index, text] of texts.entries()) {
    const folder = join(runs, `${index}`);
    for (const name of FOLDERS) mkdirSync(join(folder, name), { recursive: true });
    for (const name of FILES) writeFileSync(join(folder, name), "bbx text\n");
    writeFileSync(join(base, `text-${index}`), text);
  }
  writeFileSync(join(base, "driver"), DRIVER);
  const log = join(base, "log");
  const env = { PATH: programs, LC_CTYPE: "C.UTF-8" };
  traced(["/bin/bash", "-p", join(base, "driver"), base, `${texts.length}`, ...words], log, env);
  const seen = seenIn(log, { runs, programs });
  rmSync(base, { recursive: true, force: true });
  return texts.map((_text, index) =>
    (seen.get(`${index}`) ?? []).flatMap((one) => fromFolder(one, join(runs, `${index}`))),
  );
}

// Descriptor 9 is held open by everything a text starts, so the driver waits for background work too. A text that
// goes on for ever uses up its time.
const DRIVER = `
base=$1; count=$2; shift 2
ulimit -t 10
for ((i = 0; i < count; i++)); do
  cd "$base/runs/$i"
  IFS= read -r -d '' text < "$base/text-$i"
  waited=$(HOME="$base/runs/$i" OLDPWD= exec "$@" "$text" 9>&1 </dev/null >/dev/null 2>&1)
done
`;

const STUB = `#!/usr/bin/dash
echo "bbx ccx"
case $0 in */nox) exit 1 ;; esac
`;

/** Files that everyone may write, and those in which the shells keep a here-document. */
const NOBODYS =
  /^\/dev\/(?:null|tty|fd\/\d+|std(?:in|out|err))$|^\/tmp\/(?:sh-thd\.|zsh\w+$|sh\w+\.tmp$)|^\/dev\/shm\/sf\w+\.\w+$|^\/proc\/self\/fd\//;

function fromFolder(seen: Seen, folder: string): readonly Seen[] {
  const relative = (path: string) =>
    path.startsWith(folder) ? posix.relative(HERE, HERE + path.slice(folder.length)) : path;
  if (seen.type === "changed") return NOBODYS.test(seen.path) ? [] : [{ ...seen, path: relative(seen.path) }];
  if (seen.type !== "ran") return [seen];
  const home = (word: string) => word.replaceAll(folder, "HOME");
  return [{ ...seen, cwd: relative(seen.cwd), argv: seen.argv.map(home) }];
}
