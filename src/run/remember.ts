/** Storing what an "always" says. */
import type { Proposal } from "../policy/index.js";

/** `grantId` is the question's, so that an answer which is taken up twice is stored once. */
export type RememberedGrant = Proposal & {
  readonly grantId: string;
  readonly scope: "session" | "project" | "user";
  readonly expiresAt?: number;
};

/** Returns when the rules hold. Throws when they could not be stored. */
export type Remember = (grant: RememberedGrant) => Promise<void>;
