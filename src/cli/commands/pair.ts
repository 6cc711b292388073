/** The command line of `toolgate pair`. */
import { Option } from "commander";
import type { Command } from "commander";
import type { DeviceRole } from "../../serve/index.js";
import { SHARED_LEDGER } from "./ledger-option.js";

export type PairFlags = {
  readonly role: DeviceRole;
  readonly name?: string;
  readonly url?: string;
  readonly list?: boolean;
  readonly revoke?: string;
  readonly ledger?: string;
};

export function addPairCommand(program: Command): void {
  program
    .command("pair")
    .description(
      "let another device use the page: shows a QR code that works once;\nlists and revokes devices",
    )
    .addOption(
      new Option("--role <role>", "what the device may do: watch; answer questions; or all")
        .choices(["watch", "answer", "all"])
        .default("answer"),
    )
    .option("--name <name>", "how the list names it (default: as the device says)")
    .option(
      "--url <address>",
      "the address by which the device reaches the server (default: the last\nserver's own)",
    )
    .addOption(new Option("--list", "list the devices").conflicts(["revoke", "url", "name"]))
    .addOption(
      new Option("--revoke <id>", "revoke a device, by its id or the beginning of it").conflicts([
        "url",
        "name",
      ]),
    )
    .option(...SHARED_LEDGER)
    .action(async (flags: PairFlags) => {
      process.exitCode = await (await import("../pair.js")).pair(flags);
    });
}
