/** The command line of `toolgate serve`. */
import type { Command } from "commander";
import type { OnBreach } from "../../acp/index.js";
import { agentOptions, onBreachOption } from "./agent-options.js";
import type { AgentFlags } from "./agent-options.js";
import { doorOptions } from "./door-options.js";
import type { DoorFlags } from "./door-options.js";
import { logged } from "./logged.js";
import { optionNeeds } from "./option-needs.js";
import { atLeastOne, port, variable } from "./values.js";

export type ServeFlags = AgentFlags &
  DoorFlags & {
    readonly port: number;
    readonly host: string;
    readonly agent?: Readonly<Record<string, string>>;
    readonly onBreach?: OnBreach;
    readonly questionLifetime?: number;
    readonly place?: string;
  };

export function addServeCommand(program: Command): void {
  const serve = agentOptions(program.command("serve"))
    .description("serve apps over HTTP, to clients with the token: the Agent Application\nProtocol (AAP v3)")
    .option("--port <number>", "the port to listen on; 0 for any free one", port, 4320)
    .option("--host <address>", "the address to listen on", "127.0.0.1")
    .option(
      "--agent <name=command>",
      "serve this ACP agent too, under your rules; the command is read without\na shell; may be repeated",
      variable,
    )
    .addOption(onBreachOption())
    .option(
      "--question-lifetime <seconds>",
      "how long a question can be answered with yes (default: for ever)",
      atLeastOne,
    )
    .option(
      "--place <name>",
      "on a shared ledger: go on with sessions of servers with the same place, which\ncan reach the same workspace (default: this machine and this folder)",
    );
  doorOptions(serve).action(async (options: ServeFlags) => {
    await logged(options, async () => (await import("../serve.js")).serveApps(options));
  });
  optionNeeds(serve, ["--base-url"], ["--model"]);
  optionNeeds(serve, ["--on-breach"], ["--agent"]);
}
