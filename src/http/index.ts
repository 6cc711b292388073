/**
 * WHO may connect: the one HTTP entry, for editors (`acp/`) and for apps (`aap/`).
 *
 * An admitted client can run commands with the rights of the user who started the server. Invariants: a request is
 * handled only with the token, or where it belongs to the server's own page and comes from a device of its user; for a name of this server and not from a foreign page; no byte of a refused request's body
 * is read; beyond this machine the server listens only with TLS, or when the user says that something else protects the
 * connection; the memory that one client can use is bounded.
 */
export type { RequestHeaders, Site } from "./admission.js";
export { openDoor } from "./open-door.js";
export type { DoorOptions } from "./open-door.js";
export type { DoorLimits } from "./limits.js";
export { errorBody, STATUSES } from "./problem.js";
export type { ProblemCode } from "./problem.js";
export { refuse, refuseOnSocket } from "./refuse.js";
export type { Refusal } from "./refuse.js";
export { isToken, TOKEN_RULE } from "./token.js";
