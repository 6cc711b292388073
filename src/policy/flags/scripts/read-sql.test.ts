import { describe, expect, test } from "vitest";
import { mysqlDoubts, psqlDoubts, readSqlite, sqliteDoubts } from "./read-sql.js";

describe("finds nothing to doubt when sqlite3 stays within its database", () => {
  test.each([
    "select * from users",
    "SELECT count(*), max(id) FROM users WHERE name LIKE '%x%' AND age > 3;",
    'select "a", [b], `c` from "my table"',
    "select 'it''s .shell and readme' -- note\n",
    "/* note */ select 1; select 2",
    "with recursive c(x) as (select 1 union all select x + 1 from c where x < 5) select * from c",
    "with a(x) as (select 1), b(y) as (select 2) select * from a, b",
    "insert into t(a, b) values (1, 'x'), (2, 'y')",
    "insert or replace into main.t(a) select a from s",
    "update t set a = coalesce(a, 0) + 1 where id in (1, 2)",
    "delete from t where id = 3",
    "create table if not exists t(id integer primary key, name varchar(20) not null, p references q(id))",
    "create index i on t(a, lower(b))",
    "create unique index if not exists i on main.t(a)",
    "create view v as select * from t join u using (id)",
    "explain query plan select * from t where a = 1",
    "pragma table_info(users)",
    "pragma main.integrity_check",
    "pragma journal_mode=wal",
    "vacuum",
    "begin; update t set a = 1 where b = 2; commit",
    "select json_extract(data, '$.a') from t, json_each(t.list)",
    "select row_number() over (partition by a order by b) from t",
    "select strftime('%Y', created_at), sum(total) from credit group by 1 having sum(total) > 5",
    ".tables",
    ".schema users",
    ".headers on",
    ".mode csv",
    ".mode box --wrap 60",
    ".separator |",
    ".dump users",
    " .tables ",
  ])("%s", (text) => expect(sqliteDoubts(text)).toEqual([]));
});

describe("doubts a text for sqlite3 when it leaves the database or could be split otherwise", () => {
  test.each([
    ".shell id",
    ".sh id",
    ".s id",
    ".system id",
    ".sy id",
    ".o x",
    ".output x",
    ".once x",
    ".excel",
    ".imp x t",
    ".r x",
    ".read x",
    ".sa x",
    ".ba x",
    ".backup x",
    ".cd /",
    ".load x",
    ".log x",
    ".clone x",
    ".ar -x",
    ".open x",
    ".param set :a 1",
    ".mode |id",
    ".mode frob",
    ".tab",
    ".dbconfig load_extension on",
    ". shell id",
    ".'shell' id",
    ".tables\n.shell id",
    "\n.shell id",
    "select 1;\n .shell id",
    "select '\n.shell id'",
    "select 1\ngo\n.shell id",
    "select 1\n/\n",
    "select readfile('x')",
    "select READFILE ('x')",
    "select \"readfile\"('x')",
    "select [readfile]('x')",
    "select `readfile`('x')",
    "select readfile/**/('x')",
    "select readfile--\n('x')",
    "select writefile('x', 1)",
    "select edit('x')",
    "select \"edit\" ('x', 'sh')",
    "select load_extension('x')",
    "select fts3_tokenizer('x')",
    "select * from fsdir('/')",
    "select * from fsdir where path = '/'",
    "select * from zipfile('x')",
    "create virtual table t using csv(filename='x')",
    "create /**/ virtual table t using zipfile('x')",
    "attach 'x' as y",
    "ATTACH DATABASE 'x' AS y",
    "vacuum into 'x'",
    "pragma writable_schema = on",
    "pragma temp_store_directory = 'x'",
    "pragma frob",
    "select $a('), readfile('x'), (')",
    "select :a(')",
    "select frobnicate(1)",
    "select 'unterminated",
    "/* unterminated",
    "select 1 /* x */ */",
    "select * from 'data.csv'",
    'select * from "../data.csv"',
    "drop table t",
    "delete from t",
    "update t set a = 1",
    "with x as (select 1) delete from t",
    "alter table t drop column a",
    "frob",
    "select 1\r\n",
  ])("%s", (text) => expect(sqliteDoubts(text)).not.toEqual([]));
});

test("names the files that a statement opens when it names any", () => {
  expect(readSqlite("select readfile('a.txt')").reads).toEqual(["a.txt"]);
  expect(readSqlite("select writefile('out', 1)").writes).toEqual(["out"]);
  expect(readSqlite("attach 'other.db' as o").writes).toEqual(["other.db"]);
  expect(readSqlite('attach database "other.db" as o').writes).toEqual(["other.db"]);
  expect(readSqlite("vacuum main into 'copy.db'").writes).toEqual(["copy.db"]);
});

describe("finds nothing to doubt when psql only looks and changes rows", () => {
  test.each([
    "select count(*) from users",
    "select version()",
    "SELECT name, pg_size_pretty(pg_total_relation_size('t')) FROM pg_tables LIMIT 5;",
    "select data->>'a', now() - interval '1 day' from t where id = 5::int",
    "insert into t (a) values (1) returning id",
    "explain analyze select * from t",
    "show server_version",
    "\\d users",
    "\\dt",
    "\\dt+ public.*",
    "\\l",
    "\\x",
    "\\conninfo",
  ])("%s", (text) => expect(psqlDoubts(text)).toEqual([]));
});

describe("doubts a text for psql when it leaves the database", () => {
  test.each([
    "\\! id",
    "\\dt \\! id",
    "\\dt `id`",
    "\\dt | sh",
    "\\copy t to 'x'",
    "\\o x",
    "\\i x",
    "\\g x",
    "select 1 \\g x",
    "select 1 \\gexec",
    "copy t to program 'id'",
    "copy t to '/x'",
    "select pg_read_file('/etc/passwd')",
    "select \"pg_read_file\"('/etc/passwd')",
    "select lo_import('/x')",
    "select dblink('x')",
    "select my_function()",
    "do $$ begin end $$",
    "select $$'$$; drop table t; --'",
    "create function f() returns int as 'x' language c",
    "create extension x",
    "load 'x'",
    "call f()",
    "select * into t from u",
    "explain analyze delete from t",
    "drop table users",
    "grant all on t to x",
    "alter user x",
    "alter system set x = 1",
    "/* /* */ drop table t; */ select 1",
    "set role x",
  ])("%s", (text) => expect(psqlDoubts(text)).not.toEqual([]));
});

describe("finds nothing to doubt when mysql only looks and changes rows", () => {
  test.each([
    "show databases",
    "describe users",
    'select count(*) from `users` where name = "x"',
    "select 1\\G",
    "use app; show tables",
    "update t set a = 1 where id = 2",
  ])("%s", (text) => expect(mysqlDoubts(text)).toEqual([]));
});

describe("doubts a text for mysql when it leaves the database", () => {
  test.each([
    "\\! id",
    "select 1; \\! id",
    "system id",
    "select 1;\nsystem id",
    "source x",
    "tee x",
    "pager sh",
    "select load_file('/x')",
    "select 1 into outfile '/x'",
    "select 1 into @a",
    "load data infile 'x' into table t",
    "/*!50000 drop table t */",
    "select 'a\\' ; system id ; '",
    "# note\nselect 1",
    "drop database x",
    "select my_function()",
    "create function f returns string soname 'x'",
  ])("%s", (text) => expect(mysqlDoubts(text)).not.toEqual([]));
});

test("doubts a script at once when it is longer than anyone types", () => {
  expect(sqliteDoubts("select 1;".repeat(1000))).toHaveLength(1);
});
