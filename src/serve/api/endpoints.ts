/**
 * Every endpoint of the page's API: what it takes, what it answers, and which device may use it. The router, the checks of
 * access and the OpenAPI document are all made from this table.
 */
import { z } from "zod";
import type { Endpoint } from "../../aap/api/endpoints.js";
import { agentChoice, device, devices, loginRequest, me, pairing, pairingRequest } from "./access-bodies.js";
import type { DeviceRole } from "./access-bodies.js";
import { callDetail, callEvents } from "./call-bodies.js";
import { commands, stopped, stopRequest } from "./command-bodies.js";
import { historyPage, historyQuery, statistics, statisticsQuery } from "./history-bodies.js";
import { liveFrame, liveQuery } from "./live-frames.js";
import { notifications, notifyTest, pushSubscription } from "./notify-bodies.js";
import {
  answered,
  answerRequest,
  inbox,
  inboxQuestion,
  linkedAnswerRequest,
  questionDetail,
  questionLink,
  questionLinkRequest,
  questionQuery,
} from "./question-bodies.js";
import {
  addedRule,
  folderQuery,
  newRule,
  ruleList,
  ruleTest,
  ruleTested,
  suggestionQuery,
  suggestions,
  trustRequest,
} from "./rule-bodies.js";
import {
  cancelled,
  cancelRequest,
  entriesPage,
  entriesQuery,
  exportFormat,
  newSession,
  newSessionRequest,
  prompted,
  promptRequest,
  sessionChange,
  sessionDetail,
  sessionEntry,
  sessionPage,
  sessionQuery,
  sessionSummary,
  undone,
  undoRequest,
} from "./session-bodies.js";

/** By the names that the OpenAPI document gives them; `Page…`, where an app's answer has the same name. */
export const SERVE_RESPONSES = {
  PageDevice: device,
  PageAgent: agentChoice,
  PageMe: me,
  PageDevices: devices,
  PagePairing: pairing,
  PageNotifications: notifications,
  PageNotifyTest: notifyTest,
  PageSession: sessionSummary,
  PageSessions: sessionPage,
  PageSessionDetail: sessionDetail,
  PageEntry: sessionEntry,
  PageEntries: entriesPage,
  PageNewSession: newSession,
  PagePrompted: prompted,
  PageCancelled: cancelled,
  PageUndone: undone,
  PageCommands: commands,
  PageStopped: stopped,
  PageCall: callDetail,
  PageCallEvents: callEvents,
  PageQuestion: inboxQuestion,
  PageInbox: inbox,
  PageQuestionDetail: questionDetail,
  PageAnswered: answered,
  PageQuestionLink: questionLink,
  PageHistory: historyPage,
  PageStatistics: statistics,
  PageRules: ruleList,
  PageRuleTested: ruleTested,
  PageAddedRule: addedRule,
  PageSuggestions: suggestions,
  PageFrame: liveFrame,
} as const;

export type ServeEndpoint = Endpoint<keyof typeof SERVE_RESPONSES | "SessionEvent"> & {
  /** The least that a device must be allowed. */
  readonly role: DeviceRole;
};

const get = { method: "get", role: "watch" } as const;
const post = { method: "post", role: "all" } as const;
const remove = { method: "delete", role: "all" } as const;
const DONE = { status: 204, description: "Done." } as const;

const json = <Name extends keyof typeof SERVE_RESPONSES>(name: Name, description = "Found.") => ({
  description,
  json: name,
});

