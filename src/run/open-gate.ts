/** Opens a gate for a program with its own agent loop: rules, someone to ask, and a session to record in. */
import { randomUUID } from "node:crypto";
import {
  checkOptions,
  either,
  FUNCTION,
  LEDGER,
  LIST,
  OBJECT,
  required,
  TEXT,
  TOOLS,
  WORKSPACE,
} from "../call/check-options.js";
import type { OptionChecks } from "../call/check-options.js";
import type { Ledger, SessionInfo } from "../call/index.js";
import { VerdictCache } from "../policy/verdict-cache.js";
import type { Policy, Rule } from "../policy/index.js";
import { placesOf, sessionWorkspace } from "../tools/scratch/session-workspace.js";
import { LocalWorkspace, Toolbox } from "../tools/index.js";
import type { Tool, Workspace } from "../tools/index.js";
import type { Judge } from "./call-check.js";
import { Gate } from "./gate.js";
import { GATE_OPTIONS } from "./gate-options.js";
import type { GateOptions } from "./gate-options.js";
import { mustBeRules } from "./must-be-rules.js";
import { recoveryEvents } from "./recovery-events.js";
import { SessionRecord } from "../record/index.js";

export type OpenGateOptions = Omit<GateOptions, "record" | "toolbox" | "judge" | "workspace"> & {
  readonly ledger: Ledger;
  /** A folder, or a workspace that is open already. */
  readonly workspace: string | Workspace;
  readonly tools?: readonly Tool[];
  /** A call that no rule covers is asked about. */
  readonly rules?: readonly Rule[];
  /** Instead of fixed rules: returns the rules in force; called for each decision. */
  readonly policy?: () => Omit<Policy, "roots" | "home" | "now">;
  /** A new one when left out. */
  readonly sessionId?: string;
  readonly info?: SessionInfo;
};

const { record: _record, toolbox: _toolbox, judge: _judge, ...GIVEN } = GATE_OPTIONS;

const OPEN_GATE_OPTIONS: OptionChecks<OpenGateOptions> = {
  ...GIVEN,
  ledger: required(LEDGER),
  workspace: required(either({ ...TEXT, expected: "the path of a folder" }, WORKSPACE)),
  tools: TOOLS,
  rules: LIST,
  policy: FUNCTION,
  sessionId: TEXT,
  info: OBJECT,
};

export async function openGate(options: OpenGateOptions): Promise<Gate> {
  checkOptions("openGate", options, OPEN_GATE_OPTIONS);
  const {
    ledger,
    tools = [],
    rules = [],
    sessionId = `session_${randomUUID()}`,
    info: given,
    policy = () => ({ rules }),
    workspace: place,
    ...gateOptions
  } = options;
  const { now = Date.now } = gateOptions;
  mustBeRules(rules);
  const opened = typeof place === "string" ? await LocalWorkspace.open(place) : place;
  const workspace = await sessionWorkspace(opened, sessionId);
  const verdicts = new VerdictCache();
  const judge: Judge = (intent, also = []) => {
    const inForce = { ...policy(), ...placesOf(workspace), now: now() };
    return verdicts.decide(intent, inForce, also);
  };
  const record = await SessionRecord.open(ledger, sessionId, {
    owner: `gate ${process.pid} ${randomUUID()}`,
  });
  try {
    if (record.seq === 0) {
      const info = { cwd: workspace.root, ...given };
      await record.append([{ type: "info-changed", at: now(), info }], { durable: true });
    }
    await record.append(await recoveryEvents(record, now), { durable: true });
    return new Gate({ ...gateOptions, record, toolbox: new Toolbox(tools), judge, workspace });
  } catch (error) {
    await record.close();
    throw error;
  }
}
