/** The options of a gate, its requests and its results. */
import { AMOUNT, FUNCTION, having, OBJECT, required, WORKSPACE } from "../call/check-options.js";
import type { OptionChecks } from "../call/check-options.js";
import type { Verdict } from "../policy/index.js";
import type { Tool, Toolbox, Workspace } from "../tools/index.js";
import type { TakeChildStep } from "./call-runner.js";
import type { Judge } from "./call-check.js";
import type { Ask } from "./wait-for-answers.js";
import type { Remember } from "./settle-answers.js";
import type { Elicit } from "./run-call.js";
import type { SessionRecord } from "../record/index.js";

type RulesChanges = (onChange: () => void) => () => void;

export type GateOptions = {
  readonly record: SessionRecord;
  readonly toolbox: Toolbox;
  /** Returns the verdict of the rules on an intent. */
  readonly judge: Judge;
  readonly workspace: Workspace;
  /** Called for each call that a rule allowed. */
  readonly onCleared?: ((verdict: Verdict) => void) | undefined;
  /** Stores the rules of an "always". Without it no question offers one. */
  readonly remember?: Remember | undefined;
  /**
   * Subscribes to changes of the rules, and returns the function that unsubscribes. Open questions that the changed
   * rules settle are then answered by rule. Without it, only the answers of this session are looked at.
   */
  readonly onRulesChanged?: RulesChanges | undefined;
  /** Puts questions to someone, for calls made with `call`. Without it they are refused. */
  readonly ask?: Ask | undefined;
  /** Asks the person at the other side while a call runs. */
  readonly elicit?: Elicit | undefined;
  /** Takes the sub-agents further that calls of delegating tools wait for. Without it there are none. */
  readonly childStep?: TakeChildStep | undefined;
  /** After how many milliseconds a question can no longer be answered with yes; never when left out. */
  readonly questionLifetime?: number | undefined;
  /** The time limit, in milliseconds, of a tool that has no limit of its own. */
  readonly timeLimit?: number | undefined;
  /**
   * How many milliseconds a tool may take to stop after a cancel or its time limit; then its end is recorded as
   * unknown.
   */
  readonly stopGraceMs?: number | undefined;
  /** How often the same call may be made before someone is asked. */
  readonly loopLimit?: number | undefined;
  /** Names the calls that the gate announces; `call_1`, `call_2` … when left out. */
  readonly callIds?: { next(): string } | undefined;
  readonly now?: (() => number) | undefined;
};

export const GATE_OPTIONS: OptionChecks<GateOptions> = {
  record: required(having("a record (SessionRecord.open)", "append")),
  toolbox: required(having("a toolbox (new Toolbox)", "get")),
  judge: required(FUNCTION),
  workspace: required(WORKSPACE),
  onCleared: FUNCTION,
  onRulesChanged: FUNCTION,
  remember: FUNCTION,
  ask: FUNCTION,
  elicit: FUNCTION,
  childStep: FUNCTION,
  questionLifetime: AMOUNT,
  timeLimit: AMOUNT,
  stopGraceMs: AMOUNT,
  loopLimit: AMOUNT,
  callIds: OBJECT,
  now: FUNCTION,
};

/** A call as the model asked for it. `toolCallId` when it was announced while it was being written. */
export type ToolRequest = {
  readonly name: string;
  /** The parsed JSON; a text that is no JSON stays a text and fails the tool's own check. */
  readonly input: unknown;
  readonly toolCallId?: string;
  readonly providerCallId?: string;
  readonly parentToolCallId?: string;
  /** The call of somebody else, under way, of which this is a part. */
  readonly partOf?: string;
  /**
   * Runs the call in place of the toolbox's tool: for a call from outside whose protocol fixes the form of its
   * input. The input is recorded as it came.
   */
  readonly tool?: Tool;
};

export type Submitted = {
  readonly toolCallIds: readonly string[];
  readonly settled: readonly string[];
  readonly cleared: readonly string[];
  readonly waiting: readonly string[];
};
