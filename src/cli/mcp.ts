/** `toolgate mcp …`: lists and revokes the approvals of MCP servers. */
import { resolve } from "node:path";
import { visibleText } from "../call/index.js";
import { ApprovedServers, settingsFolder } from "../settings/index.js";
import { jsonText } from "./json-text.js";
import { note } from "./stderr.js";

const write = (text: string): void => void process.stdout.write(text);

export function listServers({ json = false }: { readonly json?: boolean }): number {
  const approved = new ApprovedServers(settingsFolder());
  const servers = approved.list();
  if (json) write(`${jsonText({ servers })}\n`);
  else if (servers.length === 0)
    write("No MCP server is approved. Toolgate asks you before it starts one: toolgate run --mcp FILE\n");
  else
    for (const { name, projectRoot, approvedAt, fingerprint } of servers)
      write(
        `${visibleText(name)}  ${projectRoot === undefined ? "everywhere" : `in ${visibleText(projectRoot)}`}, since ${dayOf(approvedAt)}, as it was then (${fingerprint.slice(0, 12)})\n`,
      );
  if (approved.problem === undefined) return 0;
  note(`${approved.problem} Until then no server is approved.`);
  return 1;
}

export async function revokeServer(
  name: string,
  { cwd, everywhere = false }: { readonly cwd?: string; readonly everywhere?: boolean },
): Promise<number> {
  const root = resolve(cwd ?? process.cwd());
  const approved = new ApprovedServers(settingsFolder());
  const where = everywhere ? "anywhere" : `in ${visibleText(root)}`;
  if (await approved.revoke(name, ...(everywhere ? [] : [root]))) {
    write(`${visibleText(name)} is not started ${where} any more until you approve it again.\n`);
    return 0;
  }
  note(
    `No MCP server "${visibleText(name)}" is approved ${where}. Nothing was changed. Try: toolgate mcp list`,
  );
  return 1;
}

/** The user may have edited the file: its time may be invalid. */
function dayOf(moment: number): string {
  const date = new Date(moment);
  return Number.isNaN(date.getTime()) ? "an unknown day" : date.toISOString().slice(0, 10);
}
