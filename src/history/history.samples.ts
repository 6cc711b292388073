/** Sessions to look for, verify, export and forget. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach } from "vitest";
import type { Archive, Decision, Ledger, SessionEvent } from "../call/index.js";
import { openArchive } from "./open-archive.js";
import type { ArchiveOptions } from "./open-archive.js";
import { openSqliteLedger } from "./sqlite/sqlite-ledger.js";

export const NOON = Date.UTC(2026, 0, 2, 12);

/** A folder of files that goes when the test file is over, and what is open in it is closed after each test. */
export function aStore() {
  const folder = mkdtempSync(join(tmpdir(), "toolgate-history-"));
  const opened: { close(): Promise<void> }[] = [];
  let count = 0;
  afterEach(async () => {
    for (const one of opened.splice(0).toReversed()) await one.close();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return {
    folder,
    newFile: () => join(folder, `${(count += 1)}.db`),
    ledger: async (file: string, now: () => number = () => NOON): Promise<Ledger> => {
      const ledger = await openSqliteLedger(file, { now });
      opened.push(ledger);
      return ledger;
    },
    /** With its index beside the ledger, up to date. */
    archive: async (file: string, options: ArchiveOptions = {}): Promise<Archive> => {
      const archive = await openArchive(file, { indexFile: `${file}.index`, ...options });
      opened.push(archive);
      await archive.refresh();
      return archive;
    },
  };
}

export async function record(
  ledger: Ledger,
  sessionId: string,
  events: readonly SessionEvent[],
): Promise<number> {
  const lease = await ledger.claim(sessionId, "ann", { milliseconds: 1000 });
  const seq = await ledger.append(lease, events, { durable: false });
  await ledger.release(lease);
  return seq;
}

export function said(
  text: string,
  { at = NOON, messageId = `m-${at}`, role = "agent" }: Partial<SaidOptions> = {},
): SessionEvent {
  return { type: "message-chunk", at, messageId, role, block: { type: "text", text } };
}
type SaidOptions = { at: number; messageId: string; role: "user" | "agent" | "thought" };

type CallOptions = {
  readonly at?: number;
  readonly name?: string;
  readonly kind?: "edit" | "execute" | "read";
  readonly rawInput?: unknown;
  readonly output?: string;
  readonly decision?: Omit<Decision, "at">;
  readonly ranMs?: number;
  readonly end?: "done" | "failed";
};

/** A call from its announcement to its end. */
export function aRun(toolCallId: string, options: CallOptions = {}): SessionEvent[] {
  const { at = NOON, name = "terminal", kind = "execute", rawInput = { command: "ls" } } = options;
  const { output = "", decision = { by: "rule", rule: "listing" }, ranMs = 5, end = "done" } = options;
  const ended = at + 2 + ranMs;
  return [
    {
      type: "call-announced",
      toolCallId,
      at,
      name,
      title: `Run ${toolCallId}`,
      kind,
      kindSource: "declared",
    },
    { type: "input-ready", toolCallId, at, rawInput },
    { type: "call-cleared", toolCallId, at: at + 1, decision: { ...decision, at: at + 1 } },
    { type: "run-started", toolCallId, at: at + 2 },
    { type: "content-appended", toolCallId, at: at + 2, content: { type: "terminal", terminalId: "t" } },
    { type: "terminal-output", toolCallId, at: at + 2, terminalId: "t", text: output },
    end === "done"
      ? { type: "call-done", toolCallId, at: ended }
      : { type: "call-failed", toolCallId, at: ended, error: "It broke." },
  ];
}
