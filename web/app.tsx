/** The frame around every view: navigation, connection, the badge in the title. */
import { useEffect } from "preact/hooks";
import { DevicesView } from "./devices/devices-view.js";
import { HistoryView } from "./history/history-view.js";
import { InboxView } from "./inbox/inbox-view.js";
import { questionLink } from "./inbox/link-key.js";
import { LinkedView } from "./inbox/linked-view.js";
import { KeysDialog } from "./keys-dialog.js";
import { useKeys } from "./keys.js";
import { live, me } from "./live.js";
import { answerableIn } from "./live-state.js";
import { isUnreachable } from "./login.js";
import { LoginView } from "./login-view.js";
import { Empty, Loading } from "./parts/controls.js";
import { Lost } from "./parts/lost.js";
import { Toast } from "./parts/toast.js";
import { pageTitle } from "./page-title.js";
import type { Route } from "./read-route.js";
import { goTo, route } from "./route.js";
import { ReplayView } from "./replay/replay-view.js";
import { RulesView } from "./rules/rules-view.js";
import { SessionView } from "./session/session-view.js";
import { SessionsView } from "./session/sessions-view.js";
import { Side, Tabs } from "./side.js";
import { StatisticsView } from "./statistics/statistics-view.js";
import { useStore } from "./store.js";

export function App() {
  const here = useStore(route, (value) => value);
  const self = useStore(me, (value) => value);
  const isDown = useStore(isUnreachable, (value) => value);
  const link = useStore(questionLink, (value) => value);
  useKeys(GO_TO);
  if (link) return <LinkedView link={link} />;
  if (self === null) return <LoginView />;
  if (self === undefined)
    return (
      <main class="gate">
        {isDown ? (
          <Empty icon="unknown" title="The server does not answer">
            <p>Nothing is lost: it is all recorded. This page tries again by itself.</p>
          </Empty>
        ) : (
          <Loading what="your agents" />
        )}
      </main>
    );
  const isAsking = here.view === "inbox" && here.questionId !== undefined;
  return (
    <div class={isAsking ? "app asking" : "app"}>
      <a class="btn skip" href="#main" onClick={toMain}>
        To the content
      </a>
      <Side here={here} />
      <main class="page" id="main" tabIndex={-1}>
        <Lost />
        <div class="view">{viewOf(here)}</div>
      </main>
      <Tabs here={here} />
      <Badge />
      <Toast />
      <KeysDialog />
    </div>
  );
}

function toMain(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

const GO_TO = {
  "g i": () => goTo("/"),
  "g s": () => goTo("/s"),
  "g h": () => goTo("/history"),
  "g t": () => goTo("/stats"),
  "g r": () => goTo("/rules"),
  "g d": () => goTo("/devices"),
};

function viewOf(here: Route) {
  switch (here.view) {
    case "inbox":
      return <InboxView questionId={here.questionId} isAlike={here.isAlike === true} />;
    case "sessions":
      return <SessionsView />;
    case "session":
      return <SessionView key={here.sessionId} sessionId={here.sessionId} toolCallId={here.toolCallId} />;
    case "replay":
      return <ReplayView key={here.sessionId} sessionId={here.sessionId} search={here.search} />;
    case "history":
      return <HistoryView search={here.search} />;
    case "statistics":
      return <StatisticsView />;
    case "rules":
      return <RulesView search={here.search} />;
    case "devices":
      return <DevicesView />;
    case "missing":
      return (
        <Empty icon="unknown" title="There is nothing here">
          <p>
            <a href="/">Open the inbox</a>
          </p>
        </Empty>
      );
    default:
      return here satisfies never;
  }
}

const NAMES: Readonly<Record<Route["view"], string>> = {
  inbox: "Inbox",
  sessions: "Sessions",
  session: "Session",
  replay: "Replay",
  history: "History",
  statistics: "Statistics",
  rules: "Rules",
  devices: "Devices",
  missing: "Nothing here",
};

/** The title counts what can be answered, and names the view or the session that is shown. */
function Badge() {
  const count = useStore(live, ({ questions }) => answerableIn(questions));
  const view = useStore(route, (value) => value.view);
  const title = useStore(pageTitle, (value) => value);
  useEffect(() => {
    const questions = count === 0 ? [] : [count === 1 ? "1 question" : `${count} questions`];
    document.title = [...questions, title ?? NAMES[view], "Toolgate"].join(" · ");
  }, [count, view, title]);
  return (
    <div class="sr" role="status">
      {count === 0
        ? "No question waits"
        : `${count === 1 ? "1 question waits" : `${count} questions wait`} for you`}
    </div>
  );
}
