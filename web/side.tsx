/** The sidebar of a desk and the tab bar of a phone. */
import type { Me, SessionSummary } from "toolgate/serve/client";
import { live, me } from "./live.js";
import { answerableIn } from "./live-state.js";
import { Icon, type IconName } from "./parts/icon.js";
import { Visible } from "./parts/visible.js";
import type { Route } from "./read-route.js";
import { sessionPath } from "./route.js";
import { useStore } from "./store.js";
import { switchTheme } from "./theme.js";
import { grouped, lastPart } from "./words.js";

const VIEWS: readonly {
  name: string;
  path: string;
  icon: IconName;
  view: Route["view"];
}[] = [
  { name: "Inbox", path: "/", icon: "inbox", view: "inbox" },
  { name: "Sessions", path: "/s", icon: "sessions", view: "sessions" },
  { name: "History", path: "/history", icon: "history", view: "history" },
  { name: "Statistics", path: "/stats", icon: "statistics", view: "statistics" },
  { name: "Rules", path: "/rules", icon: "rules", view: "rules" },
  { name: "Devices", path: "/devices", icon: "devices", view: "devices" },
];

const MAX_SHOWN = 8;

const isAt = (here: Route, view: Route["view"]): boolean =>
  here.view === view || (here.view === "session" && view === "sessions");

export function Side({ here }: { readonly here: Route }) {
  const count = useStore(live, ({ questions }) => answerableIn(questions));
  const sessions = useStore(live, (state) => state.sessions);
  const sandbox = useStore(me, (self) => self?.sandbox);
  return (
    <nav class="side" aria-label="Main">
      <a class="brand" href="/" aria-label="Toolgate">
        <Icon name="gate" />
        <span>Toolgate</span>
      </a>
      <div class="nav">
        {VIEWS.map(({ name, path, icon, view }) => (
          <a key={view} href={path} aria-current={isAt(here, view) ? "page" : undefined}>
            <Icon name={icon} />
            <span class="lbl">{name}</span>
            {view === "inbox" && count > 0 && (
              <span class="count on">
                {count}
                <span class="sr"> answerable</span>
              </span>
            )}
          </a>
        ))}
      </div>
      {sessions.length > 0 && <h3>Live sessions</h3>}
      <div class="nav-s">
        {sessions.slice(0, MAX_SHOWN).map((session) => (
          <LiveSession key={session.sessionId} session={session} here={here} />
        ))}
        {sessions.length > MAX_SHOWN && (
          <a href="/s">
            <Icon name="sessions" />
            <span class="grow cut">{grouped(sessions.length - MAX_SHOWN)} more</span>
          </a>
        )}
      </div>
      <div class="foot">
        <Connected />
        {sandbox && <span title={sandbox.why}>{sandboxWords(sandbox)}</span>}
        <button type="button" class="btn small" onClick={switchTheme}>
          <Icon name="theme" />
          <span class="lbl">Light or dark</span>
        </button>
      </div>
    </nav>
  );
}

function sandboxWords({ holds, isOff }: Me["sandbox"]): string {
  if (holds) return "Sandbox holds";
  return isOff ? "Sandbox off" : "No sandbox here";
}

function LiveSession({ session, here }: { readonly session: SessionSummary; readonly here: Route }) {
  const { sessionId, state, title, agent, folder } = session;
  const isHere = here.view === "session" && here.sessionId === sessionId;
  return (
    <a href={sessionPath(sessionId)} aria-current={isHere ? "page" : undefined}>
      <Icon name={STATE_ICONS[state]} turns={state === "running"} />
      <span class="grow">
        <span class="cut">
          <Visible text={title} isOneLine />
        </span>
        <span class="faint xs cut">
          <span class="sr">{state}. </span>
          <Visible text={[agent, folder && lastPart(folder)].filter(Boolean).join(" · ")} isOneLine />
        </span>
      </span>
    </a>
  );
}

export function Connected() {
  const isLost = useStore(live, ({ connection }) => connection.type === "lost");
  return <span class={isLost ? "live off" : "live"}>{isLost ? "Not connected" : "Connected, live"}</span>;
}

export function Tabs({ here }: { readonly here: Route }) {
  const count = useStore(live, ({ questions }) => answerableIn(questions));
  return (
    <nav class="tabs" aria-label="Main, on a phone">
      {VIEWS.map(({ name, path, icon, view }) => (
        <a key={view} href={path} aria-current={isAt(here, view) ? "page" : undefined}>
          <Icon name={icon} />
          {view === "inbox" && count > 0 ? `${name}, ${count}` : name}
        </a>
      ))}
    </nav>
  );
}

const STATE_ICONS: Readonly<Record<SessionSummary["state"], IconName>> = {
  running: "running",
  waiting: "waiting",
  idle: "done",
  error: "failed",
};
