/** The parts of a gate, made from its options: what checks, decides, settles and runs calls. */
import { ToolCallIds } from "../call/index.js";
import type { Verdict } from "../policy/index.js";
import { Approvals } from "./approvals.js";
import { CallRunner } from "./call-runner.js";
import { CallTools } from "./call-tools.js";
import { CallCheck } from "./check-call.js";
import { Decisions } from "./decisions.js";
import type { GateOptions } from "./gate-options.js";
import { LOOP_LIMIT, LoopGuard } from "./loop-guard.js";
import { SettleAnswers } from "./settle-answers.js";
import { CallSubmission } from "./submit-call.js";

const TIME_LIMIT_MS = 600_000;
const STOP_GRACE_MS = 10_000;

export type GateParts = ReturnType<typeof gateParts>;

/** `reportedVerdict`: what the rules say by now of a call that somebody else runs. */
export function gateParts(
  options: GateOptions,
  reportedVerdict: (toolCallId: string) => Verdict | undefined,
) {
  const { record, judge, workspace, remember, onCleared, childStep, elicit, now = Date.now } = options;
  const tools = new CallTools(options.toolbox);
  const loops = new LoopGuard(record.book, options.loopLimit ?? LOOP_LIMIT);
  const approvals = new Approvals(now);
  const decisions = new Decisions({
    record,
    judge,
    roots: workspace.roots,
    remember,
    onCleared,
    questionLifetimeMs: options.questionLifetime,
    now,
  });
  const check = new CallCheck({ workspace, judge, decisions, approvals, loops, now });
  const shared = { record, tools, judge, check, now };
  const runner = new CallRunner({
    ...shared,
    decisions,
    approvals,
    workspace,
    childStep,
    elicit,
    timeLimit: options.timeLimit ?? TIME_LIMIT_MS,
    stopGraceMs: options.stopGraceMs ?? STOP_GRACE_MS,
  });
  const callIds = options.callIds ?? new ToolCallIds(record.book);
  const submission = new CallSubmission({ tools, check, callIds, now });
  const answers = new SettleAnswers({ ...shared, loops, remember, reportedVerdict });
  return { ...shared, loops, approvals, decisions, runner, submission, answers };
}
