/** Names the folder of the run's PostgreSQL server, and stops the server when a test has started it. */
import { existsSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stopServer } from "../src/history/postgres/postgres-server.samples.js";

export default function setup(): () => Promise<void> {
  const folder = join(tmpdir(), `toolgate-postgres-${process.pid}`);
  process.env["TOOLGATE_POSTGRES_FOLDER"] = folder;
  return async () => {
    if (!existsSync(folder)) return;
    await stopServer(folder, "immediate").catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  };
}
