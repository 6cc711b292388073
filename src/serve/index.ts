/**
 * OUR API for the page: sessions of all doors, questions, calls, history, rules and devices over HTTP, beside AAP.
 *
 * Invariants: everything that it shows is read from the ledger, the archive and the settings, and everything that it does
 * goes through the rooms that own it, so that there is no second truth; only a device with the right role does anything;
 * a question is seen wherever it was asked, and answered once.
 */
export { Devices } from "./access/devices.js";
export type { DeviceRole } from "./api/access-bodies.js";
export { qrText } from "./access/qr-code.js";
export { servePage } from "./server/serve-page.js";
export type { PageOptions } from "./server/serve-page.js";
export type { NewDemo, RunsSession, ServeContext } from "./server/serve-context.js";
