/**
 * The conformance suite: drives any ACP agent over stdio and says what holds and what does not.
 *
 * What must stay true here: nothing of the protocol's libraries stands between the agent and the checks; a
 * check judges what was recorded and never the agent's word for it; an agent that hangs, dies or floods costs
 * its time and nothing else.
 */
export type { Level } from "./requirement.js";
export { requirementsOf } from "./requirements.js";
export { chosenRequirements, runConformance } from "./run-conformance.js";
export type { ConformanceOptions, ConformanceReport, JudgedRequirement } from "./run-conformance.js";
