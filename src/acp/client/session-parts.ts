/** State that the parts of a foreign session share: one gate, and one order of events. */
import type { SessionBook } from "../../call/index.js";
import type { Gate } from "../../run/index.js";
import type { ReportedCalls } from "../../run/reported-calls.js";
import type { Workspace } from "../../tools/index.js";
import type { Inbox } from "./inbox.js";
import type { ClientDialect } from "../client-dialect.js";
import type { RefusalReasons } from "./refusal-reasons.js";
import type { UnannouncedCalls } from "./unannounced-calls.js";
import type { UpdateFold } from "./update-fold.js";

export type SessionParts = {
  /** The agent's name. */
  readonly agent: string;
  readonly dialect: ClientDialect;
  readonly workspace: Workspace;
  readonly book: SessionBook;
  readonly gate: Gate;
  /** The calls that the agent runs. */
  readonly reported: ReportedCalls;
  readonly inbox: Inbox;
  readonly fold: UpdateFold;
  readonly unannounced: UnannouncedCalls;
  /** Undefined for an agent that takes reasons with the answer. */
  readonly reasons: RefusalReasons | undefined;
  /** The turn is being cancelled: nothing is asked any more. */
  readonly isCancelling: () => boolean;
  readonly now: () => number;
};
