import type { Intent } from "../intent.js";
import type { Proposal } from "./grant.js";
import { proposeGrants } from "./propose-grants.js";
import type { GrantPlaces } from "./propose-grants.js";

/** The narrowest "always" for an intent. */
export const exactGrant = (intent: Intent, places: GrantPlaces): Proposal | undefined =>
  proposeGrants(intent, places).find(({ width }) => width === "exact");