export const SERVE_ENDPOINTS = {
  login: {
    ...post,
    path: "/api/login",
    summary: "Exchange a one-time code for the cookie and the key of a device",
    body: loginRequest,
    answer: json("PageMe", "The device, with its key."),
    isOpen: true,
  },
  logout: { ...post, role: "watch", path: "/api/logout", summary: "Forget this device", answer: DONE },
  me: { ...get, path: "/api/me", summary: "This device, and what the server can do", answer: json("PageMe") },
  listDevices: {
    ...get,
    role: "all",
    path: "/api/devices",
    summary: "The devices",
    answer: json("PageDevices"),
  },
  pairDevice: {
    ...post,
    path: "/api/devices/pair",
    summary: "A one-use code for another device",
    body: pairingRequest,
    answer: json("PagePairing"),
  },
  revokeDevice: { ...remove, path: "/api/devices/{id}", summary: "Revoke a device", answer: DONE },
  notifications: {
    ...get,
    path: "/api/notifications",
    summary: "How people are notified of questions",
    answer: json("PageNotifications"),
  },
  testNotifications: {
    ...post,
    path: "/api/notifications/test",
    summary: "Send a sample by every way",
    body: z.object({}),
    answer: json("PageNotifyTest"),
  },
  subscribePush: {
    ...post,
    role: "watch",
    path: "/api/push",
    summary: "Send push messages to this browser",
    body: pushSubscription,
    answer: DONE,
  },
  unsubscribePush: {
    ...remove,
    role: "watch",
    path: "/api/push",
    summary: "Send no more push messages to this browser",
    answer: DONE,
  },
  live: {
    ...get,
    path: "/api/live",
    summary: "Questions and sessions as they change, and one session's entries",
    query: liveQuery,
    headers: z.object({ "Last-Event-ID": z.string().optional() }),
    answer: { description: "Frames.", frames: "PageFrame" },
  },
  pageSessions: {
    ...get,
    path: "/api/sessions",
    summary: "The sessions of all doors, the most recently written first",
    query: sessionQuery,
    answer: json("PageSessions"),
  },
  pageCreateSession: {
    ...post,
    path: "/api/sessions",
    summary: "Start a session of one of the server's agents",
    body: newSessionRequest,
    answer: { status: 201, ...json("PageNewSession", "Its `sessionId`.") },
  },
  startDemo: {
    ...post,
    path: "/api/demo",
    summary: "Start the sample agent on a new sample project",
    body: z.object({}),
    answer: { status: 201, ...json("PageNewSession", "Its `sessionId`.") },
  },
  pageSession: {
    ...get,
    path: "/api/sessions/{id}",
    summary: "One session",
    answer: json("PageSessionDetail"),
  },
  changeSession: {
    ...post,
    path: "/api/sessions/{id}",
    summary: "Rename a session, or set its mode",
    body: sessionChange,
    answer: json("PageSessionDetail"),
  },
  pageDeleteSession: {
    ...remove,
    path: "/api/sessions/{id}",
    summary: "Delete a session with its history",
    answer: DONE,
  },
  entries: {
    ...get,
    path: "/api/sessions/{id}/entries",
    summary: "Messages and calls of a session, as cards",
    query: entriesQuery,
    answer: json("PageEntries"),
  },
  events: {
    ...get,
    path: "/api/sessions/{id}/events",
    summary: "The recorded events of a session, and then those that follow",
    query: z.object({ after: z.string().optional() }),
    headers: z.object({ "Last-Event-ID": z.string().optional() }),
    answer: { description: "Session events.", frames: "SessionEvent" },
  },
  prompt: {
    ...post,
    path: "/api/sessions/{id}/prompt",
    summary: "Start a turn; it runs on when the connection ends",
    body: promptRequest,
    answer: { status: 202, ...json("PagePrompted", "The turn has started.") },
  },
  cancel: {
    ...post,
    path: "/api/sessions/{id}/cancel",
    summary: "Cancel the turn, or one call of it",
    body: cancelRequest,
    answer: json("PageCancelled"),
  },
  undo: {
    ...post,
    path: "/api/sessions/{id}/undo",
    summary: "Restore the files that a call or a turn changed, or say what that would do",
    body: undoRequest,
    answer: json("PageUndone"),
  },
  commands: {
    ...get,
    path: "/api/commands",
    summary: "The commands that run now, of all sessions",
    answer: json("PageCommands"),
  },
  stopCommand: {
    ...post,
    path: "/api/sessions/{id}/stop",
    summary: "End the command of a call, with all that it started",
    body: stopRequest,
    answer: json("PageStopped"),
  },
  exportSession: {
    ...get,
    path: "/api/sessions/{id}/export",
    summary: "A session as text",
    query: z.object({ format: exportFormat.optional() }),
    answer: { description: "The session, redacted.", isText: true },
  },
  call: {
    ...get,
    path: "/api/sessions/{id}/calls/{callId}",
    summary: "One call with all that is recorded of it",
    answer: json("PageCall"),
  },
  callEvents: {
    ...get,
    path: "/api/sessions/{id}/calls/{callId}/events",
    summary: "The recorded events of a call",
    answer: json("PageCallEvents"),
  },
  blob: {
    ...get,
    role: "all",
    path: "/api/blobs/{id}",
    summary: "The bytes of a kept file",
    answer: { description: "The bytes.", isText: true },
  },
  pageQuestions: {
    ...get,
    path: "/api/questions",
    summary: "The questions of all sessions",
    query: questionQuery,
    answer: json("PageInbox"),
  },
  answer: {
    ...post,
    role: "answer",
    path: "/api/questions/{id}/answer",
    hasSlashes: true,
    summary: "Answer a question; the first answer counts",
    body: answerRequest,
    answer: json("PageAnswered", "The answer that counts."),
  },
  questionLink: {
    ...post,
    path: "/api/questions/{id}/link",
    hasSlashes: true,
    summary: "A link that answers the question once, without a paired device",
    body: questionLinkRequest,
    answer: json("PageQuestionLink"),
  },
  linkedQuestion: {
    ...get,
    path: "/api/link/{id}",
    hasSlashes: true,
    summary: "The question of a link; reading it does not use the link up",
    headers: z.object({ "x-toolgate-link": z.string() }),
    answer: json("PageQuestionDetail"),
    isOpen: true,
  },
  answerLinked: {
    ...post,
    role: "answer",
    path: "/api/link/{id}",
    hasSlashes: true,
    summary: "Answer the question of a link, which uses the link up",
    headers: z.object({ "x-toolgate-link": z.string() }),
    body: linkedAnswerRequest,
    answer: json("PageAnswered", "The answer that counts."),
    isOpen: true,
  },
  question: {
    ...get,
    path: "/api/questions/{id}",
    hasSlashes: true,
    summary: "A question with all that will happen",
    answer: json("PageQuestionDetail"),
  },
  history: {
    ...get,
    path: "/api/history",
    summary: "Recorded calls, the newest first",
    query: historyQuery,
    answer: json("PageHistory"),
  },
  statistics: {
    ...get,
    path: "/api/statistics",
    summary: "Figures of a period",
    query: statisticsQuery,
    answer: json("PageStatistics"),
  },
  suggestions: {
    ...get,
    path: "/api/rules/suggestions",
    summary: "Rules that the record calls for",
    query: suggestionQuery,
    answer: json("PageSuggestions"),
  },
  rules: {
    ...get,
    path: "/api/rules",
    summary: "Rules and grants",
    query: folderQuery,
    answer: json("PageRules"),
  },
  testRule: {
    ...post,
    role: "watch",
    path: "/api/rules/test",
    summary: "Decide on an action without doing it",
    body: ruleTest,
    answer: json("PageRuleTested"),
  },
  trustProject: {
    ...post,
    path: "/api/rules/trust",
    summary: "Trust the project's own rules as they are now",
    body: trustRequest,
    answer: json("PageRules"),
  },
  addRule: {
    ...post,
    path: "/api/rules",
    summary: "Add a rule",
    body: newRule,
    answer: { status: 201, ...json("PageAddedRule") },
  },
  revokeRule: { ...remove, path: "/api/rules/{id}", summary: "Revoke a remembered rule", answer: DONE },
} as const satisfies Readonly<Record<string, ServeEndpoint>>;
