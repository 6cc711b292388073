/**
 * The chain that makes a change of the recorded events visible: each event's link is the SHA-256 of the
 * link before it, the event's number and its text. The chain reveals changes by accident or by hand; a process
 * that can write the file can also write a new chain, unless someone keeps a link elsewhere.
 */
import { hash } from "node:crypto";

/** The link before the first event. The session's id is in it, so that another session's events do not fit. */
export function chainStart(sessionId: string): string {
  return `toolgate session ${JSON.stringify(sessionId)}`;
}

export function nextLink(link: string, seq: number, text: string): string {
  return hash("sha256", `${link}\n${seq}\n${text}`);
}
