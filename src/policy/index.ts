/**
 * MAY it: what a call is really about to do, and what the rules say of it.
 *
 * What must stay true here: pure, and fail closed. Deny beats ask beats allow, whatever their order; what
 * no rule speaks of is asked; every decision names its rule and says what it saw. A shell text is parsed
 * and never matched as a string; what is dynamic, or not known to be harmless, is asked. Rules are consent
 * management: they decide what is asked and what is let through, they do not isolate what then runs.
 */
export { decide } from "./decide.js";
export type { Policy, Verdict } from "./decide.js";
export { proposeDenial, proposeGrant } from "./grant.js";
export type { Grant, GrantScope, Proposal } from "./grant.js";
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
export { ruleMistake } from "./rule.js";
export type { Rule, RuleEffect, RuleScope } from "./rule.js";
export { readShell } from "./shell/read-shell.js";
export type { ReadCommand, ShellReading } from "./shell/read-shell.js";
