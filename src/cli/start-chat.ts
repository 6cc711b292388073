/** Starts a conversation, and the MCP servers of our own agent before it. */
import { resolve } from "node:path";
import { Chat } from "./chat/chat.js";
import { chooseModel } from "./choose-model.js";
import type { RunFlags } from "./commands/run.js";
import { openServers } from "./open-servers.js";

export async function startChat(flags: RunFlags, first: string): Promise<number> {
  const isOwn = flags.agent === undefined && flags.url === undefined;
  const cwd = resolve(flags.cwd ?? process.cwd());
  const started = isOwn ? await openServers(flags, cwd, { mayAsk: true }) : undefined;
  try {
    const chosen = isOwn ? await chooseModel(flags, cwd) : flags;
    return await Chat.start(chosen, started ? [started.servers] : [], first);
  } finally {
    await started?.close();
  }
}
