/** The reader of SQL against sqlite3: what it calls harmless runs under strace and must be. */
import { userInfo } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSqlite } from "../src/policy/programs/scripts/sql-doubts.js";
import { fuzz } from "./fuzz-scripts.js";
import { parts } from "./script-texts.js";
import type { Language } from "./script-texts.js";
import { RUNS, SEED, traceAll } from "./trace-scripts.js";
import { surprises } from "./surprises.js";

const FILES = { "canary.txt": "canary\n" };
const TABLE = "create temp table t(a,b); insert into t values(1,'x'),(2,'.shell touch out')";
const SQLITE = ["/usr/bin/sqlite3"];
/** sqlite3 finds its settings through the list of users. */
const OWN = ["/etc/passwd", join(userInfo().homedir, ".sqliterc")];
const DATABASE = { reads: [".", ...OWN], writes: ["t.db", "t.db-journal", "t.db-wal", "t.db-shm"] };

const SQL: Language = {
  pieces: parts(String.raw`
    select % ¦ select % from t ¦ select * from t where % ¦ select count(*) from t ¦
    insert into t values(%,%) ¦ insert into t(a) select % ¦ update t set a=% where % ¦ create table u(a,b) ¦
    create table u(a varchar(9)) ¦ create index i on u(a) ¦ create view v as select % ¦
    with c(x) as (select %) select * from c ¦ values(%) ¦ explain query plan select % ¦
    pragma table_info(t) ¦ pragma user_version=3 ¦ pragma journal_mode=wal ¦ begin ¦ commit ¦ vacuum ¦
    analyze ¦ reindex ¦ -- %⏎select 1 ¦ /* % */select 1 ¦ select '%' ¦ select "%" ¦ select [%] ¦
    select ˋ%ˋ ¦ select '%⏎%' ¦ select 1 as "%" ¦ select * from "%" ¦ select * from [%] ¦ select lower(%) ¦
    select json_extract('{}','%') ¦ .tables ¦ .schema ¦ .mode csv ¦ .mode % ¦ .headers on ¦ .print % ¦
    .dump % ¦ .separator % ¦ .help ¦ .width 3 ¦ .show ¦ .indexes ¦ .nullvalue % ¦ ␣.tables ¦
    select 1;⏎.tables ¦ select $a(%) ¦ select :a(%),% ¦ select * from pragma_table_info('t') ¦
    select case when % then % end ¦ select a from t group by a having % ¦
    select row_number() over (order by a) from t ¦ create trigger g after insert on u begin select %; end ¦
    replace into t values(1,2) ¦ delete from t where % ¦ select x'00' ¦ select * from json_each('[1]') ¦
    select * from t join t as s on % ¦ go ¦ / ¦ select 1⏎;⏎go⏎% ¦ .eqp on ¦ .stats ¦ .sha3sum ¦ .dbinfo ¦
    .fullschema ¦ .databases ¦ .explain ¦ .limit ¦ .lint fkey-indexes ¦ .timeout 3 ¦ .echo on ¦ .bail on
  `),
  dangerous: parts(String.raw`
    select readfile('canary.txt') ¦ select "readfile"('canary.txt') ¦ select [readfile] ('canary.txt') ¦
    select readfile/**/('canary.txt') ¦ select writefile('out','x') ¦ select ˋwritefileˋ('out',1) ¦
    attach 'out' as o;create table o.x(a) ¦ vacuum into 'out' ¦ select edit('x','touch out') ¦
    select load_extension('./canary.txt') ¦ select * from fsdir('.') ¦ select * from fsdir where path='.' ¦
    create virtual table z using zipfile('canary.txt') ¦ .shell touch out ¦ .sh touch out ¦
    .system touch out ¦ .sy touch out ¦ .output out ¦ .o out ¦ .once out ¦ .on out ¦ .import canary.txt t ¦
    .imp canary.txt t ¦ .read canary.txt ¦ .r canary.txt ¦ .save out ¦ .sa out ¦ .backup out ¦ .ba out ¦
    .cd / ¦ .load ./canary.txt ¦ .log out ¦ .excel ¦ .clone out ¦ .ar -c canary.txt ¦
    .archive -cf out canary.txt ¦ .open out ¦ .param set :a readfile('canary.txt') ¦ .trace out ¦
    . shell touch out ¦ .'shell' touch out ¦ .testcase x ¦ .check x ¦ .dbconfig enable_load_extension on ¦
    pragma temp_store_directory='.' ¦ pragma writable_schema=1 ¦ .once -e ¦ .recover ¦ .e touch out ¦
    select * from zipfile('canary.txt') ¦ .restore canary.txt ¦ .iotrace out ¦ .selftest ¦
    .session open main x
  `),
  smaller: parts(String.raw`
    1 ¦ a ¦ 'x' ¦ "a" ¦ '' ¦ ' ¦ " ¦ [ ¦ ] ¦ ˋ ¦ -- ¦ /* ¦ */ ¦ ⏎ ¦ ; ¦ (%) ¦ %+% ¦ (select %) ¦
    readfile('canary.txt') ¦ writefile('out',1) ¦ edit('x','touch out') ¦ ⏎.shell touch out⏎ ¦
    .shell touch out ¦ \ ¦ \' ¦ abs(%) ¦ max(%,%) ¦ %||% ¦ null ¦ count(*) ¦ in (%) ¦ exists(select %) ¦
    x'00' ¦ .5 ¦ $a(' ¦ :b(" ¦ @c ¦ ?1 ¦ :: ¦ cast(% as int) ¦ a like '%' ¦ ";.shell touch out" ¦
    |touch out ¦ -- %⏎ ¦ /* % */ ¦ [%] ¦ ˋ%ˋ ¦ "%" ¦ '%' ¦ { ¦ --wrap 3 ¦ insert ¦ é ¦ quote(%) ¦
    printf('%d',%) ¦ ,%
  `),
  glue: parts(String.raw`
    ; ¦ ;⏎ ¦ ⏎ ¦ ␣ ¦  ¦ ;-- ¦ ;/* ¦ ␣union␣ ¦ ⏎;⏎ ¦ ⏎go⏎ ¦ ' ¦ "
  `),
  noise: parts(String.raw`
    ' ¦ " ¦ [ ¦ ] ¦ ˋ ¦ ( ¦ ) ¦ - ¦ / ¦ * ¦ ; ¦ . ¦ , ¦ : ¦ $ ¦ @ ¦ ? ¦ ⏎ ¦ ␣ ¦ | ¦ = ¦ < ¦ > ¦ \ ¦ 1 ¦ a ¦
    ! ¦ ~ ¦ # ¦ ␍ ¦ -- ¦ /* ¦ */ ¦ ⏎. ¦ ␋ ¦ é ¦ ::
  `),
};

test(
  `sqlite3 does nothing unforeseen when the reader has no doubts (seed ${SEED})`,
  { timeout: 3_600_000 },
  ({ annotate }) => {
    const found = fuzz({
      language: SQL,
      isHarmless: (text) => (readSqlite(text).doubts ?? []).length === 0,
      programs: [SQLITE],
      argv: (program, text) => [...program, "-batch", "-cmd", TABLE, "t.db", text],
      files: FILES,
      foreseen: () => DATABASE,
    });
    void annotate(found.summary);
    expect(found.surprises).toEqual([]);
    expect(found.harmless).toBeGreaterThan(RUNS / 20);
  },
);

test("the comparison fails when a text leaves the database", () => {
  const did = (text: string) => {
    const [traced] = traceAll([{ argv: [...SQLITE, "-batch", "t.db", text] }], FILES);
    return surprises(traced!, DATABASE);
  };
  expect(did("create table u(a)")).toEqual([]);
  expect(did("select readfile('canary.txt')")).toContain("read canary.txt");
  expect(did("vacuum into 'out'")).toContain("wrote out");
  expect(did(".sh /usr/bin/true").some((surprise) => surprise.startsWith("ran "))).toBe(true);
});
