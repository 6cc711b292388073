/**
 * MAY it: the intent of a call, and the rules' verdict on it.
 *
 * Invariants: the code is pure and fails closed. Deny beats ask beats allow, in any order; a call that no rule covers
 * is asked about; every decision names its rule and lists what it saw. A shell text is parsed and never matched as a
 * string; anything dynamic, or not known to be harmless, is asked about. Rules are consent management: they decide
 * what needs a question and what runs; they do not isolate what runs.
 */
export { decide } from "./decide.js";
export type { Containment } from "./contained/containment.js";
export type { PathGuard } from "./contained/rule-guards.js";
export type { Policy } from "./policy.js";
export type { Verdict } from "./verdict.js";
export { grantSentence } from "./grants/grant.js";
export type { Grant, GrantScope, GrantWidth, Proposal } from "./grants/grant.js";
export { proposeDenials } from "./grants/propose-denials.js";
export { proposeGrants } from "./grants/propose-grants.js";
export type { GrantPlaces } from "./grants/propose-grants.js";
export { hostReach } from "./hosts/host-reach.js";
export type { Reach } from "./hosts/address-reach.js";
export { intentText } from "./intent.js";
export type { Executor, Intent, PathAccess } from "./intent.js";
export { allowsCommand, namesCommand } from "./match-command.js";
export { inMode, isMode } from "./modes.js";
export type { Mode, ModeRules } from "./modes.js";
export type { UserPrograms } from "./programs/known-programs.js";
export type { ProgramData, ProgramFile } from "./programs/program-data.js";
export { userPrograms } from "./programs/user-programs.js";
export { ruleMistake } from "./rule-mistake.js";
export type { Rule, RuleEffect, RuleScope } from "./rule.js";
export { readShell } from "./shell/read-shell.js";
export type { ReadCommand, ShellReading } from "./shell/read-shell.js";
