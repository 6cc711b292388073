import { expect, test } from "vitest";
import { claim, DURABLE, said, textsOf } from "../contract/contract.samples.js";
import { MIGRATIONS } from "./migrations.js";
import { migrateTables, tableState } from "./migrate-tables.js";
import { openPostgresLedger } from "./open-postgres-ledger.js";
import { postgresAddress } from "./postgres-address.js";
import { newAddress } from "./postgres-server.samples.js";
import { SqlConnections } from "./sql-connections.js";

const connect = (address: string) => SqlConnections.open(postgresAddress(address));

test("makes the tables once when many instances start at the same time", async () => {
  const address = await newAddress();
  const ledgers = await Promise.all(Array.from({ length: 8 }, () => openPostgresLedger(address)));
  const sql = await connect(address);
  expect(await tableState(sql)).toEqual({ step: MIGRATIONS.length, knownStep: MIGRATIONS.length });
  expect(await migrateTables(sql)).toBe(0);
  for (const one of [...ledgers, sql]) await one.close();
});

test("works beside a newer version whose steps it need not know", async () => {
  const address = await newAddress();
  const before = await openPostgresLedger(address);
  const sql = await connect(address);
  const { schema } = sql.address;
  await sql.run({
    sql: `insert into ${schema}.migrations (step, needs) values (${MIGRATIONS.length + 1}, 1)`,
  });
  await sql.run({ sql: `alter table ${schema}.events add column colour text` });
  const after = await openPostgresLedger(address);
  await before.append(await claim(before), [said("one")], DURABLE);
  expect(await textsOf(after)).toEqual(["one"]);
  for (const one of [before, after, sql]) await one.close();
});

test("refuses tables of a newer version in words", async () => {
  const address = await newAddress();
  await (await openPostgresLedger(address)).close();
  const sql = await connect(address);
  const step = MIGRATIONS.length + 1;
  await sql.run({
    sql: `insert into ${sql.address.schema}.migrations (step, needs) values (${step}, ${step})`,
  });
  for (const readOnly of [true, false])
    await expect(openPostgresLedger(address, { readOnly })).rejects.toMatchObject({
      code: "LEDGER_TOO_NEW",
      message: expect.stringMatching(/made by a newer version of Toolgate.*Nothing was read or written/),
    });
  await sql.close();
});

test("reserves a column for the tenant in every table", async () => {
  const address = await newAddress();
  const ledger = await openPostgresLedger(address);
  const sql = await connect(address);
  const rows = await sql.run<[], { table_name: string; tenants: number }>({
    sql: `select table_name, count(*) filter (where column_name = 'tenant') as tenants
          from information_schema.columns where table_schema = '${sql.address.schema}' group by 1`,
  });
  expect(rows.filter(({ tenants }) => tenants === 0)).toEqual([{ table_name: "migrations", tenants: 0 }]);
  for (const one of [ledger, sql]) await one.close();
});

test("refuses a server that acknowledges before events are safe", async () => {
  const address = `${await newAddress()}&options=${encodeURIComponent("-c synchronous_commit=off")}`;
  await expect(openPostgresLedger(address)).rejects.toMatchObject({
    code: "LEDGER_FAILED",
    message: expect.stringContaining("synchronous_commit = off). Nothing was opened"),
  });
});
