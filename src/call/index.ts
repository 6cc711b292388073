/**
 * The data: a tool call, a session, their events and the one fold of them; content, kinds, titles, plan,
 * and the ports of the ledger and the archive.
 *
 * Invariants: everything is plain readonly data; a call changes in `applyEvent` and nowhere else; the fold
 * is strict and uses no clock, disk or network. This room imports nothing.
 */
export { absolutePath, isAbsolutePath } from "./absolute-path.js";
export * from "./archive.js";
export { applyEvent, isInputFixed } from "./apply-event.js";
export {
  appendText,
  boundText,
  EMPTY_TEXT,
  HEAD_LIMIT,
  leftOut,
  shownText,
  TAIL_LIMIT,
  textSince,
} from "./bounded-text.js";
export type { BoundedText } from "./bounded-text.js";
export * from "./content.js";
export { pluralize } from "./amounts.js";
export { createToolTitle } from "./create-tool-title.js";
export { hunksInContext } from "./diff-hunks.js";
export { breachSentence, endSentence } from "./end-sentence.js";
export { handleEvent, handleStoredEvent } from "./event-table.js";
export type { EventOf, EventTable } from "./event-table.js";
export { IllegalEvent } from "./illegal-event.js";
export { inferToolKind } from "./infer-tool-kind.js";
export type { ToolAnnotations } from "./infer-tool-kind.js";
export * from "./ledger.js";
export { joinedEvents, stepIdOf, thoughtIdOf } from "./message-run.js";
export { hunkLocations, lineHunks } from "./line-hunks.js";
export type { LineHunk } from "./line-hunks.js";
export { completeFields, fieldCount, inputText, NO_INPUT, readMore } from "./partial-input.js";
export type { PartialInput } from "./partial-input.js";
export { plainJson } from "./plain-json.js";
export * from "./plan.js";
export * from "./plan-from-todos.js";
export { BadOption } from "./check-options.js";
export {
  answerAllows,
  GRANT_EXPIRIES,
  GRANT_SCOPES,
  hiddenCharacters,
  isYes,
  notOffered,
  questionPage,
  shownQuestion,
} from "./question.js";
export type {
  Answer,
  GrantExpiry,
  GrantScopeName,
  OfferedGrant,
  OfferedWidth,
  WidthLine,
  OptionKind,
  Question,
  QuestionCall,
  QuestionOption,
  QuestionPage,
  SelectedOption,
  ShownQuestion,
} from "./question.js";
export { savedSession, sessionFromSaved } from "./saved-session.js";
export { TURN_STATUS_AFTER } from "./session.js";
export type * from "./session.js";
export { SessionBook } from "./session-book.js";
export type { SessionChanges, SessionListener } from "./session-book.js";
export { readSessionInfo } from "./read-session-info.js";
export { sessionModel } from "./session-model.js";
export type { SessionModel } from "./session-model.js";
export type * from "./step.js";
export * from "./tool-call.js";
export * from "./tool-kind.js";
export { mixedWords } from "./mixed-words.js";
export { oneLine, visibleText } from "./visible-text.js";
