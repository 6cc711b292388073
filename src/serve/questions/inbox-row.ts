/** A question as a row of the inbox. All text is redacted, and visible as it is. */
import { isYes, oneLine, visibleText } from "../../call/index.js";
import type { Answer, Question } from "../../call/index.js";
import type { OpenCall } from "../../call/open-calls.js";
import { redact } from "../../history/index.js";
import { redactedRecord } from "../../history/redaction/redact-event.js";
import type { RedactionPattern } from "../../history/index.js";
import type { InboxQuestion, QuestionState, TurnLiveness } from "../api/question-bodies.js";
import type { SessionFacts } from "../sessions/session-facts.js";

const MAX_SUBJECT = 200;
const AGED_MS = 8 * 60 * 60_000;

export type RowOptions = {
  readonly state: QuestionState;
  readonly liveness: TurnLiveness;
  readonly now: number;
  readonly patterns: readonly RedactionPattern[];
};

export function inboxRow(
  question: Question,
  call: OpenCall | undefined,
  facts: SessionFacts,
  { state, liveness, now, patterns }: RowOptions,
): InboxQuestion {
  const { questionId, sessionId, toolCallId, askedAt, expiresAt, likeness } = question;
  const { agent, cwd } = facts.info;
  const shown = (text: string): string => redact(text, patterns);
  const isAnswerable =
    state.status === "open" && liveness !== "gone" && (expiresAt === undefined || now < expiresAt);
  return {
    questionId,
    sessionId,
    toolCallId,
    title: shown(titleOf(question, cwd)),
    // A quotation, not what is approved: one that fills the page would only hide that.
    agentTitle: shown(oneLine(call?.title ?? question.title, MAX_SUBJECT)),
    kind: call?.kind ?? "other",
    tool: visibleText(call?.name ?? ""),
    subject: shown(subjectOf(question)),
    ...(agent !== undefined && { agent }),
    sessionTitle: shown(facts.title),
    ...(cwd !== undefined && { folder: cwd }),
    door: facts.door,
    askedAt,
    ...(expiresAt !== undefined && { expiresAt }),
    state,
    liveness,
    isAnswerable,
    isAged: isAnswerable && now - askedAt >= AGED_MS,
    ...(likeness !== undefined && { likeness }),
  };
}

const VERBS = new Map([
  ["write", "Edit"],
  ["read", "Read"],
  ["delete", "Delete"],
  ["list", "List"],
  ["fetch", "Fetch"],
  ["host", "Fetch"],
]);

/**
 * Whether somebody else runs the call and reports it. Such a question shows the input below the facts that were read
 * from it. A question about our own call shows the input first, and only when no facts could be read.
 */
export const isReported = ({ about = [] }: Question): boolean =>
  about.findIndex((line) => line.startsWith("input: ")) > 0;

/** The title of a call that somebody else runs is the agent's. Then what the call does is named here. */
function titleOf(question: Question, cwd: string | undefined): string {
  const { about = [], wholeAbout = about, title } = question;
  if (!isReported(question)) return title;
  const command = wholeAbout.find((line) => line.startsWith("runs: "));
  if (command !== undefined) return `Run ${oneLine(command.slice("runs: ".length), MAX_SUBJECT)}`;
  for (const line of about) {
    const [, word = "", object = ""] = /^(\p{Ll}+):? (\S.*)$/u.exec(line) ?? [];
    if (word === "tool") return unreadTitle(object);
    const verb = VERBS.get(word);
    if (verb === undefined) continue;
    const name = cwd !== undefined && object.startsWith(`${cwd}/`) ? object.slice(cwd.length + 1) : object;
    return oneLine(`${verb} ${name}`, MAX_SUBJECT);
  }
  return title;
}

/** The title of a call whose data does not show what it does. */
const unreadTitle = (tool: string): string =>
  tool.endsWith("/(no name)") ? "A call of unknown effect" : oneLine(`Use ${tool}`, MAX_SUBJECT);

/** The whole command, else the first path or host that the question is about. */
function subjectOf({ about = [], wholeAbout = about, title }: Question): string {
  const line =
    wholeAbout.find((one) => one.startsWith("runs: ")) ??
    wholeAbout.find((one) => !one.startsWith("input: "));
  return line === undefined ? title : oneLine(line.replace(/^[a-z ]+: /, ""), MAX_SUBJECT);
}

export function answeredState(
  question: Question,
  answer: Answer,
  patterns: readonly RedactionPattern[],
): QuestionState & { status: "answered" } {
  return {
    status: "answered",
    at: answer.at,
    isYes: isYes(question, answer),
    words: redact(answerWords(question, answer), patterns),
    // The walk changes texts and nothing else, so an answer stays one.
    answer: redactedRecord(answer, patterns) as Answer,
  };
}

/** "allowed once by phone", "refused by rule deny push". */
export function answerWords(question: Question, answer: Answer): string {
  const { outcome, by, who, rule } = answer;
  const yes = isYes(question, answer);
  const option =
    outcome.type === "selected"
      ? question.options.find(({ optionId }) => optionId === outcome.optionId)
      : undefined;
  const isAlways = option?.kind.endsWith("always") ?? false;
  const scope = outcome.type === "selected" ? (outcome.scope ?? option?.grant?.scope) : undefined;
  const reach = !isAlways ? "once" : scope === "session" ? "for this session" : "always";
  const verb = yes ? `allowed ${reach}` : isAlways ? "refused, also from now on" : "refused";
  const { input, keptHunks } = answer;
  const edited = !yes
    ? ""
    : keptHunks
      ? `, only ${keptHunks.length === 1 ? "hunk" : "hunks"} ${keptHunks.join(", ")}`
      : input !== undefined
        ? ", with a changed input"
        : "";
  const isByRule = by === "rule" && rule !== undefined;
  const author = isByRule ? `rule ${rule}` : (who ?? (by === "rule" ? "Toolgate" : "a person"));
  return `${verb} by ${visibleText(author)}${edited}`;
}
