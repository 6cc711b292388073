/** All sessions of all doors, the newest first, and a new one. */
import { useLayoutEffect, useState } from "preact/hooks";
import type { SessionSummary } from "toolgate/serve/client";
import { api } from "../api.js";
import { useNow } from "../clock.js";
import { useKeys } from "../keys.js";
import { live, me } from "../live.js";
import { act } from "../parts/act.js";
import { Empty, Loading, Pick } from "../parts/controls.js";
import { NotRead } from "../parts/not-read.js";
import { Icon } from "../parts/icon.js";
import { StatePill } from "../parts/state.js";
import { Visible } from "../parts/visible.js";
import { goTo, sessionPath } from "../route.js";
import { useStore } from "../store.js";
import { useLoaded } from "../use-loaded.js";
import { ago, grouped, lastPart } from "../words.js";
import { DemoOffer } from "./demo-offer.js";
import { ModelPick } from "./prompt-box.js";
import { PromptForm } from "./prompt-form.js";
import { withNewest, withPage, type SessionList } from "./session-list.js";

export function SessionsView() {
  const [text, setText] = useState("");
  const words = text.trim();
  const changed = useStore(live, ({ sessions }) => sessions);
  const connections = useStore(live, (state) => state.connections);
  const role = useStore(me, (self) => self?.device.role);
  const query = words !== "" && { text: words };
  const { data, error, reload } = useLoaded(
    async () => ({ words, page: await api.sessions({ ...query }) }),
    [words, changed, connections],
  );
  /** `words`: those that its sessions have. */
  const [found, setFound] = useState<SessionList & { readonly words: string }>();
  useLayoutEffect(() => {
    if (!data) return;
    setFound((before) => ({
      words: data.words,
      ...withNewest(before?.words === data.words ? before : undefined, data.page),
    }));
  }, [data]);
  useKeys({ "/": () => document.getElementById("session-search")?.focus() });
  const next = found?.next;
  const loadMore = async (): Promise<undefined> => {
    if (next === undefined) return;
    const page = await api.sessions({ before: next, ...query });
    setFound((before) =>
      before?.words === words && before.next === next ? { words, ...withPage(before, page) } : before,
    );
  };
  return (
    <div class="scroll">
      <div class="bar wraps">
        <h1>Sessions</h1>
        <label class="field grow">
          <Icon name="search" />
          <span class="sr">Search sessions</span>
          <input
            id="session-search"
            value={text}
            placeholder="Title, folder or agent"
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <kbd>/</kbd>
        </label>
        {found && found.sessions.length > 0 && <DemoOffer isShort />}
      </div>
      {role === "all" && <NewSession />}
      {!found &&
        (error === undefined ? (
          <Loading what="the sessions" />
        ) : (
          <NotRead what="sessions" isList error={error} onRetry={reload} />
        ))}
      {found && found.sessions.length === 0 && (
        <Empty icon="sessions" title={emptyTitle(found)}>
          {found.words === "" && <DemoOffer />}
        </Empty>
      )}
      {found && found.sessions.length > 0 && <SessionTable sessions={found.sessions} />}
      {next !== undefined && (
        <p class="entry">
          <button type="button" class="btn" onClick={() => void act(loadMore, "No more sessions were read.")}>
            More sessions
          </button>
        </p>
      )}
    </div>
  );
}

/** One request looks through so many sessions at most. */
function emptyTitle({ words, next }: SessionList & { readonly words: string }): string {
  if (words === "") return "No session yet";
  return `${next === undefined ? "No session" : "None of the latest sessions"} has these words`;
}

const STATES: Readonly<Record<SessionSummary["state"], readonly [status: string, word: string]>> = {
  running: ["running", "Working"],
  waiting: ["waiting", "Waits for you"],
  idle: ["done", "Finished"],
  error: ["failed", "Failed"],
};

function SessionTable({ sessions }: { readonly sessions: readonly SessionSummary[] }) {
  const now = useNow();
  return (
    <table class="table sess-t stacks">
      <thead>
        <tr>
          <th>Session</th>
          <th>State</th>
          <th>Agent</th>
          <th>Project</th>
          <th class="num">Calls</th>
          <th class="num">Changed</th>
        </tr>
      </thead>
      <tbody>
        {sessions.map((session) => {
          const [status, word] = STATES[session.state];
          return (
            <tr key={session.sessionId}>
              <td class="wide">
                <a href={sessionPath(session.sessionId)}>
                  <Visible text={session.title} isOneLine isProse />
                </a>{" "}
                {session.breaches > 0 && <StatePill status="breach" word={`${session.breaches}`} />}
              </td>
              <td>
                <StatePill
                  status={session.openQuestions > 0 ? "waiting" : status}
                  word={session.openQuestions > 0 ? `${session.openQuestions} to answer` : word}
                />
              </td>
              <td class="soft">
                <Visible text={session.agent ?? "unknown"} isOneLine />
                {session.door !== "unknown" && session.door !== "page" && session.door !== session.agent && (
                  <span class="faint">, {session.door}</span>
                )}
              </td>
              <td class="soft">
                <Visible text={lastPart(session.folder ?? "")} isOneLine />
              </td>
              <td class="num soft" data-label="calls">
                {grouped(session.calls)}
              </td>
              <td class="num soft">{ago(session.updatedAt, now)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function NewSession() {
  const agents = useStore(me, (self) => self?.agents) ?? [];
  const modes = useStore(me, (self) => self?.modes) ?? [];
  const [agent, setAgent] = useState<string>();
  const models = useStore(me, (self) => self?.models) ?? [];
  const usual = useStore(me, (self) => self?.modeId);
  const [mode, setMode] = useState<string>();
  const [model, setModel] = useState<string>();
  const chosen = agents.find(({ name }) => name === agent) ?? agents[0];
  if (!chosen) return null;
  return (
    <div class="prompt top">
      <PromptForm
        takesAnyCommand
        label={`Start ${chosen.title ?? chosen.name} with a prompt`}
        takesImages={chosen.takesImages}
        onSend={async (prompt) => {
          const { sessionId } = await api.createSession({
            agent: chosen.name,
            prompt: [...prompt],
            ...(mode !== undefined && chosen.type === "own" && { modeId: mode }),
            ...(model !== undefined && chosen.type === "own" && { model }),
          });
          goTo(sessionPath(sessionId));
        }}
      >
        {agents.length > 1 && (
          <Pick
            label="Agent"
            value={chosen.name}
            options={agents.map(({ name, title }) => [name, title ?? name] as const)}
            onPick={setAgent}
          />
        )}
        {chosen.type === "own" && modes.length > 0 && (
          <Pick
            label="Mode"
            value={mode ?? usual ?? modes[0]?.id ?? ""}
            options={modes.map(({ id, name }) => [id, name] as const)}
            onPick={setMode}
          />
        )}
        {chosen.type === "own" && <ModelPick value={model} models={models} onPick={setModel} />}
      </PromptForm>
    </div>
  );
}
