/** `toolgate ledger migrate | check | copy`: the store of the sessions, as a whole. */
import { pluralize } from "../call/index.js";
import type { ChainHead, Verified } from "../call/index.js";
import { copyLedger } from "../history/copy-ledger.js";
import { openArchive, openLedger } from "../history/index.js";
import { LedgerFileError } from "../history/ledger-file-error.js";
import { checkServer, migrateServer, verifyServer } from "../history/postgres/check-server.js";
import { shownAddress } from "../history/postgres/postgres-address.js";
import { storeAddress } from "../history/store-address.js";
import { existing } from "./history.js";
import { ledgerAddress } from "./ledger-address.js";
import { progressLine } from "./progress-line.js";
import { note } from "./stderr.js";

const MAX_SHOWN = 20;

const write = (text: string) => void process.stdout.write(`${text}\n`);

export async function migrateLedger(given: string | undefined): Promise<number> {
  const address = ledgerAddress({ ledger: given });
  const server = serverOf(address);
  if (server === undefined) {
    await (await openLedger(existing(given === undefined ? {} : { ledger: given }))).close();
    write("The file has the tables of this version.");
    return 0;
  }
  const added = await migrateServer(server);
  write(
    added === 0
      ? "The tables are those of this version."
      : `Added ${pluralize(added, "step")} to the tables.`,
  );
  return 0;
}

export async function checkLedger(
  given: string | undefined,
  { verify }: { readonly verify: boolean },
): Promise<number> {
  const address = existing(given === undefined ? {} : { ledger: given });
  const server = serverOf(address);
  if (server !== undefined) {
    const { hasTables, facts, warnings } = await checkServer(server);
    for (const [name, value] of facts) write(`${name.padEnd(12)} ${value}`);
    for (const warning of warnings) note(warning);
    if (!hasTables) return 0;
  }
  if (!verify) return 0;
  const { sessions, events, brokenCount, broken } = await verified(address);
  write(
    `${"chain".padEnd(12)} ${brokenCount === 0 ? "whole" : pluralize(brokenCount, "broken link")}: ${pluralize(events, "event")} of ${pluralize(sessions, "session")}`,
  );
  for (const { sessionId, seq, detail } of broken.slice(0, MAX_SHOWN))
    note(`Session ${sessionId}, event ${seq}: ${detail}.`);
  if (brokenCount > MAX_SHOWN)
    note(`${brokenCount - MAX_SHOWN} more: toolgate history verify lists them all.`);
  if (brokenCount === 0) return 0;
  note(
    "Somebody or something changed the store beside Toolgate. The check changed nothing; compare these sessions with a backup.",
  );
  return 1;
}

export async function copyStore(from: string, to: string): Promise<number> {
  const [source, target] = [existing({ ledger: from }), ledgerAddress({ ledger: to })];
  // Refuses an address that cannot be verified, before anything is copied.
  for (const address of [source, target]) serverOf(address);
  let time = 0;
  const reading = await openLedger(source);
  const copied = new Set<string>();
  const counts = { copied: 0, there: 0, held: 0, damaged: 0, events: 0 };
  try {
    const writing = await openLedger(target, { now: () => time });
    try {
      const setTime = (at: number) => {
        time = at;
      };
      for await (const { sessionId, result, events } of copyLedger(reading, { ledger: writing, setTime })) {
        counts[result] += 1;
        counts.events += events;
        if (result === "copied") copied.add(sessionId);
        if (result === "held") note(`Session ${sessionId} is open in another process and was not copied.`);
        if (result === "damaged")
          note(
            `Session ${sessionId} lacks events or kept files in ${shownAddress(from)} and was not copied. See: toolgate ledger check`,
          );
      }
    } finally {
      await writing.close();
    }
  } finally {
    await reading.close();
  }
  write(`Copied ${pluralize(counts.copied, "session")} with ${pluralize(counts.events, "event")}.`);
  if (counts.there > 0) write(`${pluralize(counts.there, "session")} had been there before.`);
  const differing = await differences(source, target, copied);
  for (const sessionId of differing)
    note(
      `Session ${sessionId} has another chain in the copy: an older version recorded it, or it was changed.`,
    );
  if (copied.size > differing.length)
    write(
      `The chains of ${pluralize(copied.size - differing.length, "session")} are the same in both stores.`,
    );
  return differing.length === 0 && counts.held === 0 && counts.damaged === 0 ? 0 : 1;
}

async function differences(
  from: string,
  to: string,
  copied: ReadonlySet<string>,
): Promise<readonly string[]> {
  const before = heads(await verified(from));
  const after = heads(await verified(to));
  return [...copied].filter((id) => after.get(id) === undefined || after.get(id) !== before.get(id));
}

const heads = (from: Verified): ReadonlyMap<string, string> =>
  new Map(from.heads.map(({ sessionId, seq, link }: ChainHead) => [sessionId, `${seq} ${link}`]));

async function verified(address: string): Promise<Verified> {
  const progress = progressLine("Verifying");
  const options = { onProgress: progress.show };
  try {
    const server = serverOf(address);
    if (server !== undefined) return await verifyServer(server, options);
    const archive = await openArchive(address);
    try {
      return await archive.verify(options);
    } finally {
      await archive.close();
    }
  } finally {
    progress.end();
  }
}

/** The address of a server; undefined for a file. */
function serverOf(address: string): string | undefined {
  const store = storeAddress(address);
  switch (store.type) {
    case "sqlite":
      return undefined;
    case "postgres":
      return store.address;
    case "memory":
      throw new LedgerFileError(
        "UNKNOWN_ADDRESS",
        "A ledger in memory ends with the process that wrote it, so memory: has no store to check or copy. Nothing was done; name a file, or postgres://….",
      );
    default:
      return store satisfies never;
  }
}
