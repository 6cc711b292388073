/**
 * WHO may connect: the one way by which HTTP comes in, for editors (`acp/`) and for apps (`aap/`).
 *
 * Whoever is let in can have commands run with the rights of whoever started the server. So what must stay true:
 * nobody is heard before they have shown the token, under a name of this server and from no foreign page, and of a
 * request that is turned away no byte of the body is read; beyond this machine it listens only through TLS, or when
 * told that something else guards the way; what one client can make the server keep is bounded.
 */
export { openDoor } from "./door.js";
export type { DoorOptions } from "./door.js";
export type { DoorLimits } from "./limits.js";
export { errorBody, STATUSES } from "./problem.js";
export type { ProblemCode } from "./problem.js";
export { refuse, refuseOnSocket } from "./refuse.js";
export type { Refusal } from "./refuse.js";
export { isToken, TOKEN_RULE } from "./token.js";
