/**
 * MAY it: what a call is really about to do, and what the rules say of it.
 *
 * What must stay true here: pure, and fail closed. Deny beats ask beats allow, whatever their order;
 * what no rule speaks of is asked; every decision names its rule. Rules are consent management: they
 * decide what is asked and what is let through, they do not isolate what then runs.
 */
export { decide } from "./decide.js";
export type { Rule, RuleEffect, Verdict } from "./decide.js";
export { intentText } from "./intent.js";
export type { Intent, PathAccess } from "./intent.js";
