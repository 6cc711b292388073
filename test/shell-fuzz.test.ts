/**
 * The command reader against a real bash.
 *
 * Random shell texts run in a throw-away folder with a PATH of stubs that only write down how they were
 * called. What ran, in which folder, and what was written must have been foreseen, or the reader must
 * have had doubts. TOOLGATE_RUNS sets how many texts are tried, TOOLGATE_SEED which ones.
 */
import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import * as fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { type ReadCommand, readShell } from "../src/policy/shell/read-shell.js";
import { shellText, STUBS } from "../src/policy/shell/shell-texts.samples.js";

const RUNS = Number(process.env["TOOLGATE_RUNS"] ?? 300);
// In CI the same texts each time, so that red means a change.
const SEED = Number(process.env["TOOLGATE_SEED"] ?? (process.env["CI"] ? 302 : Date.now() % 1_000_000));
const BATCH = 150;
const REAL = "env nice timeout xargs nohup setsid stdbuf bash".split(" ");
const FOLDERS = ["src", "src/deep", "sub"];
const FILES = ["src/one.ts", "src/two.ts", "sub/-x", "aax.txt"];

type Ran = { readonly cwd: string; readonly argv: readonly string[] };

const root = mkdtempSync(join(tmpdir(), "toolgate-shell-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test(
  `bash starts nothing that was not foreseen or doubted (seed ${SEED})`,
  { timeout: 3_600_000 },
  ({ annotate }) => {
    const samples = fc.sample(shellText(), { numRuns: RUNS, seed: SEED });
    const surprises: string[] = [];
    let executed = 0;
    for (let start = 0; start < samples.length; start += BATCH) {
      const batch = samples.slice(start, start + BATCH);
      const happened = runAll(batch.map(({ text }) => text));
      for (const [index, { text }] of batch.entries()) {
        const { ran, written } = happened[index]!;
        executed += ran.length;
        surprises.push(...surprisesIn(text, ran, written));
      }
    }
    const literal = samples.filter(({ dynamic }) => !dynamic);
    const plain = literal.filter(({ text }) => readShell(text).doubts.length === 0);
    const share = plain.length / literal.length;
    void annotate(
      `${samples.length} texts, ${executed} programs started; ${plain.length} of ${literal.length} literal texts plain (${Math.round(share * 100)} %)`,
    );
    expect(surprises).toEqual([]);
    expect(executed).toBeGreaterThan(RUNS / 4);
    expect(share).toBeGreaterThanOrEqual(0.6);
  },
);

test("the comparison can fail: a command that was not foreseen is a surprise", () => {
  expect(surprisesIn("aax one", [{ cwd: "", argv: ["bbx", "one"] }], [])).toHaveLength(1);
  expect(surprisesIn("aax one", [{ cwd: "sub", argv: ["aax", "one"] }], [])).toHaveLength(1);
  expect(surprisesIn("aax one", [], ["file"])).toHaveLength(1);
  const [happened] = runAll(["cd sub && aax 'b c' > out"]);
  expect(happened).toEqual({ ran: [{ cwd: "sub", argv: ["aax", "b c"] }], written: ["sub/out"] });
});

function surprisesIn(text: string, ran: readonly Ran[], written: readonly string[]): string[] {
  const { commands, doubts } = readShell(text);
  if (doubts.length > 0) return [];
  const unseen = ran.filter((call) => !commands.some((command) => foretells(command, call)));
  const files = new Set(
    commands.flatMap(({ writes, after }) =>
      writes.map((file) => posix.join(...after.map(place), place(file))),
    ),
  );
  return [
    ...unseen.map((call) => `${JSON.stringify(text)} ran ${JSON.stringify(call)}`),
    ...written.filter((file) => !files.has(file)).map((file) => `${JSON.stringify(text)} wrote ${file}`),
  ];
}

/** HOME is the folder that the text runs in. */
const place = (path: string) => (path === "~" ? "." : path.replace(/^~\//, ""));

function foretells({ argv, after }: ReadCommand, call: Ran): boolean {
  const folder = posix.join(".", ...after.map(place));
  return (folder === "." ? "" : folder) === call.cwd && wordsMatch(argv, call.argv);
}

function wordsMatch([word, ...words]: readonly string[], actual: readonly string[]): boolean {
  if (word === undefined) return actual.length === 0;
  const [first, ...rest] = actual;
  if (first === undefined) return false;
  if ((word === first || tilde(word) === first) && wordsMatch(words, rest)) return true;
  // A glob below a named folder becomes one word or more.
  if (!/\/.*[*?[]/s.test(word) || !globPattern(word).test(first)) return false;
  return wordsMatch(words, rest) || wordsMatch([word, ...words], rest);
}

function globPattern(word: string): RegExp {
  const letters = word.replaceAll(/[.+^${}()|\\]|\[(?!\w+\])|(?<!\[\w+)\]/g, String.raw`\$&`);
  return new RegExp(`^${letters.replaceAll("*", "[^/]*").replaceAll("?", "[^/]")}$`, "s");
}

const tilde = (word: string) => word.replace(/^~(?=\/|$)/, "HOME");

let batches = 0;

function runAll(texts: readonly string[]): { ran: Ran[]; written: string[] }[] {
  const base = join(root, `batch-${batches++}`);
  const stubs = join(base, "stubs");
  mkdirSync(stubs, { recursive: true });
  mkdirSync(join(base, "logs"));
  writeFileSync(join(stubs, "stub"), STUB, { mode: 0o755 });
  for (const name of STUBS) symlinkSync("stub", join(stubs, name));
  for (const name of REAL) symlinkSync(join("/usr/bin", name), join(stubs, name));
  for (const [index, text] of texts.entries()) {
    const folder = join(base, "runs", `${index}`);
    for (const name of FOLDERS) mkdirSync(join(folder, name), { recursive: true });
    for (const name of FILES) writeFileSync(join(folder, name), "bbx text\n");
    writeFileSync(join(base, `text-${index}`), text);
  }
  writeFileSync(join(base, "driver"), DRIVER);
  spawnSync("/usr/bin/bash", [join(base, "driver"), base, `${texts.length}`], {
    stdio: "ignore",
    cwd: base,
    timeout: 600_000,
  });
  const logs = readdirSync(join(base, "logs"));
  const happened = texts.map((_text, index) => ({
    ran: ranIn(base, index, logs),
    written: writtenIn(base, index),
  }));
  rmSync(base, { recursive: true, force: true });
  return happened;
}

// Descriptor 9 is held open by everything a text starts, so the driver waits for background work too.
const DRIVER = `
base=$1; count=$2
for ((i = 0; i < count; i++)); do
  cd "$base/runs/$i"
  echo "$i" > "$base/current"
  IFS= read -r -d '' text < "$base/text-$i"
  waited=$( { PATH="$base/stubs" HOME="$base/runs/$i" OLDPWD= LC_ALL=C.UTF-8 /usr/bin/timeout -k 1 5 /usr/bin/bash -c "$text" 9>&1 </dev/null >/dev/null 2>&1; } )
done
`;

// A file for each call: bash writes line by line, and calls that run side by side would mix.
const STUB = `#!/usr/bin/bash -p
home=\${0%/*}/..
read -r index < "$home/current"
printf '%s\\0' "$PWD" "\${0##*/}" "$@" > "$home/logs/$index-$$-$EPOCHREALTIME"
echo "bbx ccx"
[ "\${0##*/}" != nox ]
`;

function ranIn(base: string, index: number, logs: readonly string[]): Ran[] {
  const folder = join(base, "runs", `${index}`);
  const home = (word: string) =>
    word === folder || word.startsWith(`${folder}/`) ? `HOME${word.slice(folder.length)}` : word;
  const mine = logs.filter((name) => name.startsWith(`${index}-`));
  return mine.map((name) => {
    const [cwd = "", ...argv] = readFileSync(join(base, "logs", name), "utf8")
      .split("\0")
      .slice(0, -1);
    return { cwd: posix.relative(folder, cwd), argv: argv.map(home) };
  });
}

function writtenIn(base: string, index: number): string[] {
  const entries = readdirSync(join(base, "runs", `${index}`), { recursive: true, encoding: "utf8" });
  return entries.filter((name) => !FILES.includes(name) && !FOLDERS.includes(name));
}
