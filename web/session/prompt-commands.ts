/** The slash commands of the prompt box. They run without the model. */
import type { SessionDetail, UndoRequest } from "toolgate/serve/client";
import { api } from "../api.js";
import { act } from "../parts/act.js";
import { goTo } from "../route.js";
import { saveSession } from "./save-session.js";
import { stopTurn } from "./stop-turn.js";

export type PromptCommand = {
  readonly name: string;
  readonly description: string;
  /** The words that it takes, with a note on each. */
  readonly values?: readonly (readonly [value: string, note: string])[];
  readonly run: (words: string) => Promise<void> | void;
};

export type CommandContext = {
  readonly detail: SessionDetail;
  readonly modes: readonly { readonly id: string; readonly name: string; readonly description: string }[];
  readonly models: readonly { readonly name: string; readonly note: string }[];
  readonly onUndo: (wanted: Pick<UndoRequest, "turnId">) => void;
};

export function setMode(sessionId: string, modeId: string): Promise<void> {
  return act(async () => {
    await api.changeSession(sessionId, { modeId });
    return { text: `Mode: ${modeId}. The mode holds from the next call.` };
  }, "The mode is as before.");
}

export function setModel(sessionId: string, model: string): Promise<void> {
  return act(async () => {
    await api.changeSession(sessionId, { model });
    return { text: `Model: ${model}. The model answers the next prompt.` };
  }, "The model is as before.");
}

/** Commands of a session of our own agent; an external agent reads its commands itself. */
export function sessionCommands({ detail, modes, models, onUndo }: CommandContext): readonly PromptCommand[] {
  const { sessionId, turns } = detail;
  const turn = turns.at(-1);
  return [
    {
      name: "mode",
      description: "choose what is asked about",
      values: modes.map(({ id, description }) => [id, description] as const),
      run: (words) => setMode(sessionId, words),
    },
    ...(models.length > 0
      ? [
          {
            name: "model",
            description: "choose the model",
            values: models.map(({ name, note }) => [name, note] as const),
            run: (words: string) => setModel(sessionId, words),
          },
        ]
      : []),
    {
      name: "undo",
      description: "put back the files of the last turn",
      run: () => turn && onUndo({ turnId: turn.turnId }),
    },
    { name: "stop", description: "stop the turn", run: () => stopTurn(sessionId) },
    {
      name: "compact",
      description: "summarize the session, so that the model has room again",
      run: () => compact(sessionId),
    },
    { name: "export", description: "save the session as Markdown", run: () => saveSession(detail) },
    { name: "new", description: "start another session", run: () => goTo("/s") },
    { name: "rules", description: "what is allowed, asked about and denied", run: () => goTo("/rules") },
    { name: "history", description: "all recorded calls", run: () => goTo("/history") },
    { name: "stats", description: "figures of all calls", run: () => goTo("/stats") },
  ];
}

const compact = (sessionId: string): Promise<void> =>
  act(async () => {
    const { isDone } = await api.compact(sessionId);
    return { text: isDone ? "Summed up. The record keeps everything." : "There was nothing to summarize." };
  }, "Nothing was summarized.");

/** The command that the text is, with its words. */
export function commandIn(
  text: string,
  commands: readonly PromptCommand[],
): { readonly name: string; readonly words: string; readonly command?: PromptCommand } | undefined {
  const [, name, words = ""] = /^\/([a-z]+)(?:\s+(.*))?$/.exec(text.trim()) ?? [];
  if (name === undefined) return undefined;
  const command = commands.find((one) => one.name === name);
  return { name, words: words.trim(), ...(command && { command }) };
}
