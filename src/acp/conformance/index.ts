/**
 * The conformance suite: drives any ACP agent over stdio and reports which requirements it meets.
 *
 * Invariants: no library of the protocol stands between the agent and the checks; a check judges the record and never
 * the agent's own claims; an agent that hangs, crashes or floods costs its time and nothing else.
 */
export type { Level } from "./requirement.js";
export { requirementsOf } from "./requirements-of.js";
export { chosenRequirements, runConformance } from "./run-conformance.js";
export type { ConformanceOptions, ConformanceReport, JudgedRequirement } from "./run-conformance.js";
