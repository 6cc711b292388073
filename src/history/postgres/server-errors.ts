/**
 * Errors of the server and its driver, in our own words.
 *
 * Invariants: no message has the address's password. The message for clients on other machines does not name the server.
 */
import { errorCode } from "../../call/error-code.js";
import { LedgerError } from "../../call/index.js";
import { LedgerFileError } from "../ledger-file-error.js";
import type { LedgerFileErrorCode } from "../ledger-file-error.js";
import type { PostgresAddress } from "./postgres-address.js";

/**
 * The connection ended during a statement: nobody knows whether the statement took effect. Without `wasSent` there was no
 * connection to send it on, so it did not.
 */
export class ConnectionLost extends Error {
  constructor(
    message: string,
    readonly wasSent: boolean,
  ) {
    super(message);
  }
}

type Words = {
  readonly address: PostgresAddress;
  /** `server`: how the message names the server; `why`: the driver's words, or nothing. */
  readonly words: (server: string, why: string) => string;
  readonly cause?: unknown;
};

export function serverError(code: LedgerFileErrorCode, { address, words, cause }: Words): LedgerFileError {
  const why = cause === undefined ? "" : ` (${messageOf(cause)})`;
  return new LedgerFileError(code, words(`the server of ${address.shown}`, why), {
    messageWithoutPath: words("the server of the ledger", ""),
    ...(cause !== undefined && { cause }),
  });
}

/** The error with our own words; one that says nothing to a user is returned as it is. */
export function namedError(error: unknown, address: PostgresAddress, { isConnecting = false } = {}): unknown {
  if (error instanceof ConnectionLost || error instanceof LedgerError || error instanceof LedgerFileError)
    return error;
  const code = errorCode(error) ?? "";
  if (isLost(error)) return new ConnectionLost(messageOf(error), !isConnecting);
  if (code === DISK_FULL)
    return serverError("LEDGER_FULL", {
      address,
      words: (server) => `The disk of ${server} is full. Nothing was recorded; make room there.`,
    });
  if (code === READ_ONLY) return onlyReads(address);
  if (code === NO_RIGHT)
    return serverError("LEDGER_READ_ONLY", {
      address,
      words: (server, why) =>
        `This user may not use the tables of ${server}${why}. Nothing was done; name the role that owns them, or give this one its rights.`,
      cause: error,
    });
  if (isConnecting || REFUSED.test(code))
    return serverError("LEDGER_FAILED", {
      address,
      words: (server, why) =>
        `${capital(server)} refused us${why}. Nothing was opened; check the user, the password and the database.`,
      cause: error,
    });
  return error;
}

export const onlyReads = (address: PostgresAddress): LedgerFileError =>
  serverError("LEDGER_READ_ONLY", {
    address,
    words: (server) =>
      `${capital(server)} only reads: it may be a standby. Nothing was recorded; name the primary server.`,
  });

/** `hasAnswered`: the server was there before. */
export const unreachable = (
  address: PostgresAddress,
  cause: ConnectionLost,
  hasAnswered: boolean,
): LedgerFileError =>
  serverError("LEDGER_UNREACHABLE", {
    address,
    words: (server, why) =>
      hasAnswered
        ? `${capital(server)} cannot be reached${why}. Nothing more is recorded until it is back; look at it and at the network.`
        : `${capital(server)} cannot be reached${why}. Nothing was opened; start it, or correct the address.`,
    cause,
  });

/** Whether the server said that this user lacks a right. */
export const lacksRight = (error: unknown): boolean =>
  error instanceof LedgerFileError && errorCode(error.cause) === NO_RIGHT;

const DISK_FULL = "53100";
const READ_ONLY = "25006";
const NO_RIGHT = "42501";
/** Wrong password, no such role, no such database. */
const REFUSED = /^(?:28|3D)/;
/** Connection failures, too many connections, shutdown, crash of the server, starting up. */
const LOST_STATE = /^(?:08|53300|57P0[1-5])/;
const LOST_SYSTEM = /^E(?:CONN|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN|NOENT)/;
const LOST_MESSAGE = /connection terminated|connection ended|timeout exceeded|client has encountered/iu;

/** The driver gives some of its own errors no code: only their texts tell them apart. */
export function isLost(error: unknown): boolean {
  if (error instanceof ConnectionLost) return true;
  const code = errorCode(error);
  if (code !== undefined) return LOST_STATE.test(code) || LOST_SYSTEM.test(code);
  // A name with several addresses fails with all of their errors.
  if (error instanceof AggregateError) return error.errors.some(isLost);
  return error instanceof Error && LOST_MESSAGE.test(error.message);
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
