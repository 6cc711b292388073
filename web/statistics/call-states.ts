/** The ends that calls come to, as the statistics count and draw them: each call is in exactly one. */
import type { CallStatistics } from "toolgate/call";

type StateName = "done" | "failed" | "refused" | "cancelled" | "unknown" | "open";

export type CallState = {
  readonly name: StateName;
  readonly fill: string;
  /** Named also where no call came to it. */
  readonly isAlways?: boolean;
};

/** From the foot of a bar to its top. */
export const CALL_STATES: readonly CallState[] = [
  { name: "done", fill: "f-c2", isAlways: true },
  { name: "failed", fill: "f-c5", isAlways: true },
  { name: "refused", fill: "f-ink", isAlways: true },
  { name: "cancelled", fill: "f-empty" },
  { name: "unknown", fill: "f-unknown" },
  { name: "open", fill: "f-c4" },
];

type Counts = Pick<CallStatistics, StateName>;

export const namedStates = (counts: Counts): readonly CallState[] =>
  CALL_STATES.filter(({ name, isAlways }) => isAlways === true || counts[name] > 0);

export type StackPart = CallState & { readonly from: number; readonly to: number };

/** The parts of a bar, each on top of the one before; those without a call are left out. */
export function stackOf(counts: Counts): readonly StackPart[] {
  let from = 0;
  return CALL_STATES.flatMap((state) => {
    const part = { ...state, from, to: from + counts[state.name] };
    from = part.to;
    return part.to > part.from ? [part] : [];
  });
}
