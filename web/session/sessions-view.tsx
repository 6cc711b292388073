/** All sessions of all doors, the newest first, and a new one. */
import { useEffect, useState } from "preact/hooks";
import type { SessionSummary } from "toolgate/serve/client";
import { api, errorText } from "../api.js";
import { useNow } from "../clock.js";
import { useKeys } from "../keys.js";
import { live, me } from "../live.js";
import { Empty, Loading, Pick } from "../parts/controls.js";
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

export function SessionsView() {
  const [text, setText] = useState("");
  const [more, setMore] = useState<readonly SessionSummary[]>([]);
  const changed = useStore(live, ({ sessions }) => sessions);
  const connections = useStore(live, (state) => state.connections);
  const role = useStore(me, (self) => self?.device.role);
  const { data, error } = useLoaded(
    () => api.sessions({ ...(text.trim() !== "" && { text: text.trim() }) }),
    [text, changed, connections],
  );
  const [next, setNext] = useState<string>();
  useEffect(() => {
    setMore([]);
    setNext(data?.next);
  }, [data]);
  useKeys({ "/": () => document.getElementById("session-search")?.focus() });
  const loadMore = async (): Promise<void> => {
    if (next === undefined) return;
    const page = await api.sessions({ before: next, ...(text.trim() !== "" && { text: text.trim() }) });
    setMore([...more, ...page.sessions]);
    setNext(page.next);
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
        {data && data.sessions.length > 0 && <DemoOffer isShort />}
      </div>
      {role === "all" && <NewSession />}
      {!data &&
        (error === undefined ? (
          <Loading what="the sessions" />
        ) : (
          <Empty icon="unknown" title="The sessions could not be read">
            <p>{errorText(error)}</p>
          </Empty>
        ))}
      {data && data.sessions.length === 0 && (
        <Empty icon="sessions" title={text === "" ? "No session yet" : "No session has these words"}>
          {text === "" && <DemoOffer />}
        </Empty>
      )}
      {data && data.sessions.length > 0 && <SessionTable sessions={[...data.sessions, ...more]} />}
      {next !== undefined && (
        <p class="entry">
          <button type="button" class="btn" onClick={() => void loadMore()}>
            More sessions
          </button>
        </p>
      )}
    </div>
  );
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
