/**
 * The driver's client with a password of the passfile (PGPASSFILE, `~/.pgpass`) where the address and PGPASSWORD have none.
 * The file is read for each connection, so that a new password needs no restart.
 */
import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Client, ClientConfig } from "pg";
import type { PostgresAddress } from "./postgres-address.js";
import { serverError } from "./server-errors.js";

type ClientClass = new (config?: ClientConfig) => Client;
type Connected = (error: Error | null) => void;
type Target = Readonly<Record<"host" | "port" | "database" | "user", string | number | undefined>>;

export function serverClient(Base: ClientClass, address: PostgresAddress): ClientClass {
  return class extends Base {
    constructor(config?: ClientConfig) {
      super(config);
      // The driver calls it when the server asks for a password.
      if (!this.password)
        Object.assign(this, { password: (target: Target) => passfilePassword(target, address) });
    }

    override connect(): Promise<Client>;
    override connect(callback: Connected): void;
    override connect(callback?: Connected): Promise<Client> | void {
      if (!callback)
        return new Promise((resolve, reject) =>
          this.connect((error) => (error === null || error === undefined ? resolve(this) : reject(error))),
        );
      super.connect((error: Error | null) => {
        // The driver leaves a connection open that it gave up by itself, and the process would wait for its end.
        if (error) void this.end();
        callback(error);
      });
    }
  };
}

/** Throws when there is none: the driver's own words would not say so. */
async function passfilePassword(target: Target, address: PostgresAddress): Promise<string> {
  const file = process.env["PGPASSFILE"] ?? defaultFile();
  const noPassword = (why: string) =>
    serverError("LEDGER_FAILED", {
      address,
      words: (server) =>
        `${server.replace(/^t/u, "T")} wants a password, and ${why}. Nothing was opened; set PGPASSWORD or a passfile.`,
    });
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined)
    throw noPassword(`none was given: the address and PGPASSWORD have none, and ${file} cannot be read`);
  if (process.platform !== "win32" && ((await stat(file)).mode & 0o077) !== 0)
    throw noPassword(`others can read the passfile ${file}, so it was not used (run chmod 600 on it)`);
  const password = passwordIn(text, target);
  if (password === undefined) throw noPassword(`no line of the passfile ${file} is for it`);
  return password;
}

const defaultFile = (): string =>
  process.platform === "win32"
    ? join(process.env["APPDATA"] ?? homedir(), "postgresql", "pgpass.conf")
    : join(homedir(), ".pgpass");

/** The password of the first line that fits: `host:port:database:user:password`, where `*` fits everything and `\` keeps a colon. */
export function passwordIn(text: string, { host, port, database, user }: Target): string | undefined {
  const wanted = [host, port, database, user].map(String);
  for (const line of text.split(/\r?\n/u)) {
    if (line.startsWith("#")) continue;
    const fields = [...line.matchAll(/((?:\\.|[^\\:])*)(:|$)/gu)].map(([, field = ""]) =>
      field.replaceAll(/\\(.)/gu, "$1"),
    );
    const fits = wanted.every((value, index) => fields[index] === "*" || fields[index] === value);
    if (fits && fields[4] !== undefined && fields[4] !== "") return fields[4];
  }
  return undefined;
}
