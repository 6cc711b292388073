/**
 * A requirement for an agent, and the finding about it.
 *
 * A requirement is data with one check. Checks are pure: they read the record and never talk to the agent, so that one
 * conversation can serve many of them and a hung agent costs its time once.
 */
import type { Evidence } from "./evidence.js";

/**
 * - `mandatory`: every agent must.
 * - `capability`: an agent that advertises it, or does it, must do it so.
 * - `advisory`: it should.
 * - `info`: only reported, never judged.
 */
export type Level = "mandatory" | "capability" | "advisory" | "info";

export type Finding =
  | { readonly verdict: "pass"; readonly note?: string }
  | { readonly verdict: "fail"; readonly seen: string }
  | { readonly verdict: "not tested"; readonly why: string };

export type Requirement = {
  /** Ids of the protocol's own test kit begin with `ACP-`, ours with `TOOLGATE-`. */
  readonly id: string;
  readonly level: Level;
  /** The requirement in one sentence. */
  readonly text: string;
  /** The scenes that its check reads; they are run for it. */
  readonly scenes: readonly SceneName[];
  readonly check: (evidence: Evidence) => Finding;
};

/** The conversations that can be held with an agent; see scenes/. */
export type SceneName =
  | "manners"
  | "hello"
  | "future"
  | "past"
  | "noise"
  | "turn"
  | "contents"
  | "refused"
  | "unoffered"
  | "cancelled"
  | "cancelled-question"
  | "closed"
  | "loaded"
  | "resumed";

export type ProtocolVersion = 1 | 2;

export const PASS: Finding = { verdict: "pass" };
export const passed = (note: string): Finding => ({ verdict: "pass", note });
export const failed = (seen: string): Finding => ({ verdict: "fail", seen });
export const untested = (why: string): Finding => ({ verdict: "not tested", why });
