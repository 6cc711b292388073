// Where the sample agents keep their sessions, so that another process can open them again.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = process.env.STATE ?? join(tmpdir(), "toolgate-sample-agent");
mkdirSync(folder, { recursive: true });
const file = (sessionId) => join(folder, `${sessionId}.json`);

export const newId = (word) => `${word}_${randomUUID().slice(0, 8)}`;
export const save = (session) =>
  writeFileSync(file(session.sessionId), JSON.stringify({ ...session, stop: undefined }));
export const forget = (sessionId) => rmSync(file(sessionId));
export function load(sessionId) {
  try {
    return JSON.parse(readFileSync(file(sessionId), "utf8"));
  } catch {
    return undefined;
  }
}
export const all = () => readdirSync(folder).flatMap((name) => load(name.replace(".json", "")) ?? []);
