/**
 * The page's side of our API, for browsers and for Node.
 *
 * Invariants: no Node builtin and no package is imported; a stream that breaks is resumed after its last event; a refusal
 * is a `ServeError` with its `status` and `problem`.
 */
export { AapError as ServeError } from "../../aap/client/aap-error.js";
export type { AapErrorCode as ServeErrorCode } from "../../aap/client/aap-error.js";
export type { RecordedSessionEvent } from "../../aap/client/follow-session.js";
export type {
  AgentChoice,
  Device,
  DeviceRole,
  Devices,
  LoginRequest,
  Me,
  Pairing,
  PairingRequest,
} from "../api/access-bodies.js";
export type { CallDetail, CallEvents, LifeEvent } from "../api/call-bodies.js";
export type { CommandOutput, CommandQuery, Commands, Stopped, StopRequest } from "../api/command-bodies.js";
export type {
  HistoryCall,
  HistoryMessage,
  HistoryPage,
  HistoryQuery,
  Statistics,
  StatisticsQuery,
} from "../api/history-bodies.js";
export type { LiveFrame, LiveQuery } from "../api/live-frames.js";
export type { Notifications, NotifyTest, PushSubscription } from "../api/notify-bodies.js";
export type {
  AnswerRequest,
  Answered,
  CommandPart,
  CommandReading,
  EarlierAnswers,
  GrantWidth,
  Inbox,
  InboxQuestion,
  LinkedAnswerRequest,
  PartVerdict,
  QuestionDetail,
  QuestionLink,
  QuestionLinkRequest,
  QuestionQuery,
  QuestionState,
  TurnLiveness,
} from "../api/question-bodies.js";
export type { ReplayMoment, ReplayQuery } from "../api/replay-bodies.js";
export type {
  AddedRule,
  FolderQuery,
  ListedRule,
  NewRule,
  RuleList,
  RuleTest,
  RuleTested,
  SuggestionQuery,
  Suggestions,
  TrustRequest,
} from "../api/rule-bodies.js";
export type {
  CallEntry,
  CancelRequest,
  Cancelled,
  Compacted,
  EntriesPage,
  EntriesQuery,
  ExportFormat,
  FileNames,
  FileQuery,
  MessageEntry,
  NewSession,
  NewSessionRequest,
  PromptBlock,
  PromptRequest,
  Prompted,
  SessionChange,
  SessionDetail,
  SessionDoor,
  SessionEntry,
  SessionPage,
  SessionQuery,
  SessionState,
  SessionSummary,
  SessionTurn,
  TokenUsage,
  UndoRequest,
  Undone,
} from "../api/session-bodies.js";
export type { LiveOptions, LiveStatus } from "./live-frames.js";
export type { KeyStore } from "./device-key.js";
export { ServeClient } from "./serve-client.js";
export type { ServeClientOptions } from "./serve-client.js";
