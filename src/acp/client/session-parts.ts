/** What the parts of a foreign session share: one record, one order of things, one place where it is decided. */
import type { SessionRecord } from "../../record/index.js";
import type { Workspace } from "../../tools/index.js";
import type { Breaches } from "./breaches.js";
import type { Decisions } from "./decisions.js";
import type { Inbox } from "./inbox.js";
import type { ClientDialect } from "../client-dialect.js";
import type { UpdateFold } from "./update-fold.js";

export type SessionParts = {
  /** The agent's name. */
  readonly agent: string;
  readonly spoken: ClientDialect;
  readonly workspace: Workspace;
  readonly record: SessionRecord;
  readonly decisions: Decisions;
  readonly breaches: Breaches;
  readonly inbox: Inbox;
  readonly fold: UpdateFold;
  /** The turn is being cancelled: nothing is asked any more. */
  readonly isCancelling: () => boolean;
  /** A question was recorded. */
  readonly onAsked: () => void;
  /** Takes a question back that nobody wants answered any more. */
  readonly takeBack: (toolCallId: string, reason: string) => Promise<boolean>;
  readonly now: () => number;
};
