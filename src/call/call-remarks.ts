/** Sentences beside a call's result: what people changed or wrote when they allowed it, and what they have undone since. */
import type { Decision, ToolCall } from "./tool-call.js";

/** The input that ran, where a person changed it; the call itself keeps the input as the model wrote it. */
export function changedInputRemarks({ decision, rawInput, times, state }: ToolCall): readonly string[] {
  if (state.status === "refused" || times.answered === undefined) return [];
  if (decision?.rejectedHunks !== undefined) return [partRemark(decision.rejectedHunks)];
  return decision?.originalInput === undefined
    ? []
    : [`[The user changed the input before it ran. The call ran with: ${JSON.stringify(rawInput)}]`];
}

const partRemark = (rejected: NonNullable<Decision["rejectedHunks"]>): string =>
  `[The user kept a part of this edit and rejected the rest. Not applied: ${rejected.map(({ number, line }) => `hunk ${number} of its diff, at line ${line} of the file before it`).join("; ")}. Do not make a rejected change again unless the user asks for it. Read the file before you edit it again.]`;

/** All remarks, in the order in which the model gets them. */
export const modelRemarks = (call: ToolCall): readonly string[] => [
  ...changedInputRemarks(call),
  ...reasonRemarks(call),
  ...undoRemarks(call),
];

function reasonRemarks({ decision, times, state }: ToolCall): readonly string[] {
  if (state.status === "refused" || times.answered === undefined || decision?.by !== "person") return [];
  return decision.reason === undefined ? [] : [`[The user said: ${decision.reason}]`];
}

/** Without them the model would build on files that are no longer there. */
const undoRemarks = ({ times, undoneHunks }: ToolCall): readonly string[] =>
  times.undone === undefined
    ? undoneHunks === undefined
      ? []
      : [
          `[The user has undone a part of this call since: hunk ${undoneHunks.join(", ")} of its diff. The rest is kept. Read the file before you edit it again.]`,
        ]
    : ["[The user has undone this call since: the files that it changed are as they were before it.]"];
