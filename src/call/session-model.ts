/** The model that a session was started with, by the options that are stored with the session. */
import type { SessionInfo } from "./session.js";

export type SessionModel = {
  readonly model?: string;
  /** The model has a custom address, where the provider's prices do not apply. */
  readonly isElsewhere: boolean;
};

export function sessionModel({ _meta }: SessionInfo): SessionModel {
  const ours = _meta?.["toolgate"];
  const flags = isObject(ours) && isObject(ours["flags"]) ? ours["flags"] : {};
  // A server records the model itself for sessions of apps, which no options of a terminal started.
  const served = isObject(ours) && isObject(ours["served"]) ? ours["served"] : {};
  const { model = served["model"], baseUrl } = flags;
  return {
    ...(typeof model === "string" && { model }),
    isElsewhere: baseUrl !== undefined || served["isElsewhere"] === true,
  };
}

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null;
