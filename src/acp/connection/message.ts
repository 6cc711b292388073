/** JSON-RPC 2.0 as ACP uses it: the three messages, the errors, and what an id may be. */
export type RequestId = string | number | null;

/** A message that was read from the other side: an object, and nothing else is known of it yet. */
export type Incoming = { readonly [key: string]: unknown };

export const CODE = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  cancelled: -32800,
  authRequired: -32000,
  notFound: -32002,
  unsupportedVersion: -32022,
} as const;

/** An error that goes over the wire as it is: its message is written for the other side. */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
    this.name = "RpcError";
  }
}

/** Editors offer to sign in when a session is refused this way. */
export const authRequired = (message: string): RpcError => new RpcError(CODE.authRequired, message);

export const invalidParams = (message: string): RpcError => new RpcError(CODE.invalidParams, message);
