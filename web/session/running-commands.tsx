/** The commands of a session that run now, also those in the background, with their output and their end. */
import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { CommandOutput, Commands, SessionDetail } from "toolgate/serve/client";
import { api } from "../api.js";
import { useNow } from "../clock.js";
import { Terminal } from "../code/terminal.js";
import { me } from "../live.js";
import { act } from "../parts/act.js";
import { Icon } from "../parts/icon.js";
import { Visible } from "../parts/visible.js";
import { sessionPath } from "../route.js";
import { Store, useStore } from "../store.js";
import { longTime } from "../words.js";

export type RunningCommand = Commands["commands"][number];

const LOOK_MS = 2_000;
const OUTPUT_MS = 1_000;

/** Undefined until they were read. */
export const RunningCommands = createContext<readonly RunningCommand[] | undefined>(undefined);

/** The calls whose commands this page has stopped. */
const stopped = new Store<ReadonlySet<string>>(new Set());

/** No event reports the end of a background command, so they are looked at now and then while something runs. */
export function useRunningCommands(
  sessionId: string,
  state: SessionDetail["state"] | undefined,
): readonly RunningCommand[] | undefined {
  const [commands, setCommands] = useState<readonly RunningCommand[]>();
  const [looks, setLooks] = useState(0);
  const isBusy = state === "running" || (commands ?? []).length > 0;
  useEffect(() => {
    let isCurrent = true;
    api.commands({ session: sessionId }).then(
      ({ commands: found }) => isCurrent && setCommands(found),
      // The last known ones stay while the server does not answer.
      () => undefined,
    );
    const timer = isBusy ? setTimeout(() => setLooks(looks + 1), LOOK_MS) : undefined;
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [sessionId, state, isBusy, looks]);
  return commands;
}

export const useRunsNow = (toolCallId: string): boolean =>
  useContext(RunningCommands)?.some((one) => one.toolCallId === toolCallId) ?? false;

/** How the command of a call stands that went on after the call. */
export function WentOn({ toolCallId }: { readonly toolCallId: string }) {
  const isKnown = useContext(RunningCommands) !== undefined;
  const runs = useRunsNow(toolCallId);
  const wasStopped = useStore(stopped, (calls) => calls.has(toolCallId));
  if (!isKnown) return <p class="say">The command went on in the background.</p>;
  if (runs) return <p class="say">The command runs on in the background.</p>;
  return (
    <p class="say">
      <b>{wasStopped ? "The command was stopped." : "The command has ended."}</b> It had gone on in the
      background.
    </p>
  );
}

export const stopCommand = (sessionId: string, toolCallId: string): Promise<void> =>
  act(async () => {
    const { processes } = await api.stopCommand(sessionId, { toolCallId });
    const isEnded = processes.every(({ outcome }) => outcome !== "out-of-reach");
    if (isEnded && processes.some(({ outcome }) => outcome === "ended"))
      stopped.update((calls) => new Set([...calls, toolCallId]));
    return isEnded
      ? { text: "The command is stopped, with all that it started.", icon: "cancelled" }
      : { text: "Nothing was stopped. The command runs out of reach of this server.", icon: "failed" };
  }, "Nothing was stopped.");

export function RunningSection({ sessionId }: { readonly sessionId: string }) {
  const commands = useContext(RunningCommands) ?? [];
  if (commands.length === 0) return null;
  return (
    <section class="sec" aria-label="Running commands">
      <h2>
        Running <span class="end">{commands.length}</span>
      </h2>
      <ul class="running">
        {commands.map((command) => (
          <Row key={`${command.toolCallId} ${command.pid}`} command={command} sessionId={sessionId} />
        ))}
      </ul>
    </section>
  );
}

type RowProps = { readonly command: RunningCommand; readonly sessionId: string };

function Row({ command, sessionId }: RowProps) {
  const { toolCallId, title, startedAt, isBackground, pid } = command;
  const [isShown, setShown] = useState(false);
  const role = useStore(me, (self) => self?.device.role);
  const now = useNow();
  return (
    <li>
      <a href={sessionPath(sessionId, toolCallId)}>
        <code class="anywhere">
          <Visible text={title} isOneLine />
        </code>
      </a>
      <span class="faint xs">
        {longTime(Math.max(0, now - startedAt))}
        {isBackground ? ", in the background" : ""}, process {pid}
      </span>
      <span class="row">
        {isBackground && (
          <button type="button" class="btn small" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
            {isShown ? "Hide output" : "Output"}
          </button>
        )}
        {role === "all" && (
          <button type="button" class="btn small" onClick={() => void stopCommand(sessionId, toolCallId)}>
            <Icon name="cancelled" /> Stop
          </button>
        )}
      </span>
      {isShown && <LiveOutput sessionId={sessionId} toolCallId={toolCallId} />}
    </li>
  );
}

type OutputProps = { readonly sessionId: string; readonly toolCallId: string };

/** Output of a background command is no event; it is read again while it is shown. */
export function LiveOutput({ sessionId, toolCallId }: OutputProps) {
  const [output, setOutput] = useState<CommandOutput>();
  const [isElsewhere, setElsewhere] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isCurrent = true;
    const look = async (): Promise<void> => {
      const read = await api.commandOutput(sessionId, toolCallId).catch(() => undefined);
      if (!isCurrent) return;
      if (!read) return setElsewhere(true);
      setOutput(read);
      if (read.status === "running") timer = setTimeout(() => void look(), OUTPUT_MS);
    };
    void look();
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [sessionId, toolCallId]);
  if (isElsewhere && !output)
    return <p class="faint xs">The process that started it has its output; this server does not.</p>;
  if (!output) return <p class="faint xs">Reading its output …</p>;
  if (output.text === "") return <p class="faint xs">No output yet.</p>;
  return <Terminal text={output.text} isCut={output.leftOut > 0} isLive={output.status === "running"} />;
}
