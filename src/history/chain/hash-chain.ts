/** The hashes of stored data, the same in every store: the chain of a session's events, snapshots and kept files. */
import { hash } from "node:crypto";
import type { SessionSnapshot } from "../../call/index.js";

/**
 * The link before the first event of a session's chain, which makes a change of the recorded events visible: each
 * event's link is the SHA-256 of the link before it, the event's number and its text. The chain reveals changes by
 * accident or by hand; a process that can write the file can also write a new chain, unless someone keeps a link
 * elsewhere. The session's id is in it, so that another session's events do not fit.
 */
export function chainStart(sessionId: string): string {
  return `toolgate session ${JSON.stringify(sessionId)}`;
}

export function nextLink(link: string, seq: number, text: string): string {
  return hash("sha256", `${link}\n${seq}\n${text}`);
}

/** The seal of a snapshot: a hash over its text and the link of its event. */
export function snapshotSeal(link: string, { seq, saved }: SessionSnapshot): string {
  return hash("sha256", `toolgate snapshot\n${link}\n${seq}\n${saved}`);
}

/** The name under which the bytes of a kept file are stored. */
export const blobHash = (bytes: Uint8Array): string => hash("sha256", bytes);
