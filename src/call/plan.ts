/** The agent's to-do list. Every update is the whole list and replaces the one before. */
import type { Meta } from "./content.js";

export type PlanPriority = "high" | "medium" | "low";
export type PlanStatus = "pending" | "in_progress" | "completed" | "cancelled";

export type PlanEntry = {
  readonly content: string;
  readonly priority: PlanPriority;
  readonly status: PlanStatus;
  /** The calls that work on this entry. */
  readonly toolCallIds?: readonly string[];
  readonly _meta?: Meta | null;
};
