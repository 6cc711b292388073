/** The rules in force for a call, and the places that they are about. */
import type { UserPrograms } from "./programs/known-programs.js";
import type { Rule, RuleEffect } from "./rule.js";

/** Servers that contained commands of a session leave in the sandbox. */
export type Staying = {
  /** A sandbox with such servers runs now: the session's contained commands reach them. */
  readonly isRunning: boolean;
  /** Whether only somebody outside of the sandbox listens on the port now. */
  readonly isOutside: (port: number) => boolean;
};

export type Policy = {
  readonly rules: readonly Rule[];
  /** The effect for an intent that no rule names. */
  readonly default?: RuleEffect;
  /** The folders of the workspace, as real paths. */
  readonly roots: readonly string[];
  readonly home: string;
  /** The session's own folder for temporary files, as a real path; reading and changing files there needs no rule. */
  readonly scratch?: string;
  /** Toolgate's own files, which no tool may read or change. */
  readonly own?: readonly string[];
  /** Milliseconds since 1970; without it no rule's time is up. */
  readonly now?: number;
  /** Descriptions of programs that the user added. */
  readonly programs?: UserPrograms;
  /** A sandbox was proved to hold: commands can run contained in it. */
  readonly canContain?: boolean;
  /** Why the sandbox that is set up is not used now. A question about a command that it would contain shows this. */
  readonly notContaining?: string;
  /** Set where contained commands may leave servers that keep running. */
  readonly staying?: Staying;
};
