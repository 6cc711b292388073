/** The command line of `toolgate ledger …`. */
import type { Command } from "commander";

const commands = () => import("../ledger.js");

const ADDRESS = "a file, or postgres://user@host/database (default: in your state folder)";

export function addLedgerCommands(program: Command): void {
  const ledger = program
    .command("ledger")
    .description("prepare, check and copy the ledger, which stores the sessions")
    .helpCommand(false);
  ledger
    .command("migrate")
    .argument("[address]", ADDRESS)
    .description("make the tables, or add what this version needs; other instances keep running")
    .action(async (address: string | undefined) => {
      process.exitCode = await (await commands()).migrateLedger(address);
    });
  ledger
    .command("check")
    .argument("[address]", ADDRESS)
    .description("look at the store and its settings, and verify the chain of every session")
    .option("--no-verify", "only look at the settings")
    .action(async (address: string | undefined, options) => {
      process.exitCode = await (await commands()).checkLedger(address, options);
    });
  ledger
    .command("copy")
    .argument("<from>", "where the sessions are: a file, or postgres://…")
    .argument("<to>", "where they go; sessions that are there already are left as they are")
    .description("copy all sessions to another store, and compare the chains of both")
    .action(async (from: string, to: string) => {
      process.exitCode = await (await commands()).copyStore(from, to);
    });
}
