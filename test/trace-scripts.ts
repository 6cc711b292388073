/**
 * Runs many commands under one strace and reports what each of them did to the system.
 *
 * Every command gets a folder of its own. Its output goes to a log, so that a test can look for what only the
 * environment holds. `TOOLGATE_RUNS` sets how many texts a fuzz test tries, `TOOLGATE_SEED` which ones.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";

export const RUNS = Number(process.env["TOOLGATE_RUNS"] ?? 50);
// In CI the same texts each time, so that red means a change.
export const SEED = Number(
  process.env["TOOLGATE_SEED"] ?? (process.env["CI"] ? 302 : Date.now() % 1_000_000),
);

/** Stands in the environment of every traced command and nowhere else. */
export const ENVIRONMENT_SECRET = "zq-environment-secret";

export type Traced = {
  readonly executed: readonly string[];
  readonly written: readonly string[];
  readonly read: readonly string[];
  readonly deleted: readonly string[];
  readonly connected: readonly string[];
  readonly output: string;
};

type Job = { readonly argv: readonly string[] };

const TRACED =
  "execve,execveat,open,openat,openat2,creat,truncate,unlink,unlinkat,rmdir,rename,renameat,renameat2,link,linkat,symlink,symlinkat,mkdir,mkdirat,mknod,mknodat,chmod,fchmodat,chown,fchownat,connect,sendto,bind,chdir,memfd_create";

/** `files`: what lies in the folder of every command, by relative path. */
export function traceAll(jobs: readonly Job[], files: Readonly<Record<string, string>>): Traced[] {
  const base = mkdtempSync(join(tmpdir(), "toolgate-strace-"));
  try {
    for (const index of jobs.keys()) {
      for (const [name, content] of Object.entries(files)) {
        const path = join(base, "runs", `${index}`, name);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, content);
      }
    }
    mkdirSync(join(base, "logs"));
    mkdirSync(join(base, "home"));
    writeFileSync(join(base, "driver"), driver(base, jobs));
    const words = [
      "-f",
      "-y",
      "--seccomp-bpf",
      "-qq",
      "-s",
      "4096",
      "-e",
      `trace=${TRACED}`,
      "-e",
      "signal=none",
    ];
    const ended = spawnSync(
      "/usr/bin/strace",
      [...words, "-o", join(base, "trace"), "/bin/sh", join(base, "driver")],
      {
        cwd: base,
        stdio: ["ignore", "ignore", "pipe"],
        env: {
          PATH: "/usr/bin:/bin",
          HOME: join(base, "home"),
          LC_ALL: "C.UTF-8",
          SECRET: ENVIRONMENT_SECRET,
        },
        timeout: 900_000,
      },
    );
    if (ended.error) throw ended.error;
    const parts = splitTrace(readFileSync(join(base, "trace"), "latin1"), base);
    if (parts.length !== jobs.length)
      throw new Error(`strace saw ${parts.length} of ${jobs.length} commands: ${ended.stderr.toString()}`);
    return parts.map((lines, index) => ({
      ...readTrace(lines, join(base, "runs", `${index}`)),
      output: readFileSync(join(base, "logs", `${index}`), "latin1"),
    }));
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

/** The limits end what would run or print for ever; the shell forks, so that each command is a process of its own. */
function driver(base: string, jobs: readonly Job[]): string {
  const lines = jobs.map(
    ({ argv }, index) =>
      `( cd ${base}/runs/${index}; exec ${argv.map(quote).join(" ")} ) </dev/null >${base}/logs/${index} 2>&1`,
  );
  return ["ulimit -t 1; ulimit -f 512; ulimit -v 2000000; ulimit -c 0", ...lines, ":", ""].join("\n");
}

const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

/** The lines of each command: they begin where its shell enters its folder. */
function splitTrace(trace: string, base: string): string[][] {
  const parts: string[][] = [];
  const entered = new RegExp(String.raw`^\d+ +chdir\("${base}/runs/(?<index>\d+)"\)`);
  for (const line of trace.split("\n")) {
    const index = entered.exec(line)?.groups?.["index"];
    if (index === undefined) parts.at(-1)?.push(line);
    else if (Number(index) === parts.length) parts.push([]);
    else throw new Error(`command ${index} ran when ${parts.length} should have`);
  }
  return parts;
}

const CALL = /^\d+ +(?:<\.\.\. )?(?<name>\w+)(?: resumed>|\((?<rest>.*))$/;

function readTrace(lines: readonly string[], folder: string): Omit<Traced, "output"> {
  const seen = { executed: [], written: [], read: [], deleted: [], connected: [] } as Record<
    keyof Omit<Traced, "output">,
    string[]
  >;
  for (const line of lines) {
    const { name, rest = "" } = CALL.exec(line)?.groups ?? {};
    if (name === undefined) continue;
    const paths = pathsIn(rest, folder);
    const [path = rest] = paths;
    // The shell opens the next command's log after this one is over.
    if (path.startsWith("../../logs/") || name === "chdir") continue;
    if (name.startsWith("exec")) seen.executed.push(path);
    else if (name.startsWith("open") && !/O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)/.test(rest))
      seen.read.push(path);
    else if (/^(?:connect|sendto|bind)$/.test(name)) seen.connected.push(rest);
    else if (/^(?:unlink|rmdir)/.test(name)) seen.deleted.push(path);
    else if (name.startsWith("rename")) {
      seen.deleted.push(path);
      seen.written.push(...paths.slice(1));
    } else seen.written.push(path);
  }
  // The first program is the one that the shell becomes.
  return { ...seen, executed: seen.executed.slice(1) };
}

const PATH = /(?:(?:AT_FDCWD|\b\d+)<(?<from>[^>]*)>, )?"(?<path>(?:[^"\\]|\\.)*)"/g;

/** The paths of a call, seen from the command's folder; strace writes down which folder each is relative to. */
function pathsIn(call: string, folder: string): string[] {
  return [...call.matchAll(PATH)].map(({ groups }) => {
    const path = posix.resolve(unescape(groups?.["from"] ?? folder), unescape(groups?.["path"] ?? ""));
    const near = posix.relative(folder, path);
    return near.startsWith("../../../") ? path : near === "" ? "." : near;
  });
}

const LETTERS = new Map(Object.entries({ n: "\n", t: "\t", r: "\r", v: "\v", f: "\f" }));

function unescape(text: string): string {
  const bytes = text.replaceAll(/\\(?:[0-7]{1,3}|.)/g, (escape) => {
    const code = escape.slice(1);
    return /^[0-7]/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : (LETTERS.get(code) ?? code);
  });
  return Buffer.from(bytes, "latin1").toString("utf8");
}
