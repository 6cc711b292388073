/** The gate of a foreign agent's session: for the calls that the agent runs, and for those that we run for it. */
import { answeredElsewhere } from "../../run/askers.js";
import { emitWarning } from "../../run/emit-warning.js";
import { Gate } from "../../run/index.js";
import type { SessionRecord } from "../../record/index.js";
import type { ReportedCalls } from "../../run/reported-calls.js";
import { Toolbox } from "../../tools/index.js";
import { AgentReports } from "./agent-reports.js";
import { ProxiedIds } from "./call-ids.js";
import { judgeFor } from "./foreign-session-options.js";
import type { ForeignSessionOptions } from "./foreign-session-options.js";
import type { Inbox } from "./inbox.js";
import type { UpdateFold } from "./update-fold.js";

export type ForeignGateParts = {
  readonly record: SessionRecord;
  readonly fold: UpdateFold;
  readonly inbox: Inbox;
  /** The agent's name. */
  readonly agent: string;
  readonly now: () => number;
};

export function foreignGate(
  options: ForeignSessionOptions,
  { record, fold, inbox, agent, now }: ForeignGateParts,
): { readonly gate: Gate; readonly reported: ReportedCalls } {
  const { workspace, remember, onRulesChanged, onCleared, limits } = options;
  const place = { root: workspace.root, sessionId: record.sessionId };
  const gate = new Gate({
    ...limits,
    record,
    // A proxied call brings its tool.
    toolbox: new Toolbox([]),
    judge: judgeFor(options, place, { now }),
    workspace,
    remember: remember && ((grant) => remember(grant, place)),
    onRulesChanged,
    onCleared: onCleared && ((verdict) => onCleared(verdict, place)),
    ask: answeredElsewhere,
    callIds: new ProxiedIds(record.book),
    now,
  });
  const reported = gate.reportedBy({
    reports: new AgentReports(fold, record.book, { cwd: workspace.root, agent, workspace }),
    judgeByRule: judgeFor(options, place, { now, isByRule: true }),
    later: (make) => void inbox.do(async () => record.append(await make())).catch(emitWarning),
  });
  return { gate, reported };
}
