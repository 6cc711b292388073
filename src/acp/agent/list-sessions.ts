/** `session/list`: the recorded sessions in pages, the newest first. */
import { setImmediate } from "node:timers/promises";
import { readSessionInfo } from "../../call/index.js";
import type { Ledger, SessionSummary } from "../../call/index.js";
import { invalidParams } from "../connection/message.js";
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";
import { optionalText } from "./params.js";

const PAGE_SIZE = 50;

export async function listSessions(ledger: Ledger, params: JsonObject): Promise<object> {
  const cwd = optionalText(params, "cwd");
  const cursor = optionalText(params, "cursor");
  let before = cursor === undefined ? undefined : readCursor(cursor);
  const found: { readonly at: SessionSummary; readonly session: object }[] = [];
  for (;;) {
    const batch = await ledger.sessions({ limit: PAGE_SIZE, ...(before && { before }) });
    for (const at of batch) {
      // A log that cannot be read must not hide the others.
      const session = await listed(ledger, at, cwd).catch(() => undefined);
      if (session) found.push({ at, session });
      // A store may block the whole process while it reads a log: other requests are served between two reads.
      await setImmediate();
    }
    before = batch.at(-1);
    if (batch.length < PAGE_SIZE || found.length > PAGE_SIZE) break;
  }
  const page = found.slice(0, PAGE_SIZE);
  const last = page.at(-1);
  const sessions = page.map(({ session }) => session);
  return { sessions, ...(found.length > PAGE_SIZE && last && { nextCursor: cursorAt(last.at) }) };
}

async function listed(
  ledger: Ledger,
  { sessionId, updatedAt }: SessionSummary,
  cwd: string | undefined,
): Promise<object | undefined> {
  const info = await readSessionInfo(ledger, sessionId);
  if (info.cwd === undefined || (cwd !== undefined && info.cwd !== cwd)) return undefined;
  return {
    sessionId,
    cwd: info.cwd,
    updatedAt: new Date(updatedAt).toISOString(),
    ...(info.title !== undefined && { title: info.title }),
  };
}

function cursorAt({ sessionId, createdAt, updatedAt }: SessionSummary): string {
  return Buffer.from(JSON.stringify({ sessionId, createdAt, updatedAt })).toString("base64url");
}

function readCursor(cursor: string): SessionSummary {
  try {
    const at: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (isJsonObject(at)) {
      const { sessionId, createdAt, updatedAt } = at;
      if (typeof sessionId === "string" && typeof createdAt === "number" && typeof updatedAt === "number")
        return { sessionId, createdAt, updatedAt };
    }
  } catch {
    // Reported below.
  }
  throw invalidParams("This cursor is not one that this agent gave. Nothing was listed.");
}
