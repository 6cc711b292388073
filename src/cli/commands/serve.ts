/** The command lines of `toolgate serve`, and of `toolgate page`, which runs when no command is named. */
import type { Command } from "commander";
import type { OnBreach } from "../../acp/index.js";
import { agentOptions, onBreachOption } from "./agent-options.js";
import type { AgentFlags } from "./agent-options.js";
import { doorOptions } from "./door-options.js";
import type { DoorFlags } from "./door-options.js";
import { logged } from "./logged.js";
import { optionNeeds } from "./option-needs.js";
import { atLeastOne, port, variable, whole } from "./values.js";

export type ServeFlags = AgentFlags &
  DoorFlags & {
    readonly port: number;
    readonly host: string;
    readonly agent?: Readonly<Record<string, string>>;
    readonly onBreach?: OnBreach;
    readonly questionLifetime?: number;
    readonly place?: string;
    readonly drain?: number;
  };

type PageFlags = ServeFlags & { readonly open: boolean };

export function addServeCommand(program: Command): void {
  const serve = program
    .command("serve")
    .description(
      "serve the page to your devices and, to clients with the token, apps over\nHTTP: the Agent Application Protocol (AAP v3)",
    );
  serverOptions(serve).action(async (options: ServeFlags) => {
    await logged(options, async () => (await import("../serve.js")).serveApps(options));
  });
}

export function addPageCommand(program: Command, { isDefault }: { readonly isDefault: boolean }): void {
  const page = program
    .command("page", { isDefault })
    .description(
      "open the page: questions, sessions, history and rules of all your agents in\nyour browser, and a demo that needs no key; serves apps too",
    )
    .option("--no-open", "open no browser; the link is printed");
  serverOptions(page).action(async ({ open, ...options }: PageFlags, command: Command) => {
    // A port that a person has named may be the end of a tunnel.
    const takesAnyPort = command.getOptionValueSource("port") === "default";
    await logged(options, async () =>
      (await import("../serve.js")).serveApps(options, { takesAnyPort, opensBrowser: open }),
    );
  });
}

function serverOptions(command: Command): Command {
  agentOptions(command)
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
      "on a shared ledger: continue sessions of servers with the same place, which\ncan reach the same workspace (default: this machine and this folder)",
    )
    .option(
      "--drain <seconds>",
      "on SIGTERM: how long running turns may last before they are cancelled\n(default: 10 on a shared ledger, else 0)",
      whole,
    );
  optionNeeds(command, ["--base-url"], ["--model"]);
  optionNeeds(command, ["--on-breach"], ["--agent"]);
  return doorOptions(command);
}
