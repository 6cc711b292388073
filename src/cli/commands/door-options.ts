/** Options of the HTTP servers: who may connect. */
import { Option } from "commander";
import type { Command } from "commander";
import { collected } from "./values.js";

export type DoorFlags = {
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly insecureListen?: boolean;
  readonly allowHost?: readonly string[];
  readonly allowOrigin?: readonly string[];
};

/** The options as a user types them. */
export const DOOR_OPTIONS = [
  "--tls-cert",
  "--tls-key",
  "--insecure-listen",
  "--allow-host",
  "--allow-origin",
] as const;

export function doorOptions(command: Command): Command {
  command
    .option("--tls-cert <file>", "the certificate to listen with, beyond this machine")
    .option("--tls-key <file>", "the key of the certificate")
    .addOption(
      new Option(
        "--insecure-listen",
        "listen beyond this machine without TLS: anyone on the network path can read\nthe token and then run commands here; only behind a tunnel or a proxy",
      ).conflicts(["tlsCert", "tlsKey"]),
    )
    .option("--allow-host <name>", "a further name of this server; may be repeated", collected)
    .option("--allow-origin <origin>", "a site whose pages may connect; may be repeated", collected);
  return command;
}
