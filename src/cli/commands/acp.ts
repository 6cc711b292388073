/** The command line of `toolgate acp`. An editor gets its first response before this is read; see main.ts. */
import type { Command } from "commander";
import { agentOptions } from "./agent-options.js";
import type { AgentFlags } from "./agent-options.js";
import { DOOR_OPTIONS, doorOptions } from "./door-options.js";
import type { DoorFlags } from "./door-options.js";
import { logged } from "./logged.js";
import { optionNeeds } from "./option-needs.js";
import { listenAddress } from "./values.js";
import type { ListenAddress } from "./values.js";

export type AcpFlags = AgentFlags & { readonly models?: readonly string[]; readonly acpV2?: boolean };
export type ListenFlags = DoorFlags & { readonly listen: ListenAddress };

export function addAcpCommand(program: Command): void {
  const acp = agentOptions(program.command("acp"))
    .description("serve editors (Zed, JetBrains, Neovim, Emacs) over ACP on stdin and stdout")
    .option("--models <names...>", "further models that the editor may choose from in a session")
    .option("--acp-v2", "use the draft of ACP v2 with editors that ask for it")
    .option(
      "--listen <[host:]port>",
      "serve over HTTP and WebSocket instead, to clients with the token;\non this machine only, unless a host is named; port 0 is any free one",
      listenAddress,
    );
  doorOptions(acp).action(async (options: AcpFlags & (ListenFlags | { readonly listen?: never })) => {
    if (options.listen)
      return logged(options, async () =>
        (await import("../listen-for-editors.js")).listenForEditors(options),
      );
    const { serveEditor } = await import("../acp.js");
    await serveEditor(async () => options, { v2: options.acpV2 ?? false });
  });
  optionNeeds(acp, ["--base-url"], ["--model", "--models"]);
  optionNeeds(acp, DOOR_OPTIONS, ["--listen"]);
}
