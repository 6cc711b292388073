/** The command line of `toolgate mcp …`. */
import { Option } from "commander";
import type { Command } from "commander";

const servers = () => import("../mcp.js");

export function addMcpCommands(program: Command): void {
  const mcp = program
    .command("mcp")
    .description("list and revoke the MCP servers that you have approved")
    .helpCommand(false);
  mcp
    .command("list")
    .description("the servers that may be started, and where")
    .option("--json", "print JSON")
    .action(async (options) => void (process.exitCode = (await servers()).listServers(options)));
  mcp
    .command("revoke")
    .argument("<name>", "as `mcp list` shows it")
    .description("ask again before this server is started here")
    .option("--cwd <folder>", "the project that it was approved for (default: this folder)")
    .addOption(new Option("--everywhere", "in every project").conflicts("cwd"))
    .action(
      async (name: string, options) =>
        void (process.exitCode = await (await servers()).revokeServer(name, options)),
    );
}
