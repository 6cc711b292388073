/** The model that a session was begun with, as the options that are stored with the session name it. */
import type { SessionInfo } from "./session.js";

export type SessionModel = {
  readonly model?: string;
  /** At an address of the user's own, where the provider's prices do not hold. */
  readonly isElsewhere: boolean;
};

export function sessionModel({ _meta }: SessionInfo): SessionModel {
  const ours = _meta?.["toolgate"];
  const flags = isObject(ours) && isObject(ours["flags"]) ? ours["flags"] : {};
  const { model, baseUrl } = flags;
  return { ...(typeof model === "string" && { model }), isElsewhere: baseUrl !== undefined };
}

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null;
