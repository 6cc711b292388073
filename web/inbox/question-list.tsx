/** The list of the inbox: the oldest first, alike ones together, those that are over at the end. */
import { useMemo } from "preact/hooks";
import { visibleText } from "toolgate/call";
import type { InboxQuestion } from "toolgate/serve/client";
import { useNow } from "../clock.js";
import { Icon, kindIcon } from "../parts/icon.js";
import { MiddleCut } from "../parts/middle-cut.js";
import { Visible } from "../parts/visible.js";
import { questionPath } from "../route.js";
import { Connected } from "../side.js";
import { ago, shortTime } from "../words.js";
import type { InboxGroup, QuestionCluster } from "./inbox-groups.js";

type ListProps = {
  readonly groups: readonly InboxGroup[];
  readonly answerable: number;
  readonly chosenId: string | undefined;
  readonly isAlike: boolean;
};

export function QuestionList({ groups, answerable, chosenId, isAlike }: ListProps) {
  return (
    <section class="q-list" aria-label="Questions">
      <div class="bar">
        <h1>Inbox</h1>
        <span class="faint xs">
          {answerable === 0 ? "nothing waits" : `${answerable} answerable, oldest first`}
        </span>
        <span class="end only-phone">
          <Connected />
        </span>
      </div>
      {groups.map((group) => (
        <div key={group.name}>
          <div class="q-group">
            {group.type === "aged" && <Icon name="waiting" />}
            {group.name}
          </div>
          {group.clusters.map((cluster) => (
            <Cluster key={cluster.questions[0]?.questionId} {...{ cluster, group, chosenId, isAlike }} />
          ))}
        </div>
      ))}
      <div class="keys">
        {KEYS.map(([keys, word]) => (
          <span key={word}>
            {keys.map((key) => (
              <>
                <kbd>{key}</kbd>{" "}
              </>
            ))}
            {word}
          </span>
        ))}
      </div>
    </section>
  );
}

const KEYS: readonly (readonly [readonly string[], string])[] = [
  [["J", "K"], "move"],
  [["Y"], "once"],
  [["S"], "session"],
  [["A"], "always"],
  [["N"], "no"],
  [["R"], "no, because"],
  [["E"], "edit"],
  [["?"], "all keys"],
];

type ClusterProps = {
  readonly cluster: QuestionCluster;
  readonly group: InboxGroup;
  readonly chosenId: string | undefined;
  readonly isAlike: boolean;
};

function Cluster({ cluster, group, chosenId, isAlike }: ClusterProps) {
  const { questions } = cluster;
  const [first] = questions;
  const rows = questions.map((question) => (
    <QuestionRow
      key={question.questionId}
      question={question}
      isOld={group.type === "aged"}
      isChosen={question.questionId === chosenId && !isAlike}
    />
  ));
  if (questions.length < 2 || !first) return <>{rows}</>;
  const isChosen = questions.some(({ questionId }) => questionId === chosenId);
  const isOn = isAlike && isChosen;
  return (
    <div class={isOn ? "q-alike on" : "q-alike"}>
      <div class="row">
        <span class="grow">{questions.length} alike</span>
        <a class="btn small" href={`${questionPath(first.questionId)}?alike`}>
          Answer all {questions.length} {isChosen && <kbd>L</kbd>}
        </a>
      </div>
      {rows}
    </div>
  );
}

type RowProps = { readonly question: InboxQuestion; readonly isOld: boolean; readonly isChosen: boolean };

function QuestionRow({ question, isOld, isChosen }: RowProps) {
  const { questionId, kind, askedAt, isAnswerable } = question;
  const now = useNow(true, isAnswerable ? 0 : 10_000);
  // The stream changes one row at a time: rendering the other hundreds again would delay a new question.
  return useMemo(
    () => (
      <a
        class={isAnswerable ? "q" : "q gone"}
        href={questionPath(questionId)}
        aria-current={isChosen ? "true" : undefined}
        data-question={questionId}
      >
        <Icon name={kindIcon(kind)} />
        <span class="t cut" title={visibleText(rowTitle(question))}>
          <RowTitle question={question} />
        </span>
        <span class={isOld ? "w old" : "w"}>{isAnswerable ? shortTime(now - askedAt) : ""}</span>
        <span class={isAnswerable ? "m cut" : "m"}>
          <Visible text={isAnswerable ? askerAndTurn(question, isOld) : endWords(question, now)} isOneLine />
        </span>
      </a>
    ),
    [question, isOld, isChosen, now],
  );
}

/** Paths of alike questions differ at their ends, and so do commands. */
function RowTitle({ question }: { readonly question: InboxQuestion }) {
  const cut = <MiddleCut text={rowTitle(question)} />;
  return isCommand(question) ? <code>{cut}</code> : cut;
}

const isCommand = ({ kind, subject }: InboxQuestion): boolean => kind === "execute" && subject !== "";

const rowTitle = (question: InboxQuestion): string =>
  isCommand(question) ? question.subject : question.title;

/** "helper in an editor · Fix the failing price test". */
export function asker({ agent, sessionTitle, door }: InboxQuestion): string {
  const who = agent ?? "agent";
  const how = DOORS[door] === who ? "" : DOORS[door];
  return [how === "" ? who : `${who}, ${how}`, sessionTitle].filter(Boolean).join(" · ");
}

const askerAndTurn = (question: InboxQuestion, isOld: boolean): string =>
  isOld && question.liveness === "parked" ? `${asker(question)} · turn is parked` : asker(question);

const DOORS: Readonly<Record<InboxQuestion["door"], string>> = {
  app: "app",
  editor: "editor",
  terminal: "terminal",
  page: "",
  driven: "driven",
  demo: "demo",
  unknown: "",
};

export function endWords({ state, liveness, expiresAt }: InboxQuestion, now: number): string {
  if (state.status === "answered") return `Answered ${ago(state.at, now)}: ${state.words}`;
  if (state.status === "withdrawn") return `Withdrawn ${ago(state.at, now)}: ${state.reason}`;
  if (expiresAt !== undefined && expiresAt <= now) return `Expired ${ago(expiresAt, now)}: nothing was run`;
  return liveness === "gone" ? "The turn is over: nothing was run" : "No longer answerable";
}
