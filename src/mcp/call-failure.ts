/** Sentences about a server's failure: for the model when a call fails, for people when a start fails. */
import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { errorCode } from "../call/error-code.js";
import { errorMessage } from "../call/error-message.js";
import { oneLine, visibleText } from "../call/index.js";
import { ToolFailure } from "../tools/index.js";
import { ConnectFailure } from "./connection.js";

const MAX_MESSAGE = 2000;

export type FailedCall = {
  readonly server: string;
  readonly tool: string;
  readonly isTimeUp: boolean;
  readonly exitReport: string;
};

export function callFailure(error: unknown, { server, tool, isTimeUp, exitReport }: FailedCall): ToolFailure {
  const who = oneLine(`${server}/${tool}`, 200);
  if (isTimeUp) {
    return new ToolFailure(
      `${who} took too long and was asked to stop. The call may have taken effect in part or in whole: check before you try again.`,
    );
  }
  if (error instanceof SdkHttpError) {
    return new ToolFailure(
      `${who}: the server answered with HTTP ${error.status}. The call may have taken effect. ${messageOf(error)}`,
    );
  }
  if (isClosed(error)) {
    return new ToolFailure(
      `${who}: the MCP server "${oneLine(server, 60)}" ended while the call was running${exitReport === "" ? "" : `; ${exitReport}`}\nThe call may have taken effect: check before you try again.`,
    );
  }
  if (error instanceof ProtocolError) {
    return new ToolFailure(`${who} answered with an error (${error.code}): ${messageOf(error)}`);
  }
  return new ToolFailure(
    `${who} sent a response that cannot be read: ${messageOf(error)} The call may have taken effect.`,
  );
}

/** The server forgot our session, or nobody is there any more: a new connection is needed. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof SdkHttpError) return error.status === 404 || error.status === 400;
  // Any error that is neither a server's nor the library's comes from the transport.
  return !(error instanceof SdkError || error instanceof ProtocolError);
}

function isClosed(error: unknown): boolean {
  const codes: readonly unknown[] = [SdkErrorCode.ConnectionClosed, SdkErrorCode.NotConnected];
  return error instanceof SdkError && codes.includes(error.code);
}

/** `isForGood`: starting it again would not help. */
export function startFailure(
  error: unknown,
  words: string,
): { readonly reason: string; readonly isForGood: boolean } {
  const cause = error instanceof ConnectFailure ? error.cause : error;
  const exitReport = (error instanceof ConnectFailure && error.exitReport) || words;
  const code = errorCode(cause);
  if (code === "ENOENT" || code === "EACCES" || code === "ENOTDIR") {
    return {
      reason: `its program or its folder cannot be found or run (${code}: ${messageOf(cause)}). No shell reads the command: it is one program's name. Nothing was run.`,
      isForGood: true,
    };
  }
  if (isClosed(cause) && exitReport !== "") return { reason: exitReport, isForGood: false };
  const isRefusal =
    cause instanceof SdkError || cause instanceof ProtocolError || cause instanceof UnauthorizedError;
  const isForGood = isRefusal && !isClosed(cause);
  const report = exitReport === "" ? "" : ` ${exitReport}`;
  return { reason: `it could not be connected to: ${messageOf(cause)}${report}`, isForGood };
}

function messageOf(error: unknown): string {
  const message = errorMessage(error);
  const inner = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : "";
  return visibleText(`${message}${inner}`.slice(0, MAX_MESSAGE), { keepNewlines: true });
}
