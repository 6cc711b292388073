/** Readers for the programs of data/databases.json: statements on the command line are read, standard input cannot be. */
import { mergeEffects } from "../merge-effects.js";
import type { Effects, Reader, Seen } from "../program.js";
import { connectionHosts } from "./connection-hosts.js";
import { mysqlDoubts, psqlDoubts, readSqlite, sqliteDoubts } from "../scripts/sql-doubts.js";

const STDIN = "without a statement, it takes its commands, a shell among them, from standard input";
const FILE = "takes its commands from a file that is not shown here";
const RUNS = "runs another program, loads a library or writes a file";

const isMemory = (database: string | undefined) =>
  database === undefined || database === ":memory:" || database === "";

const SQLITE_READS = /^\s*\.(?:read|rea|load)\s+(?<file>\S+)/gm;
const MYSQL_READS = /(?:^|;|\s)(?:source|\\\.)\s+(?<file>[^\s;]+)/gim;

/** The files whose statements a statement runs. */
const namedBy = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(({ groups }) => (groups?.["file"] ?? "").replaceAll(/^['"]|['"]$/g, ""));

const sqlite: Reader = {
  effects: ([database, ...statements], seen) => {
    // sqlite3 runs its settings file and `-cmd` before it answers.
    const isQuestion =
      seen.has("-version", "-help", "--version", "--help") && !seen.has("-cmd", "--cmd", "-init", "--init");
    if (isQuestion) return {};
    const read = mergeEffects([...seen.values("-cmd"), ...statements].map(readSqlite));
    const doubts = [...read.doubts];
    if (seen.has("-init")) doubts.push(FILE);
    if (statements.length === 0) doubts.push(STDIN);
    if (database?.startsWith("file:")) doubts.push(`"${database}" is an address with settings of its own`);
    const files = isMemory(database) || database === undefined ? [] : [database];
    const writes = [...read.writes, ...(seen.has("-readonly") ? [] : files)];
    const scripts = [...seen.values("-cmd"), ...statements].flatMap((text) => namedBy(text, SQLITE_READS));
    return {
      ...read,
      doubts,
      reads: [...read.reads, ...files],
      writes,
      runsFiles: [...seen.values("-init"), ...scripts],
    };
  },
};

/** A database is named by its name, by `postgresql://…` or by `host=… dbname=…`. */
const postgresHosts = (words: readonly string[], seen: Seen): readonly string[] =>
  [...words, ...seen.values("-d", "--dbname")].flatMap(connectionHosts);

const postgres: Reader = { effects: (words, seen) => ({ urls: postgresHosts(words, seen) }) };

const psql: Reader = {
  effects: (words, seen) => {
    const statements = seen.values("-c", "--command");
    const doubts = statements.flatMap(psqlDoubts);
    if (seen.values("-P", "--pset").some((setting) => /pager/i.test(setting) && !setting.endsWith("=off")))
      doubts.push(RUNS);
    if (seen.values("-v", "--set", "--variable").some((variable) => variable.includes("`")))
      doubts.push(RUNS);
    if (statements.length === 0 && !seen.has("-l", "--list", "-V", "--version", "--help", "-f", "--file"))
      doubts.push(STDIN);
    const named = postgresHosts(words, seen);
    return { doubts, urls: named, sends: [...named, ...seen.values("-h", "--host")] };
  },
};

const mysql: Reader = {
  effects: (_words, seen) => {
    const statements = seen.values("-e", "--execute");
    const asks = seen.has("-V", "--version", "--help");
    return {
      sends: seen.values("-h", "--host"),
      runsFiles: statements.flatMap((text) => namedBy(text, MYSQL_READS)),
      doubts: statements.length > 0 ? statements.flatMap(mysqlDoubts) : asks ? [] : [STDIN],
    };
  },
};

const REDIS_WITHOUT_COMMAND =
  "--stat --latency --latency-history --bigkeys --memkeys --hotkeys --scan -v --version --help".split(" ");
const REDIS_HARMFUL =
  /^(?:EVAL|EVALSHA|FCALL|SCRIPT|FUNCTION|MODULE|DEBUG|SLAVEOF|REPLICAOF|MIGRATE|ACL|BGREWRITEAOF|BGSAVE|SAVE|SHUTDOWN|FLUSHALL|FLUSHDB|MONITOR|CLUSTER|SYNC|PSYNC|EVAL_RO|RESTORE|EVALSHA_RO|FCALL_RO|FAILOVER)$/i;

const redis: Reader = {
  effects: ([verb = "", ...rest], seen): Effects => {
    if (verb === "" && !seen.has(...REDIS_WITHOUT_COMMAND)) return { doubts: [STDIN] };
    const sets = /^CONFIG$/i.test(verb) && !/^GET$/i.test(rest[0] ?? "");
    return {
      sends: seen.values("-h", "-u"),
      doubts: REDIS_HARMFUL.test(verb) || sets ? [`"${verb}" reaches beyond the data`] : [],
    };
  },
};

/** duckdb reads any file or address that a statement quotes where a table could stand. */
const duckdb: Reader = {
  effects: ([database, ...statements], seen) => {
    if (seen.has("-version") && !seen.has("-cmd", "-init", "-c", "-f")) return {};
    const doubts = statements.length === 0 ? [STDIN] : statements.flatMap(sqliteDoubts);
    const reachesOut =
      /\b(?:copy|install|load|attach|export|import|read_\w+|getenv|shellfs|glob|parquet_\w+|sniff_csv)\b|(?<quote>['"])(?=[^'"]*[./\\*?])[^'"]*\k<quote>/i;
    if (statements.some((text) => reachesOut.test(text)))
      doubts.push("the statement reaches outside the database");
    const files = database === undefined ? [] : [database];
    return { doubts, reads: files, writes: files };
  },
};

export const databasesReaders: readonly (readonly [name: string, reader: Reader])[] = [
  ["sqlite", sqlite],
  ["postgres", postgres],
  ["psql", psql],
  ["mysql", mysql],
  ["redis", redis],
  ["duckdb", duckdb],
];
